/** What a device's lists say, as keypoints in the twin's order. Lists are long and come with every frame, so that no record becomes an object. */
import { DESCRIPTOR_LENGTH, type Keypoints } from "../../../core/keypoints.js";
import type { StructLayout } from "../../../gpu/wgsl/struct-layout.js";

/** Words of so many records of Place and Oriented, and of DESCRIPTOR_LENGTH bytes for each of the latter. They are read only. */
export interface SiftLists {
  readonly places: Uint32Array;
  readonly oriented: Uint32Array;
  readonly descriptors: Uint32Array;
}

export interface SiftLayouts {
  readonly place: StructLayout;
  readonly oriented: StructLayout;
}

const DESCRIPTOR_WORDS = DESCRIPTOR_LENGTH / 4;

/** Keypoints by octave, layer, row, column and place of the parabola, then angle; in pixels of the input. */
export function gatherKeypoints(lists: SiftLists, layouts: SiftLayouts, firstOctave: number): Keypoints {
  const { places, oriented, descriptors } = lists;
  const [px, py, psigma, presponse] = ["x", "y", "sigma", "response"].map((name) => layouts.place.floats(places, name));
  const level = layouts.place.integers(places, "level");
  const order = orderOf(level, layouts.place.integers(places, "pixel"), px, py);
  const placeOf = layouts.oriented.integers(oriented, "place");
  const angles = layouts.oriented.floats(oriented, "angle");
  const { start, member } = groupByPlace(placeOf, order.length, angles);
  const n = placeOf.length;
  const [x, y, sigma, angle, response] = Array.from({ length: 5 }, () => new Float32Array(n));
  const place = new Uint32Array(n);
  /** Where each keypoint lies in the lists. */
  const from = new Uint32Array(n);
  let to = 0;
  let number = 0;
  for (const p of order) {
    const spacing = 2 ** ((level[p] & 0xff) + firstOctave);
    for (let m = start[p]; m < start[p + 1]; m++, to++) {
      const k = member[m];
      x[to] = px[p] * spacing;
      y[to] = py[p] * spacing;
      sigma[to] = psigma[p] * spacing;
      angle[to] = angles[k];
      response[to] = presponse[p];
      place[to] = number;
      from[to] = k;
    }
    if (start[p + 1] > start[p]) number++;
  }
  return { x, y, sigma, angle, response, place, descriptors: descriptorsOf(descriptors, from) };
}

/** In the order of `from`. Copied word by word: a call for each descriptor takes longer than its copy. */
function descriptorsOf(descriptors: Uint32Array, from: Uint32Array): Uint8Array {
  const words = new Uint32Array(from.length * DESCRIPTOR_WORDS);
  for (let k = 0; k < from.length; k++) {
    const [at, to] = [DESCRIPTOR_WORDS * from[k], DESCRIPTOR_WORDS * k];
    for (let w = 0; w < DESCRIPTOR_WORDS; w++) words[to + w] = descriptors[at + w];
  }
  return new Uint8Array(words.buffer);
}

/** Places by octave, layer, row and column; two extrema that moved to one pixel by their place. */
function orderOf(level: Uint32Array, pixel: Uint32Array, x: Float32Array, y: Float32Array): Uint32Array {
  let order = Uint32Array.from(level.keys());
  order = sortedBy(
    order,
    pixel.map((of) => of & 0xffff),
  );
  order = sortedBy(
    order,
    pixel.map((of) => of >>> 16),
  );
  // Octaves and layers are a few: what is in one word as layer, octave becomes octave, layer.
  order = sortedBy(
    order,
    level.map((of) => ((of & 0xff) << 8) | (of >>> 8)),
  );
  for (let k = 1; k < order.length; k++) {
    const p = order[k];
    let at = k;
    for (; at > 0; at--) {
      const q = order[at - 1];
      if (pixel[q] !== pixel[p] || level[q] !== level[p] || (y[q] - y[p] || x[q] - x[p]) <= 0) break;
      order[at] = q;
    }
    order[at] = p;
  }
  return order;
}

/** By the value of each number, below 2¹⁶; equal ones keep their order. A comparison sort takes most of the host's time for a frame. */
function sortedBy(order: Uint32Array, value: Uint32Array): Uint32Array<ArrayBuffer> {
  const next = new Uint32Array(value.reduce((a, b) => Math.max(a, b), 0) + 2);
  for (const v of value) next[v + 1]++;
  for (let v = 1; v < next.length; v++) next[v] += next[v - 1];
  const sorted = new Uint32Array(order.length);
  for (const p of order) sorted[next[value[p]]++] = p;
  return sorted;
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
