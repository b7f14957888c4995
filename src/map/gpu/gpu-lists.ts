import { halvesOf } from "../dual/steps.js";
import type { Graph } from "../instance/instance.js";

/** A range of a list of detections or pairs on the device. */
export interface Range {
  readonly first: number;
  readonly count: number;
}

/** Detections by the parity of a frame pair that they belong to. */
export interface DetectionLists {
  readonly listed: Uint32Array;
  /** Heads of the even and of the odd pairs, tails likewise without those of the first frame, and all tails: ranges of `listed`. */
  readonly heads: readonly [Range, Range];
  readonly tails: readonly [Range, Range];
  readonly pairTails: readonly [Range, Range];
}

export function listDetections({ frames, frameStart }: Graph): DetectionLists {
  const halves = halvesOf(frames - 1);
  const listed = new Uint32Array(3 * frameStart[frames]);
  let end = 0;
  const range = (half: readonly number[], frameOf: (pair: number) => number): Range => {
    const first = end;
    for (const pair of half) {
      const frame = frameOf(pair);
      for (let d = frameStart[frame]; d < frameStart[frame + 1]; d++) listed[end++] = d;
    }
    return { first, count: end - first };
  };
  const ranges = ([even, odd]: typeof halves, frameOf: (pair: number) => number) =>
    [range(even, frameOf), range(odd, frameOf)] as const;
  const heads = ranges(halves, (pair) => pair + 1);
  const tails = ranges([halves[0].slice(1), halves[1]], (pair) => pair);
  const pairTails = ranges(halves, (pair) => pair);
  return { listed: listed.subarray(0, end), heads, tails, pairTails };
}
