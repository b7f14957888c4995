/**
 * What a device's lists say, as keypoints in the twin's order. Lists are long and come with every frame: no record becomes an object, and loops are short functions
 * that an engine compiles within the first frame.
 */
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

/** Memory for what is needed while keypoints are gathered, kept from frame to frame: fresh memory takes longer to get than to fill. */
export class Scratch {
  #words = new Uint32Array(0);
  #used = 0;

  /** From here on all of it is free. */
  restart(): void {
    if (this.#used > this.#words.length) this.#words = new Uint32Array(Math.ceil(1.25 * this.#used));
    this.#used = 0;
  }

  /** So many words, with whatever is in them. */
  take(count: number): Uint32Array {
    const first = this.#used;
    this.#used += count;
    return this.#used <= this.#words.length ? this.#words.subarray(first, this.#used) : new Uint32Array(count);
  }
}

/**
 * Memory for so many keypoints, touched: the system gives memory page by page when it is first written to, which takes as long as to fill it with
 * descriptors. While a device works there is time for it.
 */
export function memoryFor(keypoints: number): Keypoints {
  const floats = () => new Float32Array(keypoints).fill(0);
  return {
    x: floats(),
    y: floats(),
    sigma: floats(),
    angle: floats(),
    response: floats(),
    place: new Uint32Array(keypoints).fill(0),
    descriptors: new Uint8Array(DESCRIPTOR_LENGTH * keypoints).fill(0),
  };
}

/**
 * Keypoints by octave, layer, row, column and place of the parabola, then angle; in pixels of the input.
 * @param memory that the result takes, if it has room
 */
export function gatherKeypoints(
  { places, oriented, descriptors }: SiftLists,
  { place, oriented: direction }: SiftLayouts,
  firstOctave: number,
  scratch = new Scratch(),
  memory = memoryFor(0),
): Keypoints {
  scratch.restart();
  const floats = new Float32Array(places.buffer, places.byteOffset, places.length);
  const [words, x, y] = [place.words, place.wordOf("x"), place.wordOf("y")];
  const level = column(places, words, place.wordOf("level"), scratch);
  const pixel = column(places, words, place.wordOf("pixel"), scratch);
  const order = orderOf(level, pixel, scratch);
  const position = (p: number) => [floats[words * p + y], floats[words * p + x]];
  settleTies(order, level, pixel, position);
  const placeOf = column(oriented, direction.words, direction.wordOf("place"), scratch);
  const angles = new Float32Array(oriented.buffer, oriented.byteOffset, oriented.length);
  const angle = { values: angles, words: direction.words, first: direction.wordOf("angle") };
  const from = byPlaceAndAngle(order, placeOf, angle, scratch);
  const at = taken(placeOf, from, scratch);
  const spacing = spacings(level, at, firstOctave, scratch);
  const count = from.length;
  const room = memory.x.length < count ? memoryFor(count) : memory;
  const floatsOf = (name: "x" | "y" | "sigma" | "response") =>
    floatsTaken({ values: floats, words, first: place.wordOf(name) }, at, room[name].subarray(0, count));
  return {
    x: scaled(floatsOf("x"), spacing),
    y: scaled(floatsOf("y"), spacing),
    sigma: scaled(floatsOf("sigma"), spacing),
    angle: floatsTaken(angle, from, room.angle.subarray(0, count)),
    response: floatsOf("response"),
    place: numbered(at, room.place.subarray(0, count)),
    descriptors: descriptorsTaken(descriptors, from, room.descriptors.subarray(0, DESCRIPTOR_LENGTH * count)),
  };
}

/** A field of records of so many words. */
interface Field {
  readonly values: Float32Array;
  readonly words: number;
  readonly first: number;
}

function column(records: Uint32Array, words: number, first: number, scratch: Scratch): Uint32Array {
  const out = scratch.take(records.length / words);
  for (let k = 0; k < out.length; k++) out[k] = records[words * k + first];
  return out;
}

/** Places by octave, layer, row and column. */
function orderOf(level: Uint32Array, pixel: Uint32Array, scratch: Scratch): Uint32Array {
  const order = scratch.take(level.length);
  for (let p = 0; p < order.length; p++) order[p] = p;
  const byColumn = sortedBy(order, pixel, 0, 0xffff, scratch);
  const byRow = sortedBy(byColumn, pixel, 16, 0xffff, scratch);
  const byLayer = sortedBy(byRow, level, 8, 0xff, scratch);
  return sortedBy(byLayer, level, 0, 0xff, scratch);
}

/** By some bits of each number's value; equal ones keep their order. A comparison sort took most of the host's time for a frame. */
function sortedBy(order: Uint32Array, values: Uint32Array, shift: number, mask: number, scratch: Scratch): Uint32Array {
  let most = 0;
  for (let p = 0; p < values.length; p++) {
    const value = (values[p] >>> shift) & mask;
    if (value > most) most = value;
  }
  const next = scratch.take(most + 2).fill(0);
  for (let p = 0; p < values.length; p++) next[((values[p] >>> shift) & mask) + 1]++;
  for (let v = 1; v < next.length; v++) next[v] += next[v - 1];
  const sorted = scratch.take(order.length);
  for (let k = 0; k < order.length; k++) {
    const value = (values[order[k]] >>> shift) & mask;
    sorted[next[value]] = order[k];
    next[value]++;
  }
  return sorted;
}

/** Two extrema that moved to one pixel: by their places. */
function settleTies(
  order: Uint32Array,
  level: Uint32Array,
  pixel: Uint32Array,
  position: (place: number) => readonly number[],
): void {
  for (let k = 1; k < order.length; k++) {
    const p = order[k];
    let at = k;
    for (; at > 0 && pixel[order[at - 1]] === pixel[p] && level[order[at - 1]] === level[p]; at--) {
      const [[y, x], [otherY, otherX]] = [position(p), position(order[at - 1])];
      if (otherY < y || (otherY === y && otherX <= x)) break;
      order[at] = order[at - 1];
    }
    order[at] = p;
  }
}

/** Numbers of the keypoints by the order of their places, then by angle. */
function byPlaceAndAngle(order: Uint32Array, placeOf: Uint32Array, angle: Field, scratch: Scratch): Uint32Array {
  const { values, words, first } = angle;
  const rank = scratch.take(order.length);
  for (let k = 0; k < order.length; k++) rank[order[k]] = k;
  // Where a place's keypoints end so far; they begin where the place before will end.
  const start = scratch.take(order.length + 1).fill(0);
  for (let k = 0; k < placeOf.length; k++) start[rank[placeOf[k]] + 1]++;
  for (let p = 0; p < order.length; p++) start[p + 1] += start[p];
  const end = scratch.take(order.length);
  end.set(start.subarray(0, order.length));
  const member = scratch.take(placeOf.length);
  for (let k = 0; k < placeOf.length; k++) {
    const p = rank[placeOf[k]];
    const own = values[words * k + first];
    let at = end[p];
    end[p]++;
    // A place has four directions at most.
    for (; at > start[p] && values[words * member[at - 1] + first] > own; at--) member[at] = member[at - 1];
    member[at] = k;
  }
  return member;
}

function taken(values: Uint32Array, at: Uint32Array, scratch: Scratch): Uint32Array {
  const out = scratch.take(at.length);
  for (let k = 0; k < out.length; k++) out[k] = values[at[k]];
  return out;
}

/** Pixels of the input from one to the next of the octave of each keypoint's place. */
function spacings(level: Uint32Array, at: Uint32Array, firstOctave: number, scratch: Scratch): Float32Array {
  const words = scratch.take(at.length);
  const out = new Float32Array(words.buffer, words.byteOffset, words.length);
  const ofOctave = Float32Array.from({ length: 256 }, (_, octave) => 2 ** (octave + firstOctave));
  for (let k = 0; k < out.length; k++) out[k] = ofOctave[level[at[k]] & 0xff];
  return out;
}

function floatsTaken({ values, words, first }: Field, at: Uint32Array, out: Float32Array): Float32Array {
  for (let k = 0; k < out.length; k++) out[k] = values[words * at[k] + first];
  return out;
}

function scaled(values: Float32Array, by: Float32Array): Float32Array {
  for (let k = 0; k < values.length; k++) values[k] *= by[k];
  return values;
}

/** Numbers of the places from 0 on, for the places of keypoints in their order. */
function numbered(places: Uint32Array, out: Uint32Array): Uint32Array {
  if (out.length > 0) out[0] = 0;
  for (let k = 1; k < out.length; k++) out[k] = out[k - 1] + (places[k] === places[k - 1] ? 0 : 1);
  return out;
}

/** Copied word by word, eight at a time: a call for each descriptor takes twice as long, and so does a word at a time. */
function descriptorsTaken(descriptors: Uint32Array, from: Uint32Array, out: Uint8Array): Uint8Array {
  const words = new Uint32Array(out.buffer, out.byteOffset, out.length / 4);
  for (let k = 0; k < from.length; k++) {
    let at = DESCRIPTOR_WORDS * from[k];
    const end = DESCRIPTOR_WORDS * (k + 1);
    for (let to = DESCRIPTOR_WORDS * k; to < end; to += 8, at += 8) {
      words[to] = descriptors[at];
      words[to + 1] = descriptors[at + 1];
      words[to + 2] = descriptors[at + 2];
      words[to + 3] = descriptors[at + 3];
      words[to + 4] = descriptors[at + 4];
      words[to + 5] = descriptors[at + 5];
      words[to + 6] = descriptors[at + 6];
      words[to + 7] = descriptors[at + 7];
    }
  }
  return out;
}
