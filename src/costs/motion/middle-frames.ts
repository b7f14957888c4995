import type { Detections } from "../../core/detections.js";

/** Frames from … to − 1, widened by one on either side until their number and their detections are enough, or all frames are in. */
export function widened(
  { frames, frameStart }: Detections,
  [from, to]: readonly [number, number],
  isEnough: (detections: number, frames: number) => boolean,
): [number, number] {
  let [begin, end] = [from, to];
  while ((begin > 0 || end < frames) && !isEnough(frameStart[end] - frameStart[begin], end - begin)) {
    begin = Math.max(0, begin - 1);
    end = Math.min(frames, end + 1);
  }
  return [begin, end];
}

/** Number of detections in the middle frames from which more frames would add little. */
const ENOUGH = 20_000;

/** Frames begin … end − 1 around the middle that hold enough detections. */
export function middleFrames(detections: Detections): [number, number] {
  const middle = Math.floor(detections.frames / 2);
  return widened(detections, [middle, middle + 1], (held) => held >= ENOUGH);
}
