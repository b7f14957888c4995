import { UNASSIGNED } from "../../lap/lap.js";
import { priceTracks } from "../certificate/certificate.js";
import { ROUNDOFF } from "../certificate/compensated-sum.js";
import { EQUAL, relativeGap } from "../certificate/gap.js";
import type { ReducedCosts } from "../certificate/reduced-costs.js";
import { type Incidence, incidenceOf } from "../instance/incidence.js";
import type { Graph } from "../instance/instance.js";
import { type Chains, chainsOf } from "./chains.js";
import { type Core, cutCore } from "./core.js";
import { eliminate } from "./elimination.js";
import { type OwnEdges, ownEdges } from "./own-edges.js";
import { settled } from "./settled.js";

/** What is left of an instance by multipliers that bound it, next to a set of tracks. */
export interface Narrowed {
  /** Holds what may be cheaper than the tracks; null where nothing can be but by rounding, so that the tracks are optimal. */
  readonly core: Core | null;
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
  const least = priced.computed - 2 * priced.roundingAllowance;
  return {
    cost: priced.computed,
    least: least - 2 * ROUNDOFF * Math.abs(least),
    near: priced.computed - ROUNDING_OF_DUALS * priced.magnitude,
  };
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
export function provesAgainst({ constant }: ReducedCosts, { cost }: Pick<Goal, "cost">): boolean {
  return Number.isFinite(constant) && Number.isFinite(roomOver(constant, cost));
}

/** What elimination makes of an instance or a core by multipliers, next to the tracks. */
function eliminateNextTo(reduced: ReducedCosts, incidence: Incidence, tracks: Int32Array, goal: Goal) {
  const room = roomOver(reduced.constant, goal.cost);
  const own = ownEdges(reduced.graph, tracks);
  const chains = chainsOf(reduced, incidence);
  const left = eliminate(reduced, incidence, chains, own, room, 0);
  const lifted = goal.cost - left.roomInAll * (1 + 4 * ROUNDOFF);
  const bound =
    left.activeEdges === 0 ? goal.least : Math.max(reduced.constant, lifted - 2 * ROUNDOFF * Math.abs(lifted));
  const closed =
    left.activeEdges === 0 || (relativeGap(bound, goal.cost) <= EQUAL && settled(reduced, incidence, own, left));
  return { room, own, chains, left, bound, closed };
}

/**
 * Cuts the core of what may be cheaper than the tracks out of an instance or a core, by elimination and by chains of reduced costs.
 * @param most triplets of the core at most; null is returned where there are more, and where the multipliers prove nothing
 */
export function narrow(
  reduced: ReducedCosts,
  incidence: Incidence,
  tracks: Int32Array,
  goal: Goal,
  most: number,
): Narrowed | null {
  if (!provesAgainst(reduced, goal)) return null;
  const { room, own, chains, left, bound, closed } = eliminateNextTo(reduced, incidence, tracks, goal);
  if (closed) return { core: null, bound };
  const core = cutCore(reduced, incidence, chains, own, room, most, left.active);
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
  const own = ownEdges(core.graph, core.tracks);
  const lies = !own.edges.some((e) => removed[e] === 1);
  if (!lies || !provesAgainst(reduced, goal)) return { bound: constant, closed: false, open: UNASSIGNED };
  const { left, bound, closed } = eliminateNextTo(reduced, core.incidence, core.tracks, goal);
  const open = closed ? undefined : own.edges.find((e) => left.active[e] === 1 && e < core.graph.links);
  return { bound, closed, open: open ?? UNASSIGNED };
}

/**
 * Cuts the core of what may cost less than `below` out of an instance or a core, by chains of reduced costs alone: elimination is about sets of
 * tracks that are cheaper than the present ones.
 * @param below at most what the present tracks cost
 * @param most triplets of the core at most; null is returned where there are more
 */
export function narrowBelow(
  reduced: ReducedCosts,
  incidence: Incidence,
  tracks: Int32Array,
  below: number,
  most: number,
): Core | null {
  const { graph } = reduced;
  const chains = chainsOf(reduced, incidence);
  return cutBelow(reduced, incidence, chains, ownEdges(graph, tracks), below, most);
}

/** The same with chains that are known. */
export function cutBelow(
  reduced: ReducedCosts,
  incidence: Incidence,
  chains: Chains,
  own: OwnEdges,
  below: number,
  most: number,
): Core | null {
  if (!provesAgainst(reduced, { cost: below })) return null;
  const all = new Uint8Array(reduced.graph.edges).fill(1);
  return cutCore(reduced, incidence, chains, own, roomOver(reduced.constant, below), most, all);
}

/** A core that is a whole instance, with which the stages begin. */
export function wholeOf(graph: Graph, tracks: Int32Array): Core {
  return {
    graph,
    incidence: incidenceOf(graph),
    removed: new Uint8Array(graph.edges),
    edgeOf: Uint32Array.from({ length: graph.edges }, (_, e) => e),
    tracks,
  };
}
