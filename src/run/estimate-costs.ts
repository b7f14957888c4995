import { frameNumber } from "../core/frame-numbers.js";
import { type AscentName, DEFAULT_ASCENT } from "../map/dual/ascents.js";
import { numberTracks } from "../map/primal/tracks.js";
import { awaitsGaps, closeGaps, isDone, type MotionPass, refine, wholeOf } from "./motion-passes.js";
import { PassSeconds } from "./pass-seconds.js";
import type { Problem } from "./problem.js";
import { type Solving, solveOnce } from "./solve-once.js";

/** The limits of the passes whose tracks serve only to estimate how targets move. */
const ROUGH = { iterations: 12, gap: 5e-3 };

/** The settings of the rough solves by which costs are estimated from tracks. */
export interface RoughSolves {
  /** null for as many as the cost asks for. */
  readonly passes: number | null;
  /** Solves after which the costs are taken as they are, where a run had no time for more [as many as the passes take]. */
  readonly solves?: number | undefined;
  readonly ascent: AscentName;
  readonly iterations: number;
  readonly gap: number;
}

/** The rough solves before a solve with these limits. */
export function roughSolves(
  passes: number | null,
  ascent: AscentName,
  { iterations, gapPercent }: { readonly iterations: number; readonly gapPercent: number },
): RoughSolves {
  return {
    passes,
    ascent,
    iterations: Math.min(iterations, ROUGH.iterations),
    gap: Math.max(gapPercent / 100, ROUGH.gap),
  };
}

/**
 * The loop over passes. Where costs are estimated from tracks, each rough solve gives the tracks that the next costs are fitted to, and the last costs make the problem to solve; other
 * problems stay as they are. Where time is limited, enough of it is left for the last solve.
 * @param left seconds that are left for all of it, the last solve included
 * @returns the problem, and the number of rough solves
 */
export async function estimateCosts(
  given: Problem,
  options: Solving,
  { ascent, iterations, gap, solves: most = Number.POSITIVE_INFINITY }: Omit<RoughSolves, "passes">,
  left: () => number,
): Promise<{ problem: Problem; motion: MotionPass | null; solves: number }> {
  const { now, interrupted } = options;
  let { motion } = given;
  if (motion === null) return { problem: given, motion, solves: 0 };
  let solves = 0;
  const foresight = new PassSeconds();
  while (solves < most && interrupted?.() !== true && !isDone(motion)) {
    const size = motion.priced.origin.length;
    const next = motion.stretch === null ? size : motion.recording.x.length;
    if (left() <= foresight.untilSolved(size, next)) break;
    const began = now();
    const limits = {
      ascent,
      iterations,
      gap,
      time: left() / 2,
      initialMultipliers: beginOf(motion, ascent),
      eliminate: false,
    };
    const { graph, solution, multipliers } = await solveOnce(problemOf(given, motion), options, limits, {
      multipliers: true,
    });
    const { tracks } = solution;
    // Costs that came of a hurried solve's tracks could not be made again.
    if (tracks === null || solution.hurried) break;
    const solved = now();
    motion = awaitsGaps(motion)
      ? closeGaps(motion, multipliers())
      : refine(motion, tracksOfInput(motion, numberTracks(graph, tracks)), multipliers());
    solves++;
    foresight.took(solved - began, size, now() - solved, motion.priced.origin.length);
  }
  // It may have stopped before it came to the whole recording.
  motion = wholeOf(motion);
  return { problem: problemOf(given, motion), motion, solves };
}

function problemOf(given: Problem, { priced, stretch }: MotionPass): Problem {
  const first = frameNumber(given.numbers, stretch?.firstFrame ?? 0);
  return { ...given, priced, numbers: { ...given.numbers, first } };
}

/** The multipliers to begin with: ascents that are there to compare with begin at 0, as they are published. */
export function beginOf(motion: MotionPass | null, ascent: AscentName): Float64Array | null {
  return ascent === DEFAULT_ASCENT ? (motion?.begin ?? null) : null;
}

/** Tracks by the detections of the input, numbered anew in the order of their first ones; placeholders are left out. */
export function tracksOfInput({ priced: { origin } }: MotionPass, track: Int32Array): Int32Array {
  const renumbered = new Map<number, number>();
  const detections = origin.reduce((count, d) => Math.max(count, d + 1), 0);
  const ofInput = new Int32Array(detections);
  origin.forEach((d, at) => {
    if (d < 0) return;
    const number = renumbered.get(track[at]) ?? renumbered.size;
    renumbered.set(track[at], number);
    ofInput[d] = number;
  });
  return ofInput;
}
