import { halvesOf } from "../dual/steps.js";
import type { Graph } from "../instance/instance.js";

/** A range of a list of detections, pairs or chunks on the device. */
export interface Range {
  readonly first: number;
  readonly count: number;
}

/** What the kernels have as `lists`, one after the other: by detection where the edges into it begin among these, detections by pair, and edges. */
export interface DetectionLists {
  /** Without the edges: those into detection d are lists[listed[d]] … lists[listed[d + 1] − 1], links first. */
  readonly listed: Uint32Array;
  /** Heads of the even and of the odd pairs, tails likewise without those of the first frame, and all tails: ranges of `listed`. */
  readonly heads: readonly [Range, Range];
  readonly tails: readonly [Range, Range];
  readonly pairTails: readonly [Range, Range];
}

export function listDetections({ frames, frameStart, inStart }: Graph): DetectionLists {
  const halves = halvesOf(frames - 1);
  const listed = new Uint32Array(inStart.length + 3 * frameStart[frames]);
  let end = inStart.length;
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
  // A loop: iterators over a million numbers take a tenth of a second.
  for (let d = 0; d < inStart.length; d++) listed[d] = end + inStart[d];
  return { listed: listed.subarray(0, end), heads, tails, pairTails };
}
