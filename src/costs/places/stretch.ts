import { type Detections, frameRange } from "../../core/detections.js";

/** Frames of a recording by which its costs are estimated. */
export interface Stretch {
  readonly detections: Detections;
  /** Its first frame and its first detection in the recording. */
  readonly firstFrame: number;
  readonly first: number;
}

/** Least detections and frames of a stretch: densities are fitted to 5,000 samples, and gaps and ends are seen in tracks of some length. */
const DETECTIONS = 10_000;
const FRAMES = 20;

/** A recording that is less than this factor longer is taken whole. */
const WORTH_IT = 2.5;

/** Frames around the middle of a long recording; null where it is too short for that to pay. */
export function middleStretch(recording: Detections): Stretch | null {
  const { frames, frameStart } = recording;
  const middle = Math.floor(frames / 2);
  const enough = (held: number, wide: number) => held >= DETECTIONS && wide >= FRAMES;
  const [begin, end] = widened(recording, [middle, middle], enough);
  if (WORTH_IT * (frameStart[end] - frameStart[begin]) > frameStart[frames]) return null;
  return { detections: frameRange(recording, begin, end), firstFrame: begin, first: frameStart[begin] };
}

/** Frames from … to − 1, widened by one on either side until their number and their detections are enough, or all frames are in. */
function widened(
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
