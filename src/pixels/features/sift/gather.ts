/** What a device's lists say, as keypoints in the twin's order. Lists are long and come with every frame, so that no record becomes an object. */
import { DESCRIPTOR_LENGTH, type Keypoints } from "../../../core/keypoints.js";
import type { StructLayout } from "../../../gpu/wgsl/struct-layout.js";

export interface SiftLists {
  /** Records of Place and Oriented, and DESCRIPTOR_LENGTH bytes for each of the latter. */
  readonly places: ArrayBuffer;
  readonly oriented: ArrayBuffer;
  readonly descriptors: ArrayBuffer;
}

export interface SiftLayouts {
  readonly place: StructLayout;
  readonly oriented: StructLayout;
}

/** Keypoints by octave, layer, row, column and place of the parabola, then angle; in pixels of the input. */
export function gatherKeypoints(lists: SiftLists, layouts: SiftLayouts, firstOctave: number): Keypoints {
  const place = (name: string) => layouts.place.floats(lists.places, name);
  const [x, y, sigma, response] = ["x", "y", "sigma", "response"].map(place);
  const level = layouts.place.integers(lists.places, "level");
  const order = orderOf(level, layouts.place.integers(lists.places, "pixel"), x, y);
  const placeOf = layouts.oriented.integers(lists.oriented, "place");
  const angle = layouts.oriented.floats(lists.oriented, "angle");
  const { start, member } = groupByPlace(placeOf, order.length, angle);
  const n = placeOf.length;
  const bytes = new Uint8Array(lists.descriptors);
  const out = {
    x: new Float32Array(n),
    y: new Float32Array(n),
    sigma: new Float32Array(n),
    angle: new Float32Array(n),
    response: new Float32Array(n),
    place: new Uint32Array(n),
    descriptors: new Uint8Array(n * DESCRIPTOR_LENGTH),
  };
  let to = 0;
  let number = 0;
  for (const p of order) {
    const spacing = 2 ** ((level[p] & 0xff) + firstOctave);
    for (let m = start[p]; m < start[p + 1]; m++, to++) {
      const k = member[m];
      out.x[to] = x[p] * spacing;
      out.y[to] = y[p] * spacing;
      out.sigma[to] = sigma[p] * spacing;
      out.angle[to] = angle[k];
      out.response[to] = response[p];
      out.place[to] = number;
      out.descriptors.set(bytes.subarray(DESCRIPTOR_LENGTH * k, DESCRIPTOR_LENGTH * (k + 1)), DESCRIPTOR_LENGTH * to);
    }
    if (start[p + 1] > start[p]) number++;
  }
  return out;
}

/** 2¹⁶: columns and rows are below it. */
const SIDE = 0x10000;

/** Places by octave, layer, row and column; two extrema that moved to one pixel by their place. */
function orderOf(level: Uint32Array, pixel: Uint32Array, x: Float32Array, y: Float32Array): Uint32Array {
  // Octave, layer, row and column in one number below 2⁴⁸.
  const key = Float64Array.from(
    level,
    (of, p) => (((of & 0xff) * 0x100 + (of >>> 8)) * SIDE + (pixel[p] >>> 16)) * SIDE + (pixel[p] & 0xffff),
  );
  return Uint32Array.from(key.keys()).sort((a, b) => key[a] - key[b] || y[a] - y[b] || x[a] - x[b]);
}

/** Numbers of the keypoints of each place, by angle: those of p from start[p] to start[p + 1]. */
function groupByPlace(placeOf: Uint32Array, places: number, angle: Float32Array) {
  const start = new Uint32Array(places + 1);
  for (const p of placeOf) start[p + 1]++;
  for (let p = 0; p < places; p++) start[p + 1] += start[p];
  const end = start.slice();
  const member = new Uint32Array(placeOf.length);
  for (let k = 0; k < placeOf.length; k++) {
    const p = placeOf[k];
    let at = end[p]++;
    // A place has four directions at most.
    for (; at > start[p] && angle[member[at - 1]] > angle[k]; at--) member[at] = member[at - 1];
    member[at] = k;
  }
  return { start, member };
}
