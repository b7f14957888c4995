import type { meansOf } from "../../experiments/bench/bench.js";
import type { BenchRow } from "../../rows/bench.js";
import { formatTable } from "../text.js";

/** A line for each size, times of the median in milliseconds, and the geometric means. */
export function describeBench(rows: readonly BenchRow[], means: ReturnType<typeof meansOf>): string {
  const [{ benchmark, device, threads, seed }] = rows;
  const hasWarm = rows.some(({ warmSeconds }) => warmSeconds !== undefined);
  const header = ["N", "T", "naive ms", "rmap ms", ...(hasWarm ? ["warm ms"] : []), "CPU ms"];
  header.push("naive/rmap", "CPU/rmap", "");
  const table = rows.map((row) => [
    String(row.n),
    String(row.t),
    milliseconds(row.naiveSeconds),
    milliseconds(row.enhancedSeconds),
    ...(hasWarm ? [milliseconds(row.warmSeconds as BenchRow["enhancedSeconds"])] : []),
    milliseconds(row.cpuSeconds as BenchRow["enhancedSeconds"]),
    ratio(row.ratio),
    ratio(row.cpuRatio as number),
    note(row),
  ]);
  const blank = header.map(() => "");
  const mean = [...blank];
  mean[0] = "geometric mean";
  mean[header.length - 3] = ratio(means.ratio);
  mean[header.length - 2] = ratio(means.cpuRatio);
  mean[header.length - 1] = means.atLeast ? "at least" : "";
  return `${benchmark} on ${device}, CPU with ${threads} threads, seed ${seed}\n${formatTable(header, [...table, mean])}`;
}

function milliseconds({ median }: { median: number }): string {
  return String(Number((1000 * median).toPrecision(4)));
}

function ratio(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** The reservations about a number of the row. */
function note({ atLeast, extrapolated, naiveSeconds }: BenchRow): string {
  const parts: string[] = [];
  if (atLeast === true) parts.push("naive engine stopped: at least");
  if (extrapolated) {
    const { done, of } = extrapolated as { done: number; of: number };
    parts.push(`naive engine from ${done} of ${of} LAPs`);
  }
  if (naiveSeconds.repetitions === 1) parts.push("naive engine timed once");
  return parts.join(", ");
}
