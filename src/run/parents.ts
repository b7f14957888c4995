import { frameOfDetections } from "../core/detections.js";
import { type FrameNumbers, frameNumber } from "../core/frame-numbers.js";
import type { Division } from "../costs/motion/divisions.js";
import type { divisionsOf } from "./motion-passes.js";

/** The mother's track of each track that begins where she divides. */
export type Parents = ReadonlyMap<number, number>;

/**
 * The divisions that the tracks have: a mother's track ends with her, and both daughters' tracks begin in the next frame.
 * @param track of each detection
 */
export function parentsOf(divisions: readonly Division[], track: Int32Array, frameStart: Uint32Array): Parents {
  const parents = new Map<number, number>();
  if (divisions.length === 0) return parents;
  const [first, last] = [new Map<number, number>(), new Map<number, number>()];
  track.forEach((one, d) => {
    if (!first.has(one)) first.set(one, d);
    last.set(one, d);
  });
  const frameOf = frameOfDetections(frameStart);
  for (const { mother, daughters } of divisions) {
    const begins = daughters.every((d) => first.get(track[d]) === d && frameOf[d] === frameOf[mother] + 1);
    if (!begins || last.get(track[mother]) !== mother) continue;
    for (const d of daughters) parents.set(track[d], track[mother]);
  }
  return parents;
}

/** Says where alone divisions were looked for, where they are priced there, and how many were seen too late to be priced. */
export function notesOfDivisions(
  { all, seenIn, unpriced }: ReturnType<typeof divisionsOf>,
  numbers: FrameNumbers,
): string[] {
  if (unpriced > 0) {
    const seem = unpriced === 1 ? "1 target seems" : `${unpriced} targets seem`;
    return [
      `${seem} to divide, which the next pass would price, so that mothers were named: leave --passes out, or give more time.`,
    ];
  }
  if (seenIn === null || all.length === 0) return [];
  const { firstFrame, detections } = seenIn;
  const [first, last] = [firstFrame, firstFrame + detections.frames - 1].map((p) => frameNumber(numbers, p));
  return [
    `Divisions are priced, and mothers named, in frames ${first} to ${last} alone, from which the costs were learned, as no pass over all frames followed: leave --passes out, or give more time.`,
  ];
}
