import { InputError } from "../../core/errors.js";
import { expectedOf } from "../expected.js";
import type { SweepPlan } from "./plan.js";
import { problemOfTask } from "./run-task.js";

/** Runs that are priced, spread evenly over the design from its first to its last, where most designs have their largest. */
const PRICED = 5;

/** What runs are expected to take on one core. */
export interface RunEstimate {
  readonly priced: number;
  /** The mean. */
  readonly seconds: number;
  /** The most. */
  readonly bytes: number;
}

/** null where none of the runs can be priced: their rows will say why. */
export async function estimateRuns({ runs }: SweepPlan, now: () => number): Promise<RunEstimate | null> {
  const last = Math.min(PRICED, runs.length) - 1;
  const numbers = Array.from({ length: last + 1 }, (_, k) => Math.round((k * (runs.length - 1)) / Math.max(1, last)));
  const expected: { seconds: number; bytes: number }[] = [];
  for (const n of numbers) {
    try {
      expected.push(expectedOf(await problemOfTask(runs[n].task, { threads: 1, now }), 1).cpu);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
    }
  }
  if (expected.length === 0) return null;
  return {
    priced: expected.length,
    seconds: expected.reduce((sum, { seconds }) => sum + seconds, 0) / expected.length,
    bytes: Math.max(...expected.map(({ bytes }) => bytes)),
  };
}
