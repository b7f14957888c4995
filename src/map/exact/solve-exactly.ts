import { UNASSIGNED } from "../../lap/lap.js";
import { type Grain, grainOf, leastSaving, roundUpToGrain } from "../certificate/grain.js";
import type { Graph } from "../instance/instance.js";
import { chainsOf } from "../proof/chains.js";
import { type Core, wholeOf } from "../proof/core.js";
import { rounded } from "../proof/numbers.js";
import { countLeaves, type Leaf, type Multipliers, type Proof, type Stage } from "../proof/proof.js";
import { Attempt, type Ending } from "./attempt.js";
import { type CutCore, restricted } from "./core.js";
import { type ExactOptions, ExactRun, Proved } from "./exact-run.js";
import { EXAMINED_TRIPLETS } from "./examine.js";
import { iterationWork } from "./patience.js";
import { type Goal, goalOf, meets, narrowBelow, reduceCore } from "./stages.js";

export interface ExactOutcome {
  readonly lowerBound: number;
  readonly upperBound: number;
  readonly tracks: Int32Array;
  readonly proof: Proof;
  readonly cuts: number;
  readonly leaves: number;
  /** The proof proves the tracks optimal (settled.ts). */
  readonly optimal: boolean;
  readonly outcome: Ending;
}

/** A core of all that costs less than a limit. */
interface LargestCut {
  readonly core: CutCore;
  readonly limit: Goal;
}

/** Halvings of the room in the search for the highest bound below which a core is small enough. */
const HALVINGS = 8;

/**
 * Closes the gap that an ascent left (docs/explanation/proofs.md §5): narrows the instance to the edges and triplets of cheaper tracks, cuts off fractional
 * points, narrows again, and branches on the rest. Every bound is certified in f64 from multipliers; the linear program only proposes them.
 * @returns null where the tracks are not allowed
 */
export async function solveExactly(
  graph: Graph,
  initialMultipliers: Multipliers,
  initialTracks: Int32Array,
  options: ExactOptions,
): Promise<ExactOutcome | null> {
  const exact = new ExactRun(graph, initialMultipliers, options);
  let tracks = initialTracks;
  let cost = Number.POSITIVE_INFINITY;
  // Better tracks start over: the room is smaller, and everything is proved again, by the same multipliers as far as there are any.
  for (;;) {
    const goal = goalOf(graph, tracks);
    if (goal === null) return null;
    if (!(goal.cost < cost)) throw new Error(`better tracks cost ${goal.cost}, not less than ${cost}`);
    cost = goal.cost;
    const proved = new Proved();
    const ended = await solveNextTo(tracks, goal, exact, proved);
    if (typeof ended !== "string") {
      tracks = ended;
      continue;
    }
    const { lowerBound, stages, leaves, optimal } = proved;
    return {
      lowerBound: Math.min(lowerBound, goal.least),
      upperBound: goal.cost,
      tracks,
      proof: { stages, leaves },
      optimal,
      cuts: exact.cuts,
      leaves: countLeaves({ stages, leaves }),
      outcome: ended,
    };
  }
}

/** @returns better tracks, or how it ended */
async function solveNextTo(
  tracks: Int32Array,
  goal: Goal,
  exact: ExactRun,
  proved: Proved,
): Promise<Int32Array | Ending> {
  const { graph, options, hasFewFrames } = exact;
  const { restrict = false } = options;
  const whole = wholeOf(graph, tracks);
  if (!restrict || graph.triplets.count <= EXAMINED_TRIPLETS) {
    const most = hasFewFrames ? exact.mostRestricted() : options.mostTriplets;
    const ended = await new Attempt(exact, whole, goal, null, proved, most).run(exact.path);
    if (ended !== "large" || !(restrict || hasFewFrames)) return ended;
  }
  return solveBelow(whole, goal, exact, proved);
}

/** Solves cores of all that costs less than a bound. Wherever that bound is proved, the next core is larger. In few frames the first core is small. */
async function solveBelow(whole: Core, goal: Goal, exact: ExactRun, proved: Proved): Promise<Int32Array | Ending> {
  const { initialMultipliers, options, hasFewFrames } = exact;
  const reduced = reduceCore(whole, initialMultipliers);
  const chains = chainsOf(rounded, whole, reduced);
  let best = { bound: Number.NEGATIVE_INFINITY, stages: [initialMultipliers] as Stage[], leaves: [] as Leaf[] };
  proved.raise(reduced.constant, goal);
  const cutBelow = (most: number) => {
    options.worked?.((HALVINGS + 1) * iterationWork(exact.graph));
    const cut = (below: number) => narrowBelow(whole, reduced, below, most, chains);
    return largestCut(cut, reduced.constant, goal, grainOf(exact.graph));
  };
  const end = (ending: Ending): Ending => {
    [proved.stages, proved.leaves] = [best.stages, best.leaves];
    return ending;
  };
  if (options.leastShare !== undefined) {
    const limit = cutBelow(options.mostTriplets)?.limit.cost ?? Number.NEGATIVE_INFINITY;
    if (limit - reduced.constant < options.leastShare * (goal.cost - reduced.constant)) return end("large");
  }
  for (;;) {
    const most = exact.mostRestricted();
    const cut = cutBelow(most);
    if (cut === null) {
      if (!hasFewFrames || most === options.mostTriplets) return end("large");
      exact.restrictedTriplets *= 2;
      continue;
    }
    const { core, limit } = cut;
    // In few frames the small core may be that of all cheaper tracks: elimination next to the tracks makes it smaller still.
    const isWhole = limit === goal && options.restrict !== true;
    proved.stages = isWhole ? [] : [{ ...initialMultipliers, below: limit.cost, core: core.choice }];
    const part = isWhole ? whole : core;
    const ended = isWhole
      ? await new Attempt(exact, whole, goal, null, proved).run([initialMultipliers])
      : await new Attempt(exact, core, goal, limit, proved).run([restricted(core, exact.carried)]);
    const { lowerBound, stages, leaves, optimal } = proved;
    if (optimal || lowerBound > best.bound) best = { bound: lowerBound, stages, leaves };
    if (typeof ended !== "string") return ended.map((e) => (e === UNASSIGNED ? e : part.edgeOf[e]));
    // A small core that its tree did not close is left to the searches for better tracks, as a core that is too large.
    if (ended === "still" && !isWhole && options.restrict !== true) return end("large");
    if (ended !== "closed") return end(ended);
    if (isWhole || optimal || lowerBound >= goal.near || meets(lowerBound, goal, options.gap)) return end("closed");
    if (most === options.mostTriplets) return end("large");
    exact.restrictedTriplets *= 2;
  }
}

/**
 * The core of all that is cheaper than the tracks. Where it is too large: that of all that costs less than a bound, as high as can be. Where costs have a grain the bound is just above a multiple of
 * it: that proves the next multiple, and as few triplets as can be cost less.
 * @param cut gives null for a core that is too large
 */
function largestCut(
  cut: (below: number) => CutCore | null,
  least: number,
  goal: Goal,
  grain: Grain | null,
): LargestCut | null {
  const all = cut(goal.cost);
  if (all !== null) return { core: all, limit: goal };
  let largest = null;
  let [low, high] = [least, goal.cost];
  for (let halving = 0; halving < HALVINGS; halving++) {
    const middle = (low + high) / 2;
    const below = roundUpToGrain(grain, middle) - leastSaving(grain);
    const core = cut(below);
    if (core === null) high = middle;
    else {
      low = middle;
      largest = { core, limit: { cost: below, least: below, near: below, saving: 0 } };
    }
  }
  return largest;
}
