import { UNASSIGNED } from "../../lap/lap.js";
import { priceTracks, refuteTracks } from "../certificate/certificate.js";
import { type Cut, groupsOf, type Item } from "../certificate/cuts.js";
import type { ReducedCosts } from "../certificate/reduced-costs.js";
import type { Graph } from "../instance/instance.js";
import { type Core, wholeOf } from "../proof/core.js";
import type { Leaf, Multipliers, Proof, Stage } from "../proof/proof.js";
import { chainsOf } from "./chains.js";
import type { CutCore } from "./core.js";
import {
  certify,
  certifyDuals,
  dropSlack,
  isIntegral,
  type OpenRelaxation,
  openRelaxation,
  type Proven,
  separate,
  solveRelaxation,
} from "./cut-loop.js";
import { EXAMINED_TRIPLETS } from "./examine.js";
import type { LinearProgramSolution, OpenLinearProgram } from "./linear-program.js";
import { type Goal, goalOf, meets, type Narrowed, narrow, narrowBelow, provedOfPart } from "./stages.js";
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
  /** Where what may be cheaper has too many triplets: go on with what costs less than as high a bound as they allow [false]. */
  readonly restrict?: boolean;
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
  /** The proof proves the tracks optimal (settled.ts). */
  readonly optimal: boolean;
  /**
   * closed: the bounds meet, as far as they can. large: the core has too many triplets. time: the time was over or the run was interrupted. still: the tree
   * reached its limit of leaves. failed: a linear program was not solved.
   */
  readonly outcome: "closed" | "large" | "time" | "still" | "failed";
}

/** A smaller core is cut when at most this share of its triplets is left. */
const SMALLER = 0.75;
/** Rounds of cuts in which less than this share of the room is gained are slow; after so many of them the tree begins. */
const SLOW = 0.01;
const SLOW_ROUNDS = 3;
/** Triplets of the first core that has only what costs less than some bound; the next ones have twice as many each. */
const FIRST_RESTRICTED = 20_000;
/** Halvings of the room in the search for that bound. */
const HALVINGS = 8;

/**
 * Closes what the ascent left open (docs/explanation/proofs.md §5): narrows the instance to what may be cheaper than the tracks, cuts off fractional
 * points, narrows again, and branches on what is left. Every bound is certified in f64 from multipliers; the linear program only proposes them.
 */
