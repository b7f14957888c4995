/** Nearest neighbours of descriptors by exact integers: d² = Σ (a − b)² of 128 bytes is below 2²³. The twin of match.wgsl. */
import { DESCRIPTOR_LENGTH } from "../../core/keypoints.js";

/** For each descriptor of the first set; ties go to the lower index. */
export interface Neighbours {
  /** The nearest of the second set, or -1 where that is empty. */
  readonly nearest: Int32Array;
  /** d² to it and to the second nearest, 0xffffffff where there is none. */
  readonly best: Uint32Array;
  readonly second: Uint32Array;
}

const NO_DISTANCE = 0xffffffff;

export function nearestOnCpu(a: Uint8Array, b: Uint8Array): Neighbours {
  const [n, m] = [a.length / DESCRIPTOR_LENGTH, b.length / DESCRIPTOR_LENGTH];
  const found = {
    nearest: new Int32Array(n).fill(-1),
    best: new Uint32Array(n).fill(NO_DISTANCE),
    second: new Uint32Array(n).fill(NO_DISTANCE),
  };
  for (let i = 0; i < n; i++) {
    const from = i * DESCRIPTOR_LENGTH;
    for (let j = 0; j < m; j++) {
      const square = squareDistance(a, from, b, j * DESCRIPTOR_LENGTH);
      if (square < found.best[i]) {
        found.second[i] = found.best[i];
        found.best[i] = square;
        found.nearest[i] = j;
      } else if (square < found.second[i]) found.second[i] = square;
    }
  }
  return found;
}

/** Σ (a − b)² of the descriptors that begin there. */
export function squareDistance(a: Uint8Array, from: number, b: Uint8Array, at: number): number {
  let sum = 0;
  for (let k = 0; k < DESCRIPTOR_LENGTH; k++) {
    const difference = a[from + k] - b[at + k];
    sum += difference * difference;
  }
  return sum;
}

export interface MatchOptions {
  /** The nearest must be nearer than this share of the distance to the second nearest; 1 takes all. */
  readonly ratio: number;
  /** Each must be the nearest of the other. */
  readonly mutual: boolean;
}

export interface Matches {
  readonly i: Uint32Array;
  readonly j: Uint32Array;
  /** Euclidean distance of the descriptors. */
  readonly distance: Float32Array;
  /** Distance over that to the second nearest; 0 where there is no second. */
  readonly ratio: Float32Array;
}

/** Lowe's ratio test over neighbours that either device found; `back` is needed for mutual matches only. */
export function selectMatches(there: Neighbours, back: Neighbours | null, { ratio, mutual }: MatchOptions): Matches {
  const count = there.nearest.length;
  // Squares of integers are exact; a ratio of 1 keeps ties.
  const kept = new Uint32Array(count);
  let n = 0;
  for (let i = 0; i < count; i++) {
    const j = there.nearest[i];
    if (j < 0 || (mutual && back?.nearest[j] !== i)) continue;
    if (ratio >= 1 || there.best[i] < ratio * ratio * there.second[i]) kept[n++] = i;
  }
  const [i, j] = [kept.slice(0, n), new Uint32Array(n)];
  const [distance, share] = [new Float32Array(n), new Float32Array(n)];
  for (let k = 0; k < n; k++) {
    const { best, second, nearest } = there;
    const from = i[k];
    j[k] = nearest[from];
    distance[k] = Math.sqrt(best[from]);
    const hasSecond = second[from] !== NO_DISTANCE && second[from] !== 0;
    share[k] = hasSecond ? Math.sqrt(best[from] / second[from]) : 0;
  }
  return { i, j, distance, ratio: share };
}
