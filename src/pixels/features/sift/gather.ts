/** Keypoints from a device's lists. Lists are long and come with every frame: no record becomes an object. */
import { DESCRIPTOR_LENGTH, type Keypoints } from "../../../core/keypoints.js";
import type { StructLayout } from "../../../gpu/wgsl/struct-layout.js";

/** Words of records of Place, and of Oriented and DESCRIPTOR_LENGTH bytes in the order of keypoints. They are read only. */
export interface SiftLists {
  readonly places: Uint32Array;
  readonly oriented: Uint32Array;
  readonly descriptors: Uint32Array;
}

export interface SiftLayouts {
  readonly place: StructLayout;
  readonly oriented: StructLayout;
}

const MOST_OCTAVES = 256;

/**
 * Memory for this number of keypoints, touched: the system gives memory page by page when it is first written to, which takes as long as to fill it with
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
 * Keypoints in pixels of the input.
 * @param memory that the result takes, if it has room
 */
export function gatherKeypoints(
  { places, oriented, descriptors }: SiftLists,
  { place, oriented: direction }: SiftLayouts,
  firstOctave: number,
  memory = memoryFor(0),
): Keypoints {
  const count = oriented.length / direction.words;
  const room = memory.x.length < count ? memoryFor(count) : memory;
  const found: Keypoints = {
    x: room.x.subarray(0, count),
    y: room.y.subarray(0, count),
    sigma: room.sigma.subarray(0, count),
    angle: room.angle.subarray(0, count),
    response: room.response.subarray(0, count),
    place: room.place.subarray(0, count),
    descriptors: room.descriptors.subarray(0, DESCRIPTOR_LENGTH * count),
  };
  found.descriptors.set(new Uint8Array(descriptors.buffer, descriptors.byteOffset, DESCRIPTOR_LENGTH * count));
  const floats = new Float32Array(places.buffer, places.byteOffset, places.length);
  const angles = new Float32Array(oriented.buffer, oriented.byteOffset, oriented.length);
  const [atX, atY, atSigma] = [place.wordOf("x"), place.wordOf("y"), place.wordOf("sigma")];
  const [atResponse, atLevel] = [place.wordOf("response"), place.wordOf("level")];
  const [atPlace, atAngle] = [direction.wordOf("place"), direction.wordOf("angle")];
  const { words } = place;
  // Pixels of the input from one to the next of an octave.
  const spacings = Float32Array.from({ length: MOST_OCTAVES }, (_, octave) => 2 ** (octave + firstOctave));
  let number = -1;
  let last = -1;
  for (let k = 0; k < count; k++) {
    const index = oriented[direction.words * k + atPlace];
    const at = words * index;
    const spacing = spacings[places[at + atLevel] & 0xff];
    if (index !== last) number++;
    last = index;
    found.x[k] = floats[at + atX] * spacing;
    found.y[k] = floats[at + atY] * spacing;
    found.sigma[k] = floats[at + atSigma] * spacing;
    found.angle[k] = angles[direction.words * k + atAngle];
    found.response[k] = floats[at + atResponse];
    found.place[k] = number;
  }
  return found;
}
