import { quantileSorted } from "d3-array";

/** Median and the middle half (first and third quartile) of some values. */
export interface Summary {
  readonly count: number;
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** null where there is no value. */
export function summarise(values: readonly number[]): Summary | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const [low, median, high] = [0.25, 0.5, 0.75].map((p) => quantileSorted(sorted, p) as number);
  return { count: values.length, median, low, high };
}

/** The p-th root of the product of p positive values. */
export function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

/** `digits` significant digits without an exponent where that is readable; "–" for no number. */
export function formatNumber(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e15) return value.toExponential(digits - 1).replace("e+", "e");
  const rounded = Number(value.toPrecision(digits));
  return size >= 10 ** digits
    ? Math.round(value).toLocaleString("en-US")
    : rounded.toFixed(Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(rounded)))));
}

/** "median (low – high)", without the brackets where all are equal. */
export function formatSummary(summary: Summary | null): string {
  if (summary === null) return "–";
  const [median, low, high] = [summary.median, summary.low, summary.high].map((value) => formatNumber(value));
  return low === high && low === median ? median : `${median} (${low} – ${high})`;
}

export function formatRatio(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : `${formatNumber(value)} ×`;
}

/** Seconds in the unit that suits their size. */
export function formatSeconds(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0 s";
  if (value < 1e-3) return `${formatNumber(value * 1e6)} µs`;
  return value < 1 ? `${formatNumber(value * 1e3)} ms` : `${formatNumber(value)} s`;
}

/** "3 runs", "1 run". */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}