export async function solveExactly(
  graph: Graph,
  start: Multipliers,
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
  let optimal = false;
  let [cutsUsed, leafCount] = [0, 0];
  const ofTracks = tripletsOfTracks(graph);
  /** Triplets of the next core of what costs less than some bound, besides those of the tracks. */
  let size = FIRST_RESTRICTED;
  /** The multipliers that proved most in such a core, as those of the instance. */
  let carried = start;
  const done = (outcome: ExactOutcome["outcome"]): ExactOutcome => ({
    lowerBound: Math.min(lowerBound, (goal as Goal).least),
    upperBound: (goal as Goal).cost,
    tracks,
    proof: { stages, leaves },
    optimal,
    cuts: cutsUsed,
    leaves: leafCount,
    outcome,
  });
  const outOfTime = (): boolean => now() >= end || options.interrupted?.() === true;

  // Better tracks start over from the same multipliers: the room is smaller.
  for (;;) {
    const whole = wholeOf(graph, tracks);
    const light = options.restrict !== true || graph.triplets.count <= EXAMINED_TRIPLETS;
    stages = [];
    let improved = light ? await attempt(whole, start, { goal, aim: goal }) : ("large" as const);
    if (improved === "large" && options.restrict === true) improved = await attemptBelow(whole, goal);
    if (typeof improved === "string") return done(improved);
    tracks = improved;
    goal = goalOf(graph, tracks) as Goal;
    // What was proved next to the tracks before is proved again.
    lowerBound = Number.NEGATIVE_INFINITY;
    optimal = false;
  }

  /** Cores of what costs less than some bound, the next one larger wherever that bound is proved. */
  async function attemptBelow(whole: Core, goal: Goal): Promise<Int32Array | ExactOutcome["outcome"]> {
    const { reduced } = certify(whole, start);
    const chains = chainsOf(whole, reduced);
    let best = { bound: Number.NEGATIVE_INFINITY, stages: [start], leaves: [] as Leaf[] };
    raise(reduced.constant, goal);
    const restore = (outcome: ExactOutcome["outcome"]): typeof outcome => {
      [stages, leaves] = [best.stages, best.leaves];
      return outcome;
    };
    for (;;) {
      const most = Math.min(ofTracks + size, options.mostTriplets);
      const cut = (below: number): CutCore | null => narrowBelow(whole, reduced, below, most, chains);
      let core = cut(goal.cost);
      let aim: Goal = { ...goal };
      if (core === null) {
        let [low, high] = [reduced.constant, goal.cost];
        for (let halving = 0; halving < HALVINGS; halving++) {
          const below = (low + high) / 2;
          const found = cut(below);
          if (found === null) high = below;
          else [low, core, aim] = [below, found, { cost: below, least: below, near: below }];
        }
        if (core === null) return restore("large");
      }
      stages = [{ ...start, below: aim.cost, core: core.choice }];
      const outcome = await attempt(core, restricted(core, carried), { goal, aim });
      if (optimal || lowerBound > best.bound) best = { bound: lowerBound, stages, leaves };
      if (typeof outcome !== "string") {
        const { edgeOf } = core;
        return outcome.map((e) => (e === UNASSIGNED ? e : edgeOf[e]));
      }
      if (outcome !== "closed") return restore(outcome);
      if (optimal || lowerBound >= goal.near || meets(lowerBound, goal, options.gap)) return restore("closed");
      if (most === options.mostTriplets) return restore("large");
      size *= 2;
    }
  }

  /** All that is proved holds at most up to what the present core has all of. */
  function raise(bound: number, aim: Goal): void {
    lowerBound = Math.max(lowerBound, Math.min(bound, aim.least));
  }

  /**
   * @param whole the instance, or a core of it
   * @param aim the tracks, or what costs less than which is in the core
   * @returns better tracks by edges of `whole`, or how it ended
   */
  async function attempt(
    whole: Core,
    start: Multipliers,
    { goal, aim }: { readonly goal: Goal; readonly aim: Goal },
  ): Promise<Int32Array | ExactOutcome["outcome"]> {
    const met = (bound: number): boolean =>
      meets(bound, goal, options.gap) || (aim === goal ? false : bound >= aim.cost);
    /** Rounding lets linear programs come no closer. */
    const isNear = (bound: number): boolean => bound >= goal.near;
    const narrowed = (reduced: ReducedCosts, core: Core): Narrowed | null => {
      if (aim === goal) return narrow(core, reduced, goal, options.mostTriplets);
      const inner = narrowBelow(core, reduced, aim.cost, options.mostTriplets);
      return inner && { core: inner, bound: reduced.constant };
    };
    leaves = [];
    /** Edges of `whole`, by edge of the present core. */
    let edgeOf = Uint32Array.from({ length: whole.graph.edges }, (_, e) => e);
    let core = whole;
    let proven = certify(core, start);
    raise(proven.bound, aim);

    for (;;) {
      // Narrow to what may be cheaper.
      raise(proven.bound, aim);
      const next = narrowed(proven.reduced, core);
      const inner = next?.core ?? null;
      const isMet = met(proven.bound) || (isNear(proven.bound) && options.mostLeaves === 0);
      stages.push(inner === null || isMet ? proven.multipliers : { ...proven.multipliers, core: inner.choice });
      if (next?.core === null) {
        raise(next.bound, aim);
        optimal = true;
        return "closed";
      }
      if (isMet) {
        optimal = aim.cost >= goal.cost && provedOfPart(proven.reduced, core, core.removed, goal).closed;
        return "closed";
      }
      if (next === null || inner === null) return "large";
      raise(next.bound, aim);
      edgeOf = inner.edgeOf.map((e) => edgeOf[e]);
      const inside = restricted(inner, proven.multipliers);
      // A linear program counts from multipliers without cuts, so that those of the cuts are free to fall.
      const held = certify(inner, inside);
      const base = certify(inner, { ...inside, cutMultipliers: new Float64Array(inside.cuts.length) });
      core = inner;

      const opened = openRelaxation(core, base.reduced, inside.cuts, options.open);
      try {
        const result = await cutWhileItPays(opened, held, openTriplets(core));
        cutsUsed = Math.max(cutsUsed, result.proven.multipliers.cuts.length);
        raise(result.proven.bound, aim);
        proven = result.proven;
        carry(whole, edgeOf, proven.multipliers);
        if (result.why === "time" || result.why === "failed") return endHere(result.why);
        if (result.why === "tracks") return tracksOf(result.solution, core, edgeOf);
        if (result.why === "smaller") continue;
        if (met(proven.bound)) continue;
        if (options.mostLeaves === 0) {
          if (isNear(proven.bound)) continue;
          return endHere("still");
        }
        // What is left of the gap is the tree's.
        const tree = await searchTree(opened, proven, goal, {
          ...options,
          end,
          met,
          prove: ({ multipliers }, removed) =>
            provedOfPart(certify(core, multipliers, removed).reduced, core, removed, goal),
          cheaper: (solution) => isCheaper(solution, core, goal),
          report: (bound, count) => {
            leafCount = count;
            report(core, opened.cuts.length, Math.min(Math.max(lowerBound, bound), aim.least), goal);
          },
        });
        leafCount = tree.leaves.length;
        if (tree.solution !== null) return tracksOf(tree.solution, core, edgeOf);
        leaves = tree.leaves;
        optimal = tree.closed && aim.cost >= goal.cost;
        raise(tree.bound, aim);
        if (optimal || met(tree.bound) || isNear(tree.bound)) return "closed";
        return opened.program.failed() ? "failed" : outOfTime() ? "time" : "still";
      } finally {
        opened.program.close();
      }
    }

    /** Ends with the present stage, and what elimination proves by it. */
    function endHere(outcome: ExactOutcome["outcome"]): typeof outcome {
      stages.push(proven.multipliers);
      const last = narrowed(proven.reduced, core);
      if (last !== null) raise(last.bound, aim);
      optimal = last?.core === null;
      return optimal ? "closed" : outcome;
    }

    async function cutWhileItPays(opened: OpenRelaxation, base: Proven, size: number) {
      let best = base;
      let slow = 0;
      for (;;) {
        await options.pause?.();
        const solution = solveRelaxation(opened, end - now());
        if (solution.status !== "optimal") {
          // The tracks are in the core, so that it has a solution whatever a solver says.
          const failed = opened.program.failed() || solution.status === "infeasible";
          return { why: failed ? ("failed" as const) : ("time" as const), proven: best, solution };
        }
        const proven = certifyDuals(opened, solution, opened.core.removed);
        const gained = proven.bound - best.bound;
        const left = aim.cost - best.bound;
        if (proven.bound > best.bound) best = proven;
        report(opened.core, opened.cuts.length, Math.min(best.bound, aim.least), goal);
        if (met(best.bound) || isNear(best.bound)) return { why: "closed" as const, proven: best, solution };
        if (isIntegral(solution, opened.core) && isCheaper(solution, opened.core, goal))
          return { why: "tracks" as const, proven: best, solution };
        if (outOfTime()) return { why: "time" as const, proven: best, solution };
        const next = narrowed(best.reduced, opened.core);
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
  }

  /** Keeps multipliers of a core as those of the instance, to begin a larger core with. */
  function carry(whole: Core, edgeOf: Uint32Array, multipliers: Multipliers): void {
    const ofInstance = (e: number): number => whole.edgeOf[edgeOf[e]];
    const v = carried.v.slice();
    multipliers.v.forEach((value, e) => {
      v[ofInstance(e)] = value;
    });
    const items = ({ items }: Cut) => items.map(([e, f]) => [ofInstance(e), f < 0 ? f : ofInstance(f)] as const);
    carried = {
      v,
      columnDual: multipliers.columnDual,
      cuts: multipliers.cuts.map((cut) => ({ ...cut, items: items(cut) })),
      cutMultipliers: multipliers.cutMultipliers,
    };
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
function openTriplets({ graph }: Core): number {
  return graph.triplets.count - tripletsOfTracks(graph);
}

/** One at each detection but those of the first and the last frame. */
function tripletsOfTracks({ frames, frameStart }: Graph): number {
  return frameStart[frames - 1] - frameStart[1];
}

/** Multipliers and cuts of an instance as those of a core cut from it. A clique without some items is one still; an odd hole without a group is not. */
function restricted(core: Core, { v, columnDual, cuts, cutMultipliers }: Multipliers): Multipliers {
  const renumbered = new Map<number, number>();
  for (const [n, e] of core.edgeOf.entries()) renumbered.set(e, n);
  const renumber = ([e, f]: Item): readonly Item[] => {
    const [a, b] = [renumbered.get(e), f < 0 ? f : renumbered.get(f)];
    return a === undefined || b === undefined ? [] : [[a, b]];
  };
  const kept = cuts.flatMap((cut, k) => {
    const left = groupsOf(cut).map((group) => group.flatMap(renumber));
    const items = left.flat();
    if (items.length < 2 || (cut.kind === "odd-hole" && left.some((group) => group.length === 0))) return [];
    const groups = cut.groups && { groups: left.map((group) => group.length) };
    return [{ cut: { kind: cut.kind, items, ...groups }, multiplier: cutMultipliers[k] }];
  });
  return {
    v: Float64Array.from(core.edgeOf, (e) => v[e]),
    columnDual,
    cuts: kept.map(({ cut }) => cut),
    cutMultipliers: Float64Array.from(kept, ({ multiplier }) => multiplier),
  };
}

/** Whether an integral solution is cheaper than the tracks, both priced alike. */
function isCheaper(solution: LinearProgramSolution, core: Core, { cost }: Goal): boolean {
  const tracks = tracksIn(solution, core);
  // A program that is wrong may answer with links that are no tracks.
  if (refuteTracks(core.graph, tracks) !== null) return false;
  const price = priceTracks(core.graph, tracks);
  return price.status === "feasible" && price.computed < cost;
}

function tracksIn({ value }: LinearProgramSolution, { graph }: Core): Int32Array {
  const { frames, frameStart, edges, tail, head } = graph;
  const tracks = new Int32Array(frameStart[frames]).fill(UNASSIGNED);
  for (let e = 0; e < edges; e++) {
    if (tail[e] !== UNASSIGNED && head[e] !== UNASSIGNED && value[e] > 0.5) tracks[tail[e]] = e;
  }
  return tracks;
}
