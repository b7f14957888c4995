import { z } from "zod";
import { frameOfDetections } from "../../core/detections.js";
import { InputError } from "../../core/errors.js";
import { frameOfNumber } from "../../core/frame-numbers.js";
import type { NumberRange } from "../../core/range.js";
import { refuse } from "../../files/refusal.js";
import { repeatInFrame } from "../../formats/frame-order.js";
import { compareLabels, comparePositions, type Lineages, requireSameAxes } from "../../scores/comparison.js";
import { type LineageScores, scoreLineages } from "../../scores/lineages.js";
import { type LinkCounts, linkCounts } from "../../scores/links.js";
import { type Scores, scoreTracks } from "../../scores/metrics.js";
import { type Numbers, numbersIn, requireOneLength } from "./numbers.js";
import { checkOptions } from "./options.js";
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

const isCount = (value: unknown) => Number.isInteger(value) && Number(value) >= 0;

const evaluateOptions = z.strictObject({
  reach: z.any().optional(),
  mothers: z.any().optional(),
  frameBuffer: z.custom<number>(isCount, "give a whole number of frames").optional(),
});

const TRACK: NumberRange = { least: -1, most: 2 ** 31 - 1, whole: true };

/**
 * Scores tracks against the true targets of the detections, as `rmap evaluate` does.
 * @param tracks the track of each detection, −1 for none, as `track` answers it; or points with tracks
 * @throws InputError for arrays that do not fit, with place, value and remedy
 */
export function evaluate(
  detections: DetectionArrays & { readonly target: Numbers },
  tracks: Numbers | PlacedTracks,
  options: EvaluateOptions = {},
): Evaluation {
  checkOptions("evaluate", options, evaluateOptions);
  const { reach, mothers, frameBuffer = 0 } = options;
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
    const labels = labelsFrom(tracks, { frame: frameOfDetections(frameStart), rowOf }, reach);
    return (lineages: Lineages | null) => compareLabels(frameStart, target, labels, lineages);
  };
  const compared = isPlaced(tracks) ? placed(tracks) : labelled(tracks);
  const comparison = compared(null);
  const scores = scoreTracks(comparison);
  if (scores === null) throw new InputError("evaluate, target: no target is seen twice; there is nothing to score");
  const lineages = mothers && { lineages: scoreLineages(compared(mothers), frameBuffer) };
  return { ...scores, links: linkCounts(comparison), ...lineages };
}

const isPlaced = (tracks: Numbers | PlacedTracks): tracks is PlacedTracks => "track" in Object(tracks);

function labelsFrom(
  tracks: Numbers,
  { frame, rowOf }: { readonly frame: Uint32Array; readonly rowOf: Uint32Array },
  reach: number | undefined,
): Int32Array {
  if (reach !== undefined) refuse("evaluate, reach", "is for tracks with positions of their own", "leave it out");
  const labels = numbersIn("evaluate, tracks", tracks, TRACK);
  requireOneLength("evaluate", { frame: rowOf, tracks: labels });
  const identity = Int32Array.from(rowOf, (row) => labels[row]);
  refuseRepeats("evaluate, tracks", frame, identity, rowOf);
  return identity;
}

/** Refuses a track that has two detections of one frame. */
function refuseRepeats(place: string, frame: ArrayLike<number>, track: Int32Array, rowOf: Uint32Array): void {
  const repeat = repeatInFrame(frame, track);
  if (repeat === null) return;
  const [first, second] = [rowOf[repeat.first], rowOf[repeat.second]];
  const problem = `is ${track[repeat.second]}, as that of entry ${first}, which is of the same frame`;
  refuse(`${place}[${second}]`, problem, "a track has one detection in a frame: correct one, or give -1");
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
  const answer = { frame: Uint32Array.from(pick(frame)), ...places, identity: Int32Array.from(pick(track)) };
  refuseRepeats("evaluate, tracks.track", answer.frame, answer.identity, order);
  return answer;
}
