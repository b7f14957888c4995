import { UNASSIGNED } from "../../lap/lap.js";
import { priceTracks } from "../certificate/certificate.js";
import { ROUNDOFF } from "../certificate/compensated-sum.js";
import { EQUAL, relativeGap } from "../certificate/gap.js";
import type { ReducedCosts } from "../certificate/reduced-costs.js";
import { type Graph, isLink } from "../instance/instance.js";
import type { Core } from "../proof/core.js";
import { rounded } from "../proof/numbers.js";
import { type OwnEdges, ownEdges } from "../proof/own-edges.js";
import { isSettled } from "../proof/settled.js";
import { type Chains, chainsOf } from "./chains.js";
import { type CutCore, cutCore } from "./core.js";
import { eliminate } from "./elimination.js";

/** What is left of an instance by multipliers that bound it, next to a set of tracks. */
export interface Narrowed {
  /** Holds what may be cheaper than the tracks; null where nothing can be but by rounding, so that the tracks are optimal. */
  readonly core: CutCore | null;
  /** No set of tracks costs less: the tracks less what the rooms of all components come to. */
  readonly bound: number;
}

/** What the tracks cost, from above and from below. */
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

/** What a set of tracks of that cost pays beyond a bound, rounded up. */
export function roomOver(bound: number, cost: number): number {
  return Math.max(0, cost - bound) * (1 + 4 * ROUNDOFF);
}

/** Whether multipliers prove anything next to the tracks: both their bound and its distance to the cost are numbers. */
export function provesAgainst({ constant }: ReducedCosts, cost: number): boolean {
  return Number.isFinite(constant) && Number.isFinite(roomOver(constant, cost));
}

/**
 * What elimination makes of an instance or a core by multipliers, next to the tracks.
 * @param leastSaved a set of tracks may save as much in any case, by rounding
 */
export function eliminateNextTo(
  reduced: ReducedCosts,
  { graph, incidence, tracks }: Pick<Core, "graph" | "incidence" | "tracks">,
  cost: number,
  leastSaved = 0,
) {
  const room = roomOver(reduced.constant, cost);
  const own = ownEdges(graph, tracks);
  const chains = chainsOf(reduced, incidence);
  const left = eliminate(reduced, incidence, chains, own, room, 0);
  const lifted = cost - Math.max(left.roomInAll, leastSaved) * (1 + 4 * ROUNDOFF);
  const bound = Math.max(reduced.constant, lifted - 2 * ROUNDOFF * Math.abs(lifted));
  const closed =
    left.activeEdges === 0 ||
    (relativeGap(bound, cost) <= EQUAL && isSettled(rounded, { graph, incidence }, reduced, own, left.active));
  return { room, own, chains, left, bound, closed };
}

/**
 * Cuts the core of what may be cheaper than the tracks out of an instance or a core, by elimination and by chains of reduced costs.
 * @param most triplets of the core at most; null is returned where there are more, and where the multipliers prove nothing
 */
export function narrow(whole: Core, reduced: ReducedCosts, goal: Goal, most: number): Narrowed | null {
  if (!provesAgainst(reduced, goal.cost)) return null;
  const { room, own, chains, left, ...next } = eliminateNextTo(reduced, whole, goal.cost);
  const bound = left.activeEdges === 0 ? goal.least : next.bound;
  if (next.closed) return { core: null, bound };
  const core = cutCore(whole, reduced, chains, own, room, most, left.active);
  return core === null ? null : { core, bound };
}

/** What multipliers prove of a part of a core. */
export interface Part {
  /** No set of tracks in it costs less. */
  readonly bound: number;
  /** Whether none is cheaper than the present tracks but by rounding. */
  readonly closed: boolean;
  /** A link of the present tracks that elimination leaves open; UNASSIGNED where it leaves none, or they do not lie in the part. */
  readonly open: number;
}

/**
 * What multipliers prove of a part of a core, that without the edges `removed`: by the bound, or by elimination where the tracks lie in the part, since next to
 * them rounding keeps every bound below their cost.
 */
export function provedOfPart(reduced: ReducedCosts, core: Core, removed: Uint8Array, goal: Goal): Part {
  const { constant } = reduced;
  if (constant >= goal.cost) return { bound: goal.least, closed: true, open: UNASSIGNED };
  const hasTracks = !ownEdges(core.graph, core.tracks).edges.some((e) => removed[e] === 1);
  if (!hasTracks || !provesAgainst(reduced, goal.cost)) return { bound: constant, closed: false, open: UNASSIGNED };
  const { own, left, bound, closed } = eliminateNextTo(reduced, core, goal.cost);
  const open = closed ? undefined : own.edges.find((e) => left.active[e] === 1 && isLink(core.graph, e));
  return { bound: left.activeEdges === 0 ? goal.least : bound, closed, open: open ?? UNASSIGNED };
}

/**
 * Cuts the core of what may cost less than `below` out of an instance or a core, by chains of reduced costs alone: elimination is about sets of
 * tracks that are cheaper than the present ones.
 * @param below at most what the present tracks cost
 * @param most triplets of the core at most; null is returned where there are more
 */
export function narrowBelow(whole: Core, reduced: ReducedCosts, below: number, most: number): CutCore | null {
  const chains = chainsOf(reduced, whole.incidence);
  return cutBelow(whole, reduced, chains, ownEdges(whole.graph, whole.tracks), below, most);
}

/** The same with chains that are known. */
export function cutBelow(
  whole: Core,
  reduced: ReducedCosts,
  chains: Chains,
  own: OwnEdges,
  below: number,
  most: number,
): CutCore | null {
  if (!provesAgainst(reduced, below)) return null;
  const all = new Uint8Array(whole.graph.edges).fill(1);
  return cutCore(whole, reduced, chains, own, roomOver(reduced.constant, below), most, all);
}
