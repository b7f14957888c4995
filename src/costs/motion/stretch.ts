import { type Detections, frameRange } from "../../core/detections.js";
import type { Odds } from "./estimate.js";

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
  let begin = Math.floor(frames / 2);
  let end = begin;
  while ((begin > 0 || end < frames) && (frameStart[end] - frameStart[begin] < DETECTIONS || end - begin < FRAMES)) {
    begin = Math.max(0, begin - 1);
    end = Math.min(frames, end + 1);
  }
  if (WORTH_IT * (frameStart[end] - frameStart[begin]) > frameStart[frames]) return null;
  return { detections: frameRange(recording, begin, end), firstFrame: begin, first: frameStart[begin] };
}

/** Odds of all detections of a recording: those of the stretch are known, all others follow from their places. */
export function oddsAround({ x, y }: Detections, { first }: Stretch, odds: Odds): Odds {
  const [birth, ends] = [new Float64Array(x.length), new Float64Array(x.length)];
  for (let d = 0; d < x.length; d++) {
    const known = d >= first && d < first + odds.birth.length;
    const here = known ? { birth: odds.birth[d - first], ends: odds.ends[d - first] } : odds.at(x[d], y[d]);
    birth[d] = here.birth;
    ends[d] = here.ends;
  }
  return { birth, ends, at: odds.at };
}
