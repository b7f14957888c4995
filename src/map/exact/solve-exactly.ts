import { UNASSIGNED } from "../../lap/lap.js";
import { priceTracks } from "../certificate/certificate.js";
import type { Cut } from "../certificate/cuts.js";
import type { Graph } from "../instance/instance.js";
import type { Leaf, Proof, Stage } from "./check-proof.js";
import type { Core } from "./core.js";
import {
  certify,
  certifyDuals,
  dropSlack,
  isIntegral,
  type OpenRelaxation,
  openRelaxation,
  type Proven,
  separate,
  stageOf,
} from "./cut-loop.js";
import type { LinearProgramSolution, OpenLinearProgram } from "./linear-program.js";
import type { Multipliers } from "./relaxation.js";
import { CLOSED, type Goal, goalOf, meets, narrow, wholeOf } from "./stages.js";
import { searchTree } from "./tree.js";

/** Progress of an exact solve. */
export interface ExactProgress {
  /** Bound certified so far, and cost of the tracks. */
  readonly lowerBound: number;
  readonly upperBound: number;
  readonly edges: number;
  readonly triplets: number;
  readonly cuts: number;
  readonly leaves: number;
}

export interface ExactOptions {
  readonly open: OpenLinearProgram;
  /** Triplets of a core, and leaves of the tree, at most. */
  readonly mostTriplets: number;
  readonly mostLeaves: number;
  /** Relative gap at which it ends; 0 goes on to a proof. */
  readonly gap: number;
  /** Seconds in all. */
  readonly time: number;
  readonly now: () => number;
  readonly interrupted?: () => boolean;
  readonly pause?: () => Promise<void>;
  readonly progress?: (progress: ExactProgress) => void;
}

export interface ExactOutcome {
  readonly lowerBound: number;
  readonly upperBound: number;
  readonly tracks: Int32Array;
  readonly proof: Proof;
  readonly cuts: number;
  readonly leaves: number;
  /** closed: the bounds meet. large: the core has too many triplets. time: the time was over or the run was interrupted. still: the tree reached its limit of leaves. */
  readonly outcome: "closed" | "large" | "time" | "still";
}

/** A smaller core is cut when at most this share of its triplets is left. */
const SMALLER = 0.75;
/** Rounds of cuts in which less than this share of the room is gained are slow; after so many of them the tree begins. */
const SLOW = 0.01;
const SLOW_ROUNDS = 3;

/**
 * Closes what the ascent left open (docs/exact.md §5): narrows the instance to what may be cheaper than the tracks, cuts off fractional
 * points, narrows again, and branches on what is left. Every bound is certified in f64 from multipliers; the linear program only proposes them.
 */
