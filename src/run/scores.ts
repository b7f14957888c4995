import type { ResultRow } from "../rows/results.js";
import { EarlyScores } from "../scores/aside.js";
import { compareLabels } from "../scores/comparison.js";
import { LINEAGE_NAMES, scoreLineages } from "../scores/lineages.js";
import { scoreTracks } from "../scores/metrics.js";
import type { Parents } from "./lineage.js";
import type { MotionPass } from "./motion-passes.js";
import type { Problem } from "./problem.js";

/** Of tracks that are numbers on the detections, without twins. */
export function earlyScores(
  { detections, target, mothers, priced }: Problem,
  motion: MotionPass | null,
): EarlyScores | null {
  if (detections === null || target === null || motion !== null) return null;
  if ((mothers !== undefined && mothers.size > 0) || priced.motherOf !== undefined) return null;
  return new EarlyScores(detections.frameStart, target);
}

/** Scores of the tracks where the truth is known, and of who is whose daughter where it says so. */
export function scoresOf(
  { target, mothers }: Problem,
  frameStart: Uint32Array,
  track: Int32Array | null,
  answer: Parents,
  early: EarlyScores | null,
): Pick<ResultRow, "scores" | "lineages"> {
  if (track === null || target === null) return { scores: null };
  if (early !== null) return { scores: early.of(track) };
  const scores = scoreTracks(compareLabels(frameStart, target, track));
  if (mothers === undefined || mothers.size === 0) return { scores };
  const all = scoreLineages(compareLabels(frameStart, target, track, { truth: mothers, answer }), 0);
  const lineages = Object.fromEntries(LINEAGE_NAMES.map((name) => [name, all[name]]));
  return { scores, lineages: lineages as NonNullable<ResultRow["lineages"]> };
}
