import type { ResultRow } from "../../rows/results.js";
import { openPool } from "../sweep/pool.js";
import { type BaselineCase, type BaselineFile, compare, type Difference, type Measured, measure } from "./baseline.js";

/** One case, run again. */
export interface CaseOutcome {
  readonly name: string;
  readonly measured: Measured;
  /** Why the run failed, or null. */
  readonly error: string | null;
  /** null where nothing is recorded yet. */
  readonly differences: readonly Difference[] | null;
}

/**
 * Runs every case of a baseline on the CPU in f64, each on one thread, and compares.
 *
 * @param options.jobs processes at a time
 * @param options.progress called with the number of cases that are done
 */
export async function regress(
  { baseline, cases }: BaselineFile,
  { jobs, progress }: { readonly jobs: number; readonly progress: (done: number) => void },
): Promise<CaseOutcome[]> {
  const pool = await openPool(Math.min(jobs, cases.length), { device: "cpu", threads: 1 });
  try {
    let done = 0;
    return await Promise.all(
      cases.map(async (each) => {
        const row = await pool.run(each.task);
        progress(++done);
        return outcome(each, row, baseline.tolerance);
      }),
    );
  } finally {
    pool.close();
  }
}

function outcome(
  { name, expected }: BaselineCase,
  row: ResultRow,
  tolerance: BaselineFile["baseline"]["tolerance"],
): CaseOutcome {
  const measured = measure(row, tolerance);
  const differences = expected && compare(expected, measured, tolerance);
  return { name, measured, error: row.error ?? null, differences };
}