export async function solveExactly(
  graph: Graph,
  start: Stage,
  startTracks: Int32Array,
  options: ExactOptions,
): Promise<ExactOutcome | null> {
  const { now } = options;
  const end = now() + options.time;
  let tracks = startTracks;
  let goal = goalOf(graph, tracks);
  if (goal === null) return null;

  let stages: Stage[] = [];
  let leaves: Leaf[] = [];
  let lowerBound = Number.NEGATIVE_INFINITY;
  let [cutsUsed, leafCount] = [0, 0];
  const done = (outcome: ExactOutcome["outcome"]): ExactOutcome => ({
    lowerBound: Math.min(lowerBound, (goal as Goal).least),
    upperBound: (goal as Goal).cost,
    tracks,
    proof: { stages, leaves },
    cuts: cutsUsed,
    leaves: leafCount,
    outcome,
  });
  const met = (bound: number, goal: Goal): boolean => meets(bound, goal, options.gap);
  const outOfTime = (): boolean => now() >= end || options.interrupted?.() === true;

  // Better tracks start over from the same multipliers: the room is smaller.
  for (;;) {
    const improved = await attempt(goal);
    if (typeof improved === "string") return done(improved);
    tracks = improved;
    goal = goalOf(graph, tracks) as Goal;
  }

  async function attempt(goal: Goal): Promise<Int32Array | ExactOutcome["outcome"]> {
    stages = [];
    leaves = [];
    /** Edges of the instance, by edge of the present core. */
    let edgeOf = Uint32Array.from({ length: graph.edges }, (_, e) => e);
    let core = wholeOf(graph, tracks);
    let stage: Stage = start;
    let proven: Proven = provenBy(core, stage);
    lowerBound = Math.max(lowerBound, proven.bound);
    let kept: readonly Cut[] = [];

    for (;;) {
      // Narrow to what may be cheaper.
      if (met(proven.bound, goal)) {
        stages.push(stage);
        lowerBound = Math.max(lowerBound, proven.bound);
        return "closed";
      }
      const next = narrow(proven.reduced, core.incidence, core.tracks, goal, options.mostTriplets);
      stages.push(stage);
      if (next === null) return "large";
      if (next.core === null) {
        lowerBound = goal.least;
        return "closed";
      }
      lowerBound = Math.max(lowerBound, Math.min(next.bound, goal.least));
      const inner = next.core;
      edgeOf = inner.edgeOf.map((e) => edgeOf[e]);
      const renumbered = new Map<number, number>();
      inner.edgeOf.forEach((e, n) => {
        renumbered.set(e, n);
      });
      kept = translated(proven.cuts, renumbered);
      const base = restrictTo(inner, proven.multipliers, kept);
      core = inner;

      const opened = openRelaxation(core, base.reduced, kept, options.open);
      try {
        const result = await cutWhileItPays(opened, base, goal, openTriplets(core));
        cutsUsed = Math.max(cutsUsed, result.proven.cuts.length);
        lowerBound = Math.max(lowerBound, Math.min(result.proven.bound, goal.least));
        proven = result.proven;
        stage = stageOf(proven);
        if (result.why === "time") {
          stages.push(stage);
          return "time";
        }
        if (result.why === "tracks") return tracksOf(result.solution, core, edgeOf);
        if (result.why === "smaller") continue;
        if (met(proven.bound, goal)) continue;
        if (options.mostLeaves === 0) {
          stages.push(stage);
          return "still";
        }
        // What is left of the gap is the tree's.
        const tree = await searchTree(opened, proven, goal, {
          ...options,
          end,
          met: (bound) => met(bound, goal),
          report: (bound, count) => {
            leafCount = count;
            report(core, opened.cuts.length, Math.min(Math.max(lowerBound, bound), goal.least), goal);
          },
        });
        leafCount = tree.leaves.length;
        if (tree.solution !== null) return tracksOf(tree.solution, core, edgeOf);
        leaves = tree.leaves;
        lowerBound = Math.max(lowerBound, Math.min(tree.bound, goal.least));
        return met(tree.bound, goal) ? "closed" : outOfTime() ? "time" : "still";
      } finally {
        opened.program.close();
      }
    }
  }

  async function cutWhileItPays(opened: OpenRelaxation, base: Proven, goal: Goal, size: number) {
    let best = base;
    let slow = 0;
    for (;;) {
      await options.pause?.();
      const solution = opened.program.solve({ seconds: Math.max(0.01, end - now()) });
      if (solution.status !== "optimal") return { why: "time" as const, proven: best, solution };
      const proven = certifyDuals(opened, solution, opened.core.removed);
      const gained = proven.bound - best.bound;
      const left = goal.cost - best.bound;
      if (proven.bound > best.bound) best = proven;
      report(opened.core, opened.cuts.length, Math.min(best.bound, goal.least), goal);
      if (met(best.bound, goal)) return { why: "closed" as const, proven: best, solution };
      if (isIntegral(solution, opened.core)) {
        const found = tracksIn(solution, opened.core);
        const price = priceTracks(opened.core.graph, found);
        if (price.status === "feasible" && price.computed < goal.cost - CLOSED * Math.abs(goal.cost)) {
          return { why: "tracks" as const, proven: best, solution };
        }
      }
      if (outOfTime()) return { why: "time" as const, proven: best, solution };
      const next = narrow(best.reduced, opened.core.incidence, opened.core.tracks, goal, options.mostTriplets);
      if (next !== null && (next.core === null || openTriplets(next.core) < SMALLER * size))
        return { why: "smaller" as const, proven: best, solution };
      slow = gained < SLOW * left ? slow + 1 : 0;
      // Only after a gain: what is dropped then cannot come back to the same bound.
      if (gained > 0) dropSlack(opened, solution);
      if (slow >= SLOW_ROUNDS || separate(opened, solution, true) === 0) {
        return { why: "slow" as const, proven: best, solution };
      }
    }
  }

  function report(core: Core, cuts: number, lowerBound: number, goal: Goal): void {
    options.progress?.({
      lowerBound,
      upperBound: goal.cost,
      edges: core.graph.edges,
      triplets: core.graph.triplets.count,
      cuts,
      leaves: leafCount,
    });
  }

  /** Tracks of the whole instance from an integral solution over a core. */
  function tracksOf(solution: LinearProgramSolution, core: Core, edgeOf: Uint32Array): Int32Array {
    return tracksIn(solution, core).map((e) => (e === UNASSIGNED ? e : edgeOf[e]));
  }
}

/** Triplets of a core besides those of the present tracks. */
function openTriplets({ graph: { frames, frameStart, triplets } }: Core): number {
  return triplets.count - (frameStart[frames - 1] - frameStart[1]);
}

function provenBy(core: Core, { v, columnDual, cuts, cutMultipliers }: Stage): Proven {
  const multipliers: Multipliers = { v, columnDual, cuts: cutMultipliers };
  return certify(core, cuts, multipliers, core.removed);
}

/** Multipliers of an instance as those of a core cut from it. */
function restrictTo(core: Core, { v, columnDual }: Multipliers, cuts: readonly Cut[]): Proven {
  const own = Float64Array.from(core.edgeOf, (e) => v[e]);
  const multipliers: Multipliers = { v: own, columnDual, cuts: new Float64Array(cuts.length) };
  return certify(core, cuts, multipliers, core.removed);
}

/** Cuts in the numbers of a core. A clique without some items is one still; an odd hole is not. */
function translated(cuts: readonly Cut[], renumbered: ReadonlyMap<number, number>): Cut[] {
  return cuts.flatMap(({ kind, items }) => {
    const own = items.flatMap(([e, f]) => {
      const [a, b] = [renumbered.get(e), f < 0 ? f : renumbered.get(f)];
      return a === undefined || b === undefined ? [] : [[a, b] as const];
    });
    return own.length < 2 || (kind === "odd-hole" && own.length < items.length) ? [] : [{ kind, items: own }];
  });
}

function tracksIn({ value }: LinearProgramSolution, { graph }: Core): Int32Array {
  const { frames, frameStart, links, tail } = graph;
  const tracks = new Int32Array(frameStart[frames]).fill(UNASSIGNED);
  for (let e = 0; e < links; e++) if (value[e] > 0.5) tracks[tail[e]] = e;
  return tracks;
}
