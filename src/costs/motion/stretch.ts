import { type Detections, frameRange } from "../../core/detections.js";
import type { Odds } from "./estimate.js";
import { widened } from "./middle-frames.js";

/** Frames of a recording by which its costs are estimated. */
export interface Stretch {
  readonly detections: Detections;
  /** Its first frame and its first detection in the recording. */
  readonly firstFrame: number;
  readonly first: number;
}

/** Detections and frames that a stretch has at least: densities are fitted to 5,000 samples, and gaps and ends are seen in tracks of some length. */
const DETECTIONS = 10_000;
const FRAMES = 40;

/** A recording that is less than so many times as long is taken whole. */
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

/**
 * Odds of detections some of which the odds were learned from: those are known, all others follow from their places.
 * @param first the one that is the first of those learned from; negative where that comes before all
 */
export function oddsAround(
  { x, y }: Pick<Detections, "x" | "y">,
  first: number,
  odds: Odds,
): Pick<Odds, "birth" | "ends"> {
  const [birth, ends] = [new Float64Array(x.length), new Float64Array(x.length)];
  for (let d = 0; d < x.length; d++) {
    const known = d >= first && d < first + odds.birth.length;
    const here = known ? { birth: odds.birth[d - first], ends: odds.ends[d - first] } : odds.at(x[d], y[d]);
    birth[d] = here.birth;
    ends[d] = here.ends;
  }
  return { birth, ends };
}
