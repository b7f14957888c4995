import { UNASSIGNED } from "../../lap/lap.js";
import { priceTracks } from "../certificate/certificate.js";
import { ROUNDOFF } from "../certificate/compensated-sum.js";
import { weighCuts } from "../certificate/cuts.js";
import { EQUAL, relativeGap } from "../certificate/gap.js";
import { type ReducedCosts, reduceCosts } from "../certificate/reduced-costs.js";
import { type Graph, isLink } from "../instance/instance.js";
import type { Core } from "../proof/core.js";
import { rounded } from "../proof/numbers.js";
import type { Multipliers } from "../proof/proof.js";
import { isSettled } from "../proof/settled.js";
import { chainsOf } from "./chains.js";
import { type CutCore, cutCore } from "./core.js";
import { eliminate } from "./elimination.js";
import type { EliminationLimits } from "./elimination-limits.js";

/** An instance or core, narrowed by multipliers that bound it, next to a set of tracks. */
export interface Narrowed {
  /** Holds all cheaper tracks; null where none are cheaper but by rounding, so that the tracks are optimal. */
  readonly core: CutCore | null;
  /** No set of tracks costs less: the cost of the tracks less the rooms of all components. */
  readonly bound: number;
}

/** The cost of the tracks, from above and from below. */
export interface Goal {
  readonly cost: number;
  /** At most the exact cost of the tracks. */
  readonly least: number;
  /** A bound this high is as close as rounding lets linear programs come. */
  readonly near: number;
}

/** Relative to the magnitudes of the tracks' terms; duals of a linear program prove less than multipliers that were fitted to rounding. */
const ROUNDING_OF_DUALS = 2 ** -44;

/** @returns null where the tracks are not allowed */
export function goalOf(graph: Graph, tracks: Int32Array): Goal | null {
  const priced = priceTracks(graph, tracks);
  if (priced.status === "forbidden" || !Number.isFinite(priced.computed)) return null;
  const { computed, least, magnitude } = priced;
  return { cost: computed, least, near: computed - ROUNDING_OF_DUALS * magnitude };
}

/** Whether a bound is within the relative gap of the tracks' cost, or reaches it. */
export function meets(bound: number, { cost }: Goal, gap: number): boolean {
  return cost - bound <= gap * Math.abs(cost);
}

/** The amount that tracks of that cost pay beyond a bound, rounded up. */
export function roomOver(bound: number, cost: number): number {
  return Math.max(0, cost - bound) * (1 + 4 * ROUNDOFF);
}

/** The reduced costs of a core without the edges `removed`. */
export function reduceCore(
  { graph, incidence, removed }: Core,
  { v, columnDual, cuts, cutMultipliers }: Multipliers,
  without = removed,
): ReducedCosts {
  const weighed = weighCuts(graph, cuts, cutMultipliers);
  return reduceCosts(graph, incidence, v, columnDual, { removed: without, cuts: weighed });
}

/** Whether multipliers prove anything next to the tracks: both their bound and its distance to the cost are numbers. */
export function provesAgainst({ constant }: ReducedCosts, cost: number): boolean {
  return Number.isFinite(constant) && Number.isFinite(roomOver(constant, cost));
}

/**
 * Elimination in an instance or a core by multipliers, next to the tracks.
 * @param leastSaved a set of tracks may save as much in any case, by rounding
 */
export function eliminateNextTo(
  core: Core,
  reduced: ReducedCosts,
  cost: number,
  leastSaved = 0,
  limits?: EliminationLimits,
) {
  const room = roomOver(reduced.constant, cost);
  const chains = chainsOf(core, reduced);
  const left = eliminate(core, reduced, chains, room, 0, limits);
  const lifted = cost - Math.max(left.roomInAll, leastSaved) * (1 + 4 * ROUNDOFF);
  const bound = Math.max(reduced.constant, lifted - 2 * ROUNDOFF * Math.abs(lifted));
  const closed =
    left.activeEdges === 0 || (relativeGap(bound, cost) <= EQUAL && isSettled(rounded, core, reduced, left.active));
  return { room, chains, left, bound, closed };
}

/**
 * Cuts the core of all cheaper tracks out of an instance or a core, by elimination and by chains of reduced costs.
 * @param most triplets of the core at most; null is returned where there are more, and where the multipliers prove nothing
 */
export function narrow(
  whole: Core,
  reduced: ReducedCosts,
  goal: Goal,
  most: number,
  limits?: EliminationLimits,
): Narrowed | null {
  if (!provesAgainst(reduced, goal.cost)) return null;
  const { room, chains, left, ...next } = eliminateNextTo(whole, reduced, goal.cost, 0, limits);
  const bound = left.activeEdges === 0 ? goal.least : next.bound;
  if (next.closed) return { core: null, bound };
  const core = cutCore(whole, reduced, chains, room, most, left.active);
  return core === null ? null : { core, bound };
}

/** The proof that multipliers give of a part of a core. */
export interface Part {
  /** No set of tracks in it costs less. */
  readonly bound: number;
  /** Whether none is cheaper than the present tracks but by rounding. */
  readonly closed: boolean;
  /** A link of the present tracks that elimination leaves open; UNASSIGNED where it leaves none, or they do not lie in the part. */
  readonly open: number;
}

/**
 * The proof that multipliers give of the part of a core without the edges `removed`: by the bound, or by elimination where the tracks lie in the part, since next to
 * them rounding keeps every bound below their cost.
 */
export function provedOfPart(reduced: ReducedCosts, core: Core, removed: Uint8Array, goal: Goal): Part {
  const { constant } = reduced;
  if (constant >= goal.cost) return { bound: goal.least, closed: true, open: UNASSIGNED };
  const hasTracks = !core.trackEdges.edges.some((e) => removed[e] === 1);
  if (!hasTracks || !provesAgainst(reduced, goal.cost)) return { bound: constant, closed: false, open: UNASSIGNED };
  const { left, bound, closed } = eliminateNextTo(core, reduced, goal.cost);
  const open = closed ? undefined : core.trackEdges.edges.find((e) => left.active[e] === 1 && isLink(core.graph, e));
  return { bound: left.activeEdges === 0 ? goal.least : bound, closed, open: open ?? UNASSIGNED };
}

/**
 * Cuts the core of all tracks that cost less than `below` out of an instance or a core, by chains of reduced costs alone: elimination is about sets of
 * tracks that are cheaper than the present ones.
 * @param below at most what the present tracks cost
 * @param most triplets of the core at most; null is returned where there are more
 */
export function narrowBelow(
  whole: Core,
  reduced: ReducedCosts,
  below: number,
  most: number,
  chains = chainsOf(whole, reduced),
): CutCore | null {
  if (!provesAgainst(reduced, below)) return null;
  return cutCore(whole, reduced, chains, roomOver(reduced.constant, below), most);
}
