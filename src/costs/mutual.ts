import { type Detections, frameOfDetections } from "../core/detections.js";

/** Calls visit(j, c) for every candidate j of the next frame with the price c of leading i to it. */
export type Candidates = (i: number, visit: (j: number, price: number) => void) => void;

/**
 * Pairs that are each other's cheapest: next[i] = j when j is the cheapest successor of i and i the cheapest predecessor of j,
 * −1 elsewhere. Most are true links, whatever the scene, so their statistics replace those of the unknown true links.
 */
export function mutuallyCheapest(detections: number, candidates: Candidates): Int32Array {
  const next = new Int32Array(detections).fill(-1);
  const previous = new Int32Array(detections).fill(-1);
  const cheapestIn = new Float64Array(detections).fill(Number.POSITIVE_INFINITY);
  for (let i = 0; i < detections; i++) {
    let cheapest = Number.POSITIVE_INFINITY;
    candidates(i, (j, price) => {
      if (price < cheapest) {
        cheapest = price;
        next[i] = j;
      }
      if (price < cheapestIn[j]) {
        cheapestIn[j] = price;
        previous[j] = i;
      }
    });
  }
  return next.map((j, i) => (j >= 0 && previous[j] === i ? j : -1));
}

/** All detections of the next frame less than reach_i away, priced by `price`. */
export function withinReach(
  { frames, frameStart, x, y }: Detections,
  reach: Float64Array,
  price: (i: number, j: number) => number,
): Candidates {
  const frame = frameOfDetections(frameStart);
  return (i, visit) => {
    const p = frame[i];
    if (p + 1 === frames) return;
    for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) {
      const dx = x[j] - x[i];
      const dy = y[j] - y[i];
      if (dx * dx + dy * dy < reach[i] * reach[i]) visit(j, price(i, j));
    }
  };
}
