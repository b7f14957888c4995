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
  const listed: number[] = [];
  const list = (frame: number): void => {
    for (let d = frameStart[frame]; d < frameStart[frame + 1]; d++) listed.push(d);
  };
  const range = (half: readonly number[], add: (pair: number) => void): Range => {
    const first = listed.length;
    half.forEach(add);
    return { first, count: listed.length - first };
  };
  const ranges = (add: (pair: number) => void) => [range(halves[0], add), range(halves[1], add)] as const;
  const heads = ranges((p) => list(p + 1));
  const tails = ranges((p) => p > 0 && list(p));
  const pairTails = ranges(list);
  return { listed: Uint32Array.from(listed), heads, tails, pairTails };
}
