import { type Detections, frameRange } from "../../core/detections.js";
import { widened } from "./middle-frames.js";

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
