import type { ResultRow } from "../../rows/results.js";
import { LINEAGE_METRICS, LINEAGE_NAMES, type LineageMetric } from "../../scores/lineages.js";
import { METRIC_NAMES, METRICS, type MetricName } from "../../scores/metrics.js";
import type { Measured, Tolerance } from "./baseline.js";

/** One quantity of one case that changed by more than its tolerance. */
export interface Difference {
  /** "status", "lower bound", "tracks", "gap", or the label of a metric. */
  readonly quantity: string;
  readonly recorded: number | string | null;
  readonly now: number | string | null;
  /** The limit that would still have passed; null where only the recorded value passes. */
  readonly limit: number | null;
  readonly worse: boolean;
}

/** The numbers of a run that a baseline with these tolerances records. */
export function measure(row: ResultRow, tolerance: Tolerance): Measured {
  const { status, lowerBound, upperBound, gapPercent } = row;
  const known: Partial<Record<MetricName | LineageMetric, number | null | undefined>> = {
    ...row.scores,
    ...row.lineages,
  };
  const metrics = Object.fromEntries(compared(tolerance).map(({ name }) => [name, known[name] ?? null]));
  return { status, lowerBound, upperBound, gapPercent, ...metrics };
}

/** The metrics that have a tolerance and a better side, those of lineages among them. */
function compared(tolerance: Tolerance) {
  const all = [
    ...METRIC_NAMES.map((name) => ({ name, label: METRICS[name].label, better: METRICS[name].better })),
    ...LINEAGE_NAMES.map((name) => ({ name, label: LINEAGE_METRICS[name].label, better: "more" as const })),
  ];
  return all.filter(({ name, better }) => tolerance[name] !== undefined && better !== null);
}

/**
 * The numbers that differ from the recorded ones by more than the tolerance, better or worse. A lower bound is worse when it is lower;
 * the tracks' cost, and the gap when they are higher, a score by its metric; a number that is not known any more is worse, too.
 */
export function compare(recorded: Measured, now: Measured, tolerance: Tolerance): Difference[] {
  const relative = (value: number | null) => tolerance.bound * Math.abs(value ?? 0);
  const checks = [
    { quantity: "lower bound", key: "lowerBound", sign: -1, allowed: relative(recorded.lowerBound) },
    { quantity: "tracks", key: "upperBound", sign: 1, allowed: relative(recorded.upperBound) },
    { quantity: "gap", key: "gapPercent", sign: 1, allowed: tolerance.gap },
    ...compared(tolerance).map(({ name: key, label, better }) => {
      return { quantity: label, key, sign: better === "less" ? 1 : -1, allowed: tolerance[key] ?? 0 };
    }),
  ] as const;
  const differences: Difference[] = [];
  if (now.status === "failed" && recorded.status !== "failed") {
    differences.push({ quantity: "status", recorded: recorded.status, now: now.status, limit: null, worse: true });
  }
  for (const { quantity, key, sign, allowed } of checks) {
    const [before, after] = [recorded[key] ?? null, now[key] ?? null];
    if (before === null && after === null) continue;
    // Which of the two is known is the better one.
    const change =
      before === null ? Number.NEGATIVE_INFINITY : after === null ? Number.POSITIVE_INFINITY : sign * (after - before);
    if (Math.abs(change) <= allowed) continue;
    const limit = before === null ? null : before + sign * allowed;
    differences.push({ quantity, recorded: before, now: after, limit, worse: change > 0 });
  }
  return differences;
}
