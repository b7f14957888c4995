import type { ResultRow } from "../../rows/results.js";
import type { Measured, Tolerance } from "./baseline.js";

/** One quantity of one case that moved by more than its tolerance. */
export interface Difference {
  readonly quantity: "status" | "lower bound" | "tracks" | "gap" | "MMEP" | "ITCP";
  readonly recorded: number | string | null;
  readonly now: number | string | null;
  /** What would still have passed; null where that is the recorded value alone. */
  readonly limit: number | null;
  readonly worse: boolean;
}

export function measure({ status, lowerBound, upperBound, gapPercent, scores }: ResultRow): Measured {
  return { status, lowerBound, upperBound, gapPercent, mmep: scores?.mmep ?? null, itcp: scores?.itcp ?? null };
}

/**
 * What differs from the recorded numbers by more than the tolerance, better or worse. A lower bound is worse when it is lower;
 * the tracks' cost, the gap and the scores when they are higher; a number that is not known any more is worse, too.
 */
export function compare(recorded: Measured, now: Measured, tolerance: Tolerance): Difference[] {
  const relative = (value: number | null) => tolerance.bound * Math.abs(value ?? 0);
  const checks = [
    { quantity: "lower bound", key: "lowerBound", sign: -1, allowed: relative(recorded.lowerBound) },
    { quantity: "tracks", key: "upperBound", sign: 1, allowed: relative(recorded.upperBound) },
    { quantity: "gap", key: "gapPercent", sign: 1, allowed: tolerance.gap },
    { quantity: "MMEP", key: "mmep", sign: 1, allowed: tolerance.mmep },
    { quantity: "ITCP", key: "itcp", sign: 1, allowed: tolerance.itcp },
  ] as const;
  const differences: Difference[] = [];
  if (now.status === "failed" && recorded.status !== "failed") {
    differences.push({ quantity: "status", recorded: recorded.status, now: now.status, limit: null, worse: true });
  }
  for (const { quantity, key, sign, allowed } of checks) {
    const [before, after] = [recorded[key], now[key]];
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
