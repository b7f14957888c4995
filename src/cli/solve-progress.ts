import type { ExactProgress } from "../map/exact/exact-run.js";
import type { HistoryRow } from "../map/solution.js";
import type { Progress } from "./progress.js";
import { formatNumber, formatPercent } from "./text.js";

/** Progress of pricing and of estimating costs, for makeInstance. */
export const showInstance = (progress: Progress) => ({
  priced: showPricing(progress),
  iterated: showIteration(progress),
});

export const showPricing =
  (progress: Progress) =>
  (done: number, total: number): void =>
    progress.show("pricing", done, total);

export const showIteration =
  (progress: Progress) =>
  ({ iteration, lowerBound, upperBound, gap, seconds }: HistoryRow): void =>
    progress.show("iteration", iteration, undefined, () => {
      const bounds = `bound ${formatNumber(lowerBound)}  tracks ${formatNumber(upperBound)}`;
      return `  ${bounds}  gap ${formatPercent(100 * gap)}  ${seconds.toFixed(1)} s`;
    });

export const showExact =
  (progress: Progress) =>
  ({ lowerBound, upperBound, edges, triplets, cuts, leaves }: ExactProgress): void =>
    progress.show("exact, leaves", leaves, undefined, () => {
      const left = `room ${formatNumber(upperBound - lowerBound)}  ${edges} edges, ${triplets} triplets`;
      return `  ${left}  ${cuts} cuts`;
    });
