import { frameOfDetections } from "../../core/detections.js";
import { InputError } from "../../core/errors.js";
import { frameOfNumber } from "../../core/frame-numbers.js";
import type { NumberRange } from "../../core/range.js";
import { refuse } from "../../files/refusal.js";
import { compareLabels, comparePositions, type Lineages, requireSameAxes } from "../../scores/comparison.js";
import { type LineageScores, scoreLineages } from "../../scores/lineages.js";
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
  /** Who is whose mother, by targets and by tracks: with them lineages are scored as well. */
  readonly mothers?: Lineages | undefined;
  /** Frames by which a division may be early or late [0]. */
  readonly frameBuffer?: number | undefined;
}

/** The scores of tracks, their counts, and those of lineages where mothers are given. */
export type Evaluation = Scores & { readonly links: LinkCounts; readonly lineages?: LineageScores };

const TRACK: NumberRange = { least: -1, most: 2 ** 31 - 1, whole: true };

/**
 * Scores tracks against the true targets of the detections, as `rmap evaluate` does.
 * @param tracks the track of each detection, −1 for none, as `track` answers it; or points with tracks
 * @throws InputError for arrays that do not fit, with place, value and remedy
 */
export function evaluate(
  detections: DetectionArrays & { readonly target: Numbers },
  tracks: Numbers | PlacedTracks,
  { reach, mothers, frameBuffer = 0 }: EvaluateOptions = {},
): Evaluation {
  const { recording, rowOf } = recordingFrom("evaluate", detections);
  const { frames, frameStart, target } = recording.detections;
  if (target === null) refuse("evaluate, target", "is missing", "give the true target of each detection");
  const placed = (tracks: PlacedTracks) => {
    const truth = { ...recording.detections, frame: frameOfDetections(frameStart), identity: target };
    const answer = pointsFrom(tracks, (number) => frameOfNumber(recording.numbers, number), frames);
    requireSameAxes("evaluate", truth, answer, "give z in both, or in neither");
    const within = reachOf(reach);
    return (lineages: Lineages | null) => comparePositions(frames, truth, answer, within, lineages);
  };
  const labelled = (tracks: Numbers) => {
    const labels = labelsFrom(tracks, rowOf, reach);
    return (lineages: Lineages | null) => compareLabels(frameStart, target, labels, lineages);
  };
  if (!(frameBuffer >= 0 && Number.isInteger(frameBuffer)))
    refuse("evaluate, frameBuffer", `is ${frameBuffer}`, "give a whole number of frames");
  const compared = "track" in tracks ? placed(tracks) : labelled(tracks);
  const comparison = compared(null);
  const scores = scoreTracks(comparison);
  if (scores === null) throw new InputError("evaluate, target: no target is seen twice; there is nothing to score");
  const lineages = mothers && { lineages: scoreLineages(compared(mothers), frameBuffer) };
  return { ...scores, links: linkCounts(comparison), ...lineages };
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
