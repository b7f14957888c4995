import type { BoundCost, MovingDetections } from "./cost.js";

/**
 * The three passes that price a problem, each over a range of detections. Every detection and every link writes to its own
 * places, so neither the ranges nor their order can change a byte of the result.
 */
export interface Candidates {
  readonly detections: MovingDetections;
  /** Length detections: a link i → j needs |p_i p_j| < reach_i. */
  readonly reach: Float64Array;
}

/** Pass 1: out[i] = number of links that leave i, for the detections of frames first … last − 1. */
export function countLinks({ detections, reach }: Candidates, first: number, last: number, out: Uint32Array): void {
  const { frameStart, x, y } = detections;
  for (let p = first; p < last; p++) {
    for (let i = frameStart[p]; i < frameStart[p + 1]; i++) {
      const square = reach[i] * reach[i];
      let links = 0;
      for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) {
        const dx = x[j] - x[i];
        const dy = y[j] - y[i];
        if (dx * dx + dy * dy < square) links++;
      }
      out[i] = links;
    }
  }
}

/** Links in order of (tail, head); those of detection i are outStart[i] … outStart[i + 1] − 1. */
export interface LinkArrays {
  readonly outStart: Uint32Array;
  readonly tail: Int32Array;
  readonly head: Int32Array;
  readonly cost: Float64Array;
  /** width numbers a link. */
  readonly perLink: Float64Array;
}

/** Pass 2: writes the links that leave the detections of frames first … last − 1. */
export function fillLinks(
  { detections, reach }: Candidates,
  { link }: BoundCost,
  width: number,
  first: number,
  last: number,
  { outStart, tail, head, cost, perLink }: LinkArrays,
): void {
  const { frameStart, x, y } = detections;
  for (let p = first; p < last; p++) {
    for (let i = frameStart[p]; i < frameStart[p + 1]; i++) {
      const square = reach[i] * reach[i];
      let e = outStart[i];
      for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) {
        const dx = x[j] - x[i];
        const dy = y[j] - y[i];
        if (!(dx * dx + dy * dy < square)) continue;
        tail[e] = i;
        head[e] = j;
        cost[e] = link(i, j, perLink, e * width);
        e++;
      }
    }
  }
}

export interface TripletArrays {
  /** Length links + 1. */
  readonly start: Uint32Array;
  readonly successor: Uint32Array;
  readonly cost: Float64Array;
}

/** Pass 3: writes the triplets that begin with links first … last − 1: link e goes on with every link out of its head. */
export function fillTriplets(
  { triplet }: BoundCost,
  width: number,
  first: number,
  last: number,
  { outStart, head, perLink }: LinkArrays,
  { start, successor, cost }: TripletArrays,
): void {
  for (let e = first; e < last; e++) {
    let t = start[e];
    const end = outStart[head[e] + 1];
    for (let f = outStart[head[e]]; f < end; f++) {
      successor[t] = f;
      cost[t] = triplet(perLink, e * width, f * width);
      t++;
    }
  }
}
