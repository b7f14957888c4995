import { UNASSIGNED } from "../../lap/lap.js";
import { grainOf, leastSaving } from "../certificate/grain.js";
import { priceTracks } from "../certificate/price-tracks.js";
import { type Incidence, incidenceOf } from "../instance/incidence.js";
import { type Graph, isLink } from "../instance/instance.js";
import { type Chains, chainsOf } from "../proof/chains.js";
import type { Core } from "../proof/core.js";
import {
  boundPart,
  type Cost,
  cheaperThan,
  type Dominated,
  dominate,
  type Known,
  reachesCost,
} from "../proof/dominated.js";
import type { Effort } from "../proof/elimination.js";
import type { SearchLimits } from "../proof/exhaustion.js";
import { rounded } from "../proof/numbers.js";
import type { Multipliers } from "../proof/proof.js";
import { type Reduced, reduce } from "../proof/reduced.js";
import { type CutCore, cutCore } from "./core.js";

/** What the check of a proof computes, in f64: the solver claims what the check finds. */
export type ReducedCosts = Reduced<number, Float64Array>;
export type ChainsInF64 = Chains<Float64Array>;
export type DominatedInF64 = Dominated<number, Float64Array>;

/** How far the solver's elimination goes. */
export interface EliminationLimits {
  /** Rounds at most. */
  readonly rounds: number;
  /** An instance of more edges than `smallEdges` is crowded when more than this share of them remains; it gets one round. */
  readonly crowdedShare: number;
  readonly smallEdges: number;
  /** Of going through all that it leaves: milliseconds in most, half a second at most. */
  readonly search: SearchLimits;
}

/**
 * Fixed points are near after a few rounds, and stopping early only proves less. Where nearly all edges remain, the room is too large for
 * rounds to separate anything; in a small instance they take no time.
 */
export const ELIMINATION_LIMITS: EliminationLimits = {
  rounds: 20,
  crowdedShare: 0.95,
  smallEdges: 100_000,
  search: { mostTracks: 1000, mostSteps: 4e7 },
};

export function effortFor(
  { edges }: Graph,
  { rounds, crowdedShare, smallEdges, search }: EliminationLimits = ELIMINATION_LIMITS,
): Effort {
  return { rounds, crowd: edges > smallEdges ? crowdedShare * edges : Number.POSITIVE_INFINITY, search };
}

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
  /** At most what a cheaper set of tracks saves. */
  readonly saving: number;
}

/** Relative to the magnitudes of the tracks' terms; duals of a linear program prove less than multipliers that were fitted to rounding. */
const ROUNDING_OF_DUALS = 2 ** -44;

/** @returns null where the tracks are not allowed */
export function goalOf(graph: Graph, tracks: Int32Array): Goal | null {
  const priced = priceTracks(graph, tracks);
  if (priced.status === "forbidden" || !Number.isFinite(priced.computed)) return null;
  const { computed, least, magnitude } = priced;
  const near = computed - ROUNDING_OF_DUALS * magnitude;
  return { cost: computed, least, near, saving: leastSaving(grainOf(graph)) };
}

/** Whether a bound is within the relative gap of the tracks' cost, or leaves no room for cheaper ones. */
export function meets(bound: number, goal: Goal, gap: number): boolean {
  return goal.cost - bound <= gap * Math.abs(goal.cost) || reachesCost(rounded, bound, costOf(goal));
}

/** The reduced costs of an instance by multipliers without cuts. */
export function reduceCosts(
  graph: Graph,
  incidence: Incidence,
  v: Float64Array,
  columnDual: Float64Array,
): ReducedCosts {
  const none = { v, columnDual, cuts: [], cutMultipliers: new Float64Array(0) };
  return reduceCore({ graph, incidence, removed: new Uint8Array(graph.edges) }, none);
}

/** The reduced costs of a core without the edges `without`; `joins` as in `reduce`. Multipliers that are no finite numbers, as by an overflow, prove nothing. */
export function reduceCore(
  { graph, incidence, removed }: Pick<Core, "graph" | "incidence" | "removed">,
  multipliers: Multipliers,
  without = removed,
  joins = true,
): ReducedCosts {
  const reduced = reduce(rounded, { graph, incidence }, multipliers, without, joins) as ReducedCosts;
  const { v, columnDual, cutMultipliers } = multipliers;
  return [v, columnDual, cutMultipliers].every(areFinite)
    ? reduced
    : { ...reduced, constant: Number.NEGATIVE_INFINITY };
}

/** A loop, which takes a sixth of the time of `every`. */
function areFinite(values: Float64Array): boolean {
  for (let n = 0; n < values.length; n++) if (!Number.isFinite(values[n])) return false;
  return true;
}

/** The bound that multipliers of an instance prove, with the cuts that they weigh. */
export function boundBy(graph: Graph, multipliers: Multipliers): number {
  return reduceCore({ graph, incidence: incidenceOf(graph), removed: new Uint8Array(graph.edges) }, multipliers)
    .constant;
}

/** Whether multipliers prove anything next to the tracks: both their bound and its distance to the cost are numbers. */
export function provesAgainst({ constant }: ReducedCosts, cost: number): boolean {
  return Number.isFinite(constant) && Number.isFinite(rounded.up(cost, -constant));
}

/** Elimination in an instance or a core by multipliers that prove something, next to tracks of that cost. */
export function eliminateNextTo(
  core: Core,
  reduced: ReducedCosts,
  goal: Goal,
  limits?: EliminationLimits,
  known?: Known,
): DominatedInF64 {
  const effort = effortFor(core.graph, limits);
  return dominate(rounded, core, reduced, goal.cost, costOf(goal), effort, known) as DominatedInF64;
}

function costOf({ cost, least, saving }: Goal): Cost {
  return { most: cost, least, saving };
}

/**
 * Cuts the core of all cheaper tracks out of an instance or a core, by elimination and by chains of reduced costs; where the tracks do not lie in it, by chains alone.
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
  const next = eliminateNextTo(whole, reduced, goal, limits);
  const { bound } = next;
  if (next.closed) return { core: null, bound };
  const core = cutCore(whole, reduced, next, most);
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

/** The proof that multipliers give of a part of a core. */
export function provedOfPart(reduced: ReducedCosts, core: Core, goal: Goal): Part {
  const { bound, closed, active } = boundPart(rounded, core, reduced, costOf(goal));
  const isOpen = (e: number): boolean => active?.[e] === 1 && isLink(core.graph, e);
  return {
    bound: bound as number,
    closed,
    open: (closed ? undefined : core.trackEdges.edges.find(isOpen)) ?? UNASSIGNED,
  };
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
  chains = chainsOf(rounded, whole, reduced),
): CutCore | null {
  if (!provesAgainst(reduced, below)) return null;
  const room = rounded.up(below, -reduced.constant);
  return cutCore(whole, reduced, { active: cheaperThan(chains, room), chains, limit: room }, most);
}
