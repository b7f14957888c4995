/** Features of a frame as the tracker sees them: one detection a place, with all its directions and descriptors (Mücke's features, several a place). */
import { DESCRIPTOR_LENGTH, type Keypoints, pickKeypoints } from "../../../core/keypoints.js";
import { squareDistance } from "../match.js";

export interface Places {
  readonly count: number;
  /** Of each place, pixels. */
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly sigma: Float32Array;
  /** Keypoints of place p: keypointStart[p] … keypointStart[p + 1] − 1. */
  readonly keypointStart: Uint32Array;
  /** Of each keypoint, radians. */
  readonly angle: Float32Array;
  readonly descriptors: Uint8Array;
  /** Frames for which a place has been carried over misses; 0 for one that was detected. */
  readonly carried: Uint8Array;
}

/** The places of keypoints; of several at one point (extrema that the parabola moved to it) the first. */
export function placesOf(keypoints: Keypoints): Places {
  const { x, y, place } = keypoints;
  const seen = new Set<string>();
  const kept: number[] = [];
  const first: number[] = [];
  for (let k = 0, end = 0; k < x.length; k = end) {
    while (end < x.length && place[end] === place[k]) end++;
    const point = `${x[k]},${y[k]}`;
    if (seen.has(point)) continue;
    seen.add(point);
    first.push(kept.length);
    for (let l = k; l < end; l++) kept.push(l);
  }
  const { angle, descriptors, ...picked } = pickKeypoints(keypoints, kept);
  const ofPlaces = (values: Float32Array) => Float32Array.from(first, (k) => values[k]);
  return {
    count: first.length,
    x: ofPlaces(picked.x),
    y: ofPlaces(picked.y),
    sigma: ofPlaces(picked.sigma),
    keypointStart: Uint32Array.from([...first, kept.length]),
    angle,
    descriptors,
    carried: new Uint8Array(first.length),
  };
}

/**
 * New places with the directions given, and a descriptor for each direction.
 * @param directions of each place, radians
 * @param describeAt writes the descriptor of place p at an angle
 */
export function describedPlaces(
  { x, y, sigma, carried }: Pick<Places, "x" | "y" | "sigma" | "carried">,
  directions: readonly ArrayLike<number>[],
  describeAt: (p: number, angle: number, out: Uint8Array) => void,
): Places {
  const keypointStart = new Uint32Array(directions.length + 1);
  directions.forEach(({ length }, p) => {
    keypointStart[p + 1] = keypointStart[p] + length;
  });
  const angle = new Float32Array(keypointStart[directions.length]);
  const descriptors = new Uint8Array(DESCRIPTOR_LENGTH * angle.length);
  directions.forEach((ofPlace, p) => {
    angle.set(ofPlace, keypointStart[p]);
    for (let k = keypointStart[p]; k < keypointStart[p + 1]; k++) {
      describeAt(p, angle[k], descriptors.subarray(DESCRIPTOR_LENGTH * k, DESCRIPTOR_LENGTH * (k + 1)));
    }
  });
  return { count: directions.length, x, y, sigma, keypointStart, angle, descriptors, carried };
}

/** Both, the second after the first. */
export function joinPlaces(a: Places, b: Places): Places {
  const shift = a.keypointStart[a.count];
  return {
    count: a.count + b.count,
    x: joined(a.x, b.x),
    y: joined(a.y, b.y),
    sigma: joined(a.sigma, b.sigma),
    keypointStart: joined(
      a.keypointStart,
      b.keypointStart.subarray(1).map((k) => k + shift),
    ),
    angle: joined(a.angle, b.angle),
    descriptors: joined(a.descriptors, b.descriptors),
    carried: joined(a.carried, b.carried),
  };
}

/** Both in one array. An array of many elements cannot be spread into the arguments of a call. */
function joined<T extends Float32Array | Uint32Array | Uint8Array>(a: T, b: T): T {
  const all = new (a.constructor as new (length: number) => T)(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}

export interface Appearance {
  /** Least Euclidean distance of the descriptors over all pairs of directions; +∞ where one has none. */
  readonly distance: number;
  /** By how much the direction turned in that pair, radians. */
  readonly turn: number;
}

/** How much place i of one frame looks like place j of another. */
export function compareAppearance(a: Places, i: number, b: Places, j: number): Appearance {
  let [best, turn] = [Number.POSITIVE_INFINITY, 0];
  for (let k = a.keypointStart[i]; k < a.keypointStart[i + 1]; k++) {
    for (let l = b.keypointStart[j]; l < b.keypointStart[j + 1]; l++) {
      const square = squareDistance(a.descriptors, DESCRIPTOR_LENGTH * k, b.descriptors, DESCRIPTOR_LENGTH * l);
      if (square < best) [best, turn] = [square, b.angle[l] - a.angle[k]];
    }
  }
  return { distance: Math.sqrt(best), turn };
}
