/** An assignment problem from features of many frames: pair costs, and triplet costs that see how a place's motion bends. */
import type { Displacements } from "./camera.js";
import { type Candidate, type LinkWeights, pairCost } from "./pairs.js";
import type { Places } from "./places.js";

export interface LinkCostOptions {
  readonly weights: LinkWeights;
  /** Added to every pair: above 0 fewer wrong links and fewer links. */
  readonly bias: number;
  /** Pairs that cost this much or more are left out. */
  readonly keep: number;
}

/** σ of a second difference in pixels (a frame²), and the second difference from which on all are alike. */
const BEND_SIGMA = 1.2;
const LARGEST_BEND = 8;
/** Cost of a triplet that bends more. */
const BROKEN = 3;

/** Rows frame, i, j, cost. */
export function pairRows(
  candidates: readonly (readonly Candidate[])[],
  { weights, bias, keep }: LinkCostOptions,
): number[][] {
  return candidates.flatMap((ofFrame, frame) =>
    ofFrame.flatMap((candidate) => {
      const cost = pairCost(candidate, weights, bias);
      return cost < keep ? [[frame, candidate.i, candidate.j, cost]] : [];
    }),
  );
}

/**
 * Rows frame, i, j, k, cost of every two pairs that meet: m / (2 · 1.2²) − log(8² / (2 · 1.2²)) for m < 8², else 3; m the lesser of the square of
 * x_k − 2 x_j + x_i and that of the same less the camera's own. @param bends by frame; null for the first and the last
 */
export function tripletRows(
  pairs: readonly number[][],
  places: readonly Places[],
  bends: readonly (Displacements | null)[],
): number[][] {
  const from = places.map(() => new Map<number, number[]>());
  for (const [frame, i, j] of pairs) {
    const row = from[frame].get(i);
    if (row === undefined) from[frame].set(i, [j]);
    else row.push(j);
  }
  const reward = Math.log(LARGEST_BEND ** 2 / (2 * BEND_SIGMA ** 2));
  return pairs.flatMap(([frame, i, j]) =>
    (from[frame + 1].get(j) ?? []).map((k) => {
      const [a, b, c] = [places[frame], places[frame + 1], places[frame + 2]];
      const fx = c.x[k] - 2 * b.x[j] + a.x[i];
      const fy = c.y[k] - 2 * b.y[j] + a.y[i];
      const bend = bends[frame + 1];
      const still = bend === null ? Number.POSITIVE_INFINITY : (fx - bend.x[j]) ** 2 + (fy - bend.y[j]) ** 2;
      const m = Math.min(still, fx * fx + fy * fy);
      return [frame, i, j, k, m < LARGEST_BEND ** 2 ? m / (2 * BEND_SIGMA ** 2) - reward : BROKEN];
    }),
  );
}
