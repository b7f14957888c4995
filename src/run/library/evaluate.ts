import { frameOfDetections } from "../../core/detections.js";
import { InputError } from "../../core/errors.js";
import { frameOfNumber } from "../../core/frame-numbers.js";
import type { NumberRange } from "../../core/range.js";
import { refuse } from "../../files/refusal.js";
import { compareLabels, comparePositions, requireSameAxes } from "../../scores/comparison.js";
import { type LinkCounts, linkCounts } from "../../scores/links.js";
import { type Scores, scoreTracks } from "../../scores/metrics.js";
import { type Numbers, numbersIn, requireOneLength } from "./numbers.js";
import { type DetectionArrays, recordingFrom } from "./recording.js";

/** Tracks with positions of their own, as a tracker that smooths or interpolates gives them. */
export interface PlacedTracks {
  readonly frame: Numbers;
  readonly x: Numbers;
  readonly y: Numbers;
  /** Where the detections have it. */
  readonly z?: Numbers | undefined;
  /** −1: in no track. */
  readonly track: Numbers;
}

export interface EvaluateOptions {
  /** For tracks with positions of their own: how far a point may be from a detection and still be it, a length. */
  readonly reach?: number | undefined;
}

const TRACK: NumberRange = { least: -1, most: 2 ** 31 - 1, whole: true };

/**
 * Scores tracks against the true targets of the detections, as `rmap evaluate` does.
 * @param tracks the track of each detection, −1 for none, as `track` answers it; or points with tracks
 * @throws InputError for arrays that do not fit, with place, value and remedy
 */
export function evaluate(
  detections: DetectionArrays & { readonly target: Numbers },
  tracks: Numbers | PlacedTracks,
  { reach }: EvaluateOptions = {},
): Scores & { readonly links: LinkCounts } {
  const { recording, rowOf } = recordingFrom("evaluate", detections);
  const { frames, frameStart, target } = recording.detections;
  if (target === null) refuse("evaluate, target", "is missing", "give the true target of each detection");
  const placed = (tracks: PlacedTracks) => {
    const truth = { ...recording.detections, frame: frameOfDetections(frameStart), identity: target };
    const answer = pointsFrom(tracks, (number) => frameOfNumber(recording.numbers, number), frames);
    requireSameAxes("evaluate", truth, answer, "give z in both, or in neither");
    return comparePositions(frames, truth, answer, reachOf(reach));
  };
  const comparison =
    "track" in tracks ? placed(tracks) : compareLabels(frameStart, target, labelsFrom(tracks, rowOf, reach));
  const scores = scoreTracks(comparison);
  if (scores === null) throw new InputError("evaluate, target: no target is seen twice; there is nothing to score");
  return { ...scores, links: linkCounts(comparison) };
}

function labelsFrom(tracks: Numbers, rowOf: Uint32Array, reach: number | undefined): Int32Array {
  if (reach !== undefined) refuse("evaluate, reach", "is for tracks with positions of their own", "leave it out");
  const labels = numbersIn("evaluate, tracks", tracks, TRACK);
  requireOneLength("evaluate", { frame: rowOf, tracks: labels });
  return Int32Array.from(rowOf, (row) => labels[row]);
}

function reachOf(reach: number | undefined): number {
  if (typeof reach === "number" && reach > 0) return reach;
  return refuse("evaluate, reach", reach === undefined ? "is missing" : `is ${reach}`, "give a length above 0");
}

function pointsFrom(given: PlacedTracks, frameOf: (number: number) => number, frames: number) {
  const column = (name: keyof PlacedTracks, range: NumberRange) =>
    numbersIn(`evaluate, tracks.${name}`, given[name], range);
  const anywhere = { least: -Number.MAX_VALUE, most: Number.MAX_VALUE };
  const number = column("frame", { least: 0, most: Number.MAX_SAFE_INTEGER, whole: true });
  const [x, y, track] = [column("x", anywhere), column("y", anywhere), column("track", TRACK)];
  const z = given.z === undefined ? null : column("z", anywhere);
  requireOneLength("evaluate, tracks", { frame: number, x, y, z, track });
  const frame = number.map(frameOf);
  const outside = frame.findIndex((at) => !Number.isInteger(at) || at < 0 || at >= frames);
  if (outside >= 0) {
    const remedy = "give points in the frames of the detections";
    refuse(`evaluate, tracks.frame[${outside}]`, `is ${number[outside]}, and there is no such frame`, remedy);
  }
  const order = Uint32Array.from(frame.keys()).sort((a, b) => frame[a] - frame[b] || a - b);
  const pick = (values: Float64Array) => Float64Array.from(order, (row) => values[row]);
  const places = { x: pick(x), y: pick(y), ...(z && { z: pick(z) }) };
  return { frame: Uint32Array.from(pick(frame)), ...places, identity: Int32Array.from(pick(track)) };
}
