import type { Comparison } from "./comparison.js";

/**
 * One number about tracks whose true targets are known. To add one: a file in src/scores/metrics that exports a Metric, and a line in
 * src/scores/metrics.ts. Result rows, `solve`, `evaluate`, the regression of accuracy and the report find it there.
 */
export interface Metric {
  /** Its name in tables and on axes. */
  readonly label: string;
  /** The definition in words, as a share of two counts. */
  readonly title: string;
  /** "%", "" for a count, or "c" for a length in units of the reach c. */
  readonly unit: "%" | "" | "c";
  /** Which way is better; null where neither is. */
  readonly better: "less" | "more" | null;
  /** null where it is not defined, such as a share of nothing. */
  of(comparison: Comparison): number | null;
}

/** 100 · part / whole, null of nothing. */
export function percentOf(part: number, whole: number): number | null {
  return whole === 0 ? null : (100 * part) / whole;
}
