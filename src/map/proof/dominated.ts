import { EQUAL, relativeGap } from "../certificate/gap.js";
import { type Chains, chainsOf } from "./chains.js";
import { type Core, hasTracks } from "./core.js";
import { createElimination, type Effort, type Left } from "./elimination.js";
import { forcedCosts } from "./exchange.js";
import { CHECK_LIMITS, exhaust } from "./exhaustion.js";
import type { Numbers, Value, Values } from "./numbers.js";
import type { Reduced } from "./reduced.js";
import { isSettled } from "./settled.js";

/** The cost of the present tracks as computed with, from below and above. */
export interface Cost {
  readonly least: Value;
  readonly most: Value;
  /** At most what a cheaper set of tracks saves (`leastSaving` of the instance's grain). */
  readonly saving: Value;
}

/** The proof that multipliers give of an instance or a core. */
export interface Dominated<V extends Value = Value, L extends Values = Values> {
  /** No set of tracks costs less, as far as everything that costs less than `below` is here. */
  readonly bound: V;
  /** Nothing is cheaper than the present tracks but by rounding. */
  readonly closed: boolean;
  /** 1 for the edges that are not dominated. */
  readonly active: Uint8Array;
  readonly chains: Chains<L>;
  /** At least what the present tracks cost beyond the bound; without them what is cheaper than `below` may. */
  readonly room: V;
  /** A track that costs as much beyond the bound is dominated. */
  readonly limit: V;
  /** null without elimination. */
  readonly left: Left<V, L> | null;
}

/** What of `dominate` was computed before. */
export interface Known {
  readonly chains?: Chains;
  /** Of the same tracks; taken where limits had no part in it. */
  readonly left?: Left | null;
  /** As `forcedCosts` has it, up to the room or more. */
  readonly forced?: Values;
}

/** Elimination next to the present tracks, or chains alone for what costs less than a bound below them, and in parts where they do not lie. */
export function dominate(
  numbers: Numbers,
  core: Core,
  reduced: Reduced,
  below: Value,
  cost: Cost,
  effort: Effort = {},
  { chains = chainsOf(numbers, core, reduced), left: before = null, forced }: Known = {},
): Dominated {
  const { up, down } = numbers;
  const room = up(below, -reduced.constant);
  const isWhole = below >= cost.most;
  const level = isWhole ? -cost.saving : numbers.of(0);
  if (!isWhole || !hasTracks(core)) {
    const limit = up(room, level);
    const active = cheaperThan(chains, limit);
    return { bound: reduced.constant, closed: false, active, chains, room, limit, left: null };
  }
  const { search = CHECK_LIMITS } = effort;
  const eliminated = (): Left => {
    const costs = forced ?? forcedCosts(numbers, core, chains, up(room, level));
    return createElimination(numbers, core, reduced, costs, room)({ ...effort, level });
  };
  const left = before?.isFixed === true ? before : eliminated();
  const { active, activeEdges } = left;
  const open = { active, chains, limit: up(room, level) };
  const isExhausted = activeEdges === 0 || exhaust(numbers, core, reduced, open, search)?.found === null;
  const bound = isExhausted ? cost.least : down(cost.most, -left.roomInAll());
  const isClose = (): boolean => relativeGap(numbers.f64(bound), numbers.f64(cost.most)) <= EQUAL;
  const closed = isExhausted || (isClose() && isSettled(numbers, core, reduced, active));
  return { bound, closed, ...open, room, left };
}

/** 1 for the edges on a track that costs less than the room. */
export function cheaperThan({ through }: Chains, room: Value): Uint8Array {
  const cheaper = new Uint8Array(through.length);
  for (let e = 0; e < through.length; e++) if (through[e] < room) cheaper[e] = 1;
  return cheaper;
}

/** The proof that multipliers give of a part of a core. */
export interface Part<V extends Value = Value> {
  /** No set of tracks in it costs less. */
  readonly bound: V;
  /** Whether none is cheaper than the present tracks but by rounding. */
  readonly closed: boolean;
  /** 1 for the edges that elimination leaves; null where there was none. */
  readonly active: Uint8Array | null;
}

/**
 * The proof that multipliers give of a part of a core: by the bound, or by elimination where the tracks lie in the part, since next to
 * them rounding keeps every bound below their cost.
 */
export function boundPart(numbers: Numbers, core: Core, reduced: Reduced, cost: Cost): Part {
  const { constant } = reduced;
  if (reachesCost(numbers, constant, cost)) return { bound: cost.least, closed: true, active: null };
  if (!hasTracks(core) || !isFiniteValue(constant)) return { bound: constant, closed: false, active: null };
  const { bound, closed, active } = dominate(numbers, core, reduced, cost.most, cost);
  return { bound: bound > constant ? bound : constant, closed, active };
}

/** Whether a bound leaves no room for a cheaper set of tracks. */
export function reachesCost({ down }: Numbers, bound: Value, { most, saving }: Cost): boolean {
  return bound >= most || (isFiniteValue(bound) && down(bound, saving) >= most);
}

/** NaN compares with nothing. */
export function isFiniteValue(value: Value): boolean {
  return value > Number.NEGATIVE_INFINITY && value < Number.POSITIVE_INFINITY;
}
