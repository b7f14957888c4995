import { type Detections, frameOfDetections, squareBetween } from "../core/detections.js";
import { gridsOfFrames } from "./cell-grid.js";

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
  detections: Detections,
  reach: Float64Array,
  price: (i: number, j: number) => number,
): Candidates {
  const { frames, frameStart, x, y, z } = detections;
  const square = squareBetween(detections);
  const frame = frameOfDetections(frameStart);
  const gridOf = gridsOfFrames(detections);
  return (i, visit) => {
    const p = frame[i];
    if (p + 1 === frames) return;
    const grid = gridOf(p + 1);
    const count = grid.near(x[i], y[i], z?.[i] ?? 0, reach[i]);
    for (let n = 0; n < count; n++) {
      const j = grid.found[n];
      if (square(i, j) < reach[i] * reach[i]) visit(j, price(i, j));
    }
  };
}

/** Pairs of consecutive frames that are each other's nearest, as of mutuallyCheapest: the first one of equals. */
export function mutuallyNearest(detections: Detections): Int32Array {
  const { frames, frameStart, x, y, z } = detections;
  const gridOf = gridsOfFrames(detections);
  const next = new Int32Array(x.length).fill(-1);
  for (let p = 0; p + 1 < frames; p++) {
    const [from, to] = [gridOf(p), gridOf(p + 1)];
    for (let i = frameStart[p]; i < frameStart[p + 1]; i++) {
      const j = to.nearest(x[i], y[i], z?.[i] ?? 0, detections);
      if (j >= 0 && from.nearest(x[j], y[j], z?.[j] ?? 0, detections) === i) next[i] = j;
    }
  }
  return next;
}
