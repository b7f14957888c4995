import { refuse } from "../../files/refusal.js";
import { readBytes } from "../../files/text-file.js";
import { shownSoftware } from "../../rows/provenance.js";
import type { Placed, ResultRow } from "../../rows/results.js";
import type { PlannedRun, SweepPlan } from "./plan.js";
import { wholeRows } from "./rows-file.js";

/** The rows of a sweep, from the files of its shards. */
export interface MergedRows {
  /** A row for each run that has one, as it stands in its file, in the order of the design. */
  readonly lines: readonly string[];
  readonly missing: readonly PlannedRun[];
  readonly failed: number;
  /** Further rows of runs that have one, and how many of them have other bounds than it. */
  readonly doubled: number;
  readonly differing: number;
}

/**
 * Joins the rows of a sweep's shards. Of several rows of a run the first counts that has not failed; a last line that was cut short is none.
 *
 * @throws InputError for a row of another sweep, design or input, and where two versions, or devices asked for, made the rows
 */
export function mergeRows(plan: SweepPlan, files: readonly string[]): MergedRows {
  const planned = new Set(plan.runs.map(({ task }) => task.key));
  const rowOfRun = new Map<string, { readonly row: ResultRow; readonly text: string }>();
  let first: Placed<ResultRow> | null = null;
  let [count, differing] = [0, 0];
  for (const file of files) {
    const { placed, lines } = wholeRows(file, readBytes(file));
    placed.forEach((each, n) => {
      const { row } = each;
      const key = keyIn(each, plan.name, planned);
      first ??= each;
      refuseUnlike(each, first);
      count++;
      const known = rowOfRun.get(key);
      if (known !== undefined && isOther(known.row, row)) differing++;
      if (known === undefined || (known.row.status === "failed" && row.status !== "failed"))
        rowOfRun.set(key, { row, text: lines[n] });
    });
  }
  const found = plan.runs.flatMap(({ task }) => rowOfRun.get(task.key) ?? []);
  return {
    lines: found.map(({ text }) => text),
    missing: plan.runs.filter(({ task }) => !rowOfRun.has(task.key)),
    failed: found.filter(({ row }) => row.status === "failed").length,
    doubled: count - found.length,
    differing,
  };
}

/** Whether two rows of a run that did not fail have other bounds, as runs that their time ended may. */
function isOther(one: ResultRow, other: ResultRow): boolean {
  if (one.status === "failed" || other.status === "failed") return false;
  return one.lowerBound !== other.lowerBound || one.upperBound !== other.upperBound;
}

/** The key of a row's run, which the plan must have. */
function keyIn({ file, line, row }: Placed<ResultRow>, name: string, planned: ReadonlySet<string>): string {
  const place = `${file}:${line}`;
  if (row.sweep?.name !== name)
    refuse(place, `is no row of sweep ${name}`, "name the files of its shards, and no others");
  const { key } = row.sweep;
  if (!planned.has(key))
    refuse(place, `run ${key} is none of the sweep: its design or an input has changed since`, "make the shard again");
  return key;
}

function refuseUnlike({ file, line, row }: Placed<ResultRow>, first: Placed<ResultRow>): void {
  const [is, was] = [shownSoftware(row), shownSoftware(first.row)];
  const place = `${file}:${line}`;
  const there = `${first.file}:${first.line}`;
  if (is !== was || row.revision !== first.row.revision)
    refuse(place, `was made by ${is}, and ${there} by ${was}`, "make all shards with one version");
  const [asked, before] = [row.device.requested, first.row.device.requested];
  if (asked !== before)
    refuse(place, `was made with --device ${asked}, and ${there} with ${before}`, "make all shards with one of them");
}
