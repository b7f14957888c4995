/** Where the scale space lies on the device: octave after octave in one buffer. */
import { GAUSSIANS, octaveCount } from "./scale-space.js";
import { pitchOf } from "./space.js";

/** Side of a tile of the blurs, and of those of the extrema kernel, which are squares. */
export const TILE_WIDTH = 32;

export interface DeviceOctave {
  /** Of its first number. */
  readonly offset: number;
  readonly width: number;
  readonly height: number;
  /** The first workgroup of the extrema kernel. */
  readonly firstGroup: number;
}

export interface DeviceOctaves {
  readonly octaves: readonly DeviceOctave[];
  /** Numbers of the whole scale space. */
  readonly numbers: number;
  /** Rows of all octaves. */
  readonly rows: number;
  /** Workgroups of the extrema kernel. */
  readonly groups: number;
}

export function layOutOctaves(width: number, height: number, firstOctave: number): DeviceOctaves {
  const octaves: DeviceOctave[] = [];
  let [w, h] = [width * 2 ** -firstOctave, height * 2 ** -firstOctave];
  let [numbers, rows, groups] = [0, 0, 0];
  for (let o = 0; o < octaveCount(width, height, firstOctave); o++) {
    octaves.push({ offset: numbers, width: w, height: h, firstGroup: groups });
    numbers += GAUSSIANS * pitchOf(w) * h;
    rows += h;
    groups += Math.ceil(w / TILE_WIDTH) * Math.ceil(h / TILE_WIDTH);
    [w, h] = [w >> 1, h >> 1];
  }
  return { octaves, numbers, rows, groups };
}
