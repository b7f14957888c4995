import type { GpuSession } from "../../gpu/session.js";
import type { BenchRow } from "../../rows/bench.js";
import { provenance } from "../../rows/provenance.js";
import { type BusyWork, geometricMean, type Spread } from "./timing.js";

/** N and T. */
export interface BenchSize {
  readonly n: number;
  readonly t: number;
}

export interface BenchOptions {
  readonly session: GpuSession;
  readonly busy: BusyWork;
  /** Seconds since some fixed time. */
  readonly now: () => number;
  readonly repetitions: number;
  /** Seconds for the naive engine at one size. */
  readonly timeLimit: number;
  /** Worker threads of the CPU engine. */
  readonly threads: number;
  readonly seed: number;
}

/** The result of one size; each time is of certified answers. */
export interface Comparison {
  readonly naiveSeconds: Spread;
  readonly enhancedSeconds: Spread;
  readonly cpuSeconds: Spread;
  /** The naive engine was stopped: its time, and the ratio, are at least this. */
  readonly atLeast?: true;
  /** The naive engine's time is that of `done` parts, times of / done. */
  readonly extrapolated?: { readonly done: number; readonly of: number };
  /** Further fields of the row. */
  readonly details: Readonly<Record<string, unknown>>;
}

export function benchRowOf(
  benchmark: BenchRow["benchmark"],
  { n, t }: BenchSize,
  comparison: Comparison,
  { session, threads, seed }: BenchOptions,
): BenchRow {
  const { naiveSeconds, enhancedSeconds, cpuSeconds, atLeast, extrapolated, details } = comparison;
  return {
    benchmark,
    n,
    t,
    naiveSeconds: { ...naiveSeconds },
    enhancedSeconds: { ...enhancedSeconds },
    cpuSeconds: { ...cpuSeconds },
    ratio: naiveSeconds.median / enhancedSeconds.median,
    cpuRatio: cpuSeconds.median / enhancedSeconds.median,
    ...(atLeast && { atLeast }),
    ...(extrapolated && { extrapolated }),
    device: session.description.name,
    certified: true,
    repetitions: enhancedSeconds.repetitions,
    threads,
    seed,
    ...details,
    ...provenance(new Date()),
  };
}

/** Over the sizes: a mean of at-least ratios is at least the mean. */
export function meansOf(rows: readonly BenchRow[]) {
  return {
    ratio: geometricMean(rows.map((row) => row.ratio)),
    cpuRatio: geometricMean(rows.map((row) => row.cpuRatio as number)),
    atLeast: rows.some((row) => row.atLeast === true),
  };
}
