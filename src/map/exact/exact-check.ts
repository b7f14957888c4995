import { PairMap } from "../../core/pair-map.js";
import { type Cut, rightOf } from "../certificate/cuts.js";
import { certifySurcharge } from "../certificate/surcharge.js";
import { type Incidence, incidenceOf } from "../instance/incidence.js";
import { type Graph, tripletCost, tripletIndex } from "../instance/instance.js";
import { type Proof, reducedIn, refuteStage, type Stage } from "./check-proof.js";
import type { Core } from "./core.js";
import { decide, leafCover } from "./decisions.js";
import { type OwnEdges, ownEdges } from "./own-edges.js";
import { type Goal, goalOf, narrow, narrowBelow, wholeOf } from "./stages.js";

/**
 * A proof checked without any rounding. Costs, multipliers and duals are f64 numbers, multiples of a power of two, and everything that a proof makes
 * of them is sums, differences and minima: with integers of any length, in units of the smallest such power, all of it is exact. The f64
 * code only names the cores; that nothing in between was left out which a cheaper set of tracks could use is decided here.
 */
export type ExactlyChecked =
  | {
      readonly valid: true;
      /** In units of 2^−shift, births and deaths as stated: no set of tracks costs less than `lowerBound`, and the tracks cost `upperBound`. */
      readonly lowerBound: bigint;
      readonly upperBound: bigint;
      readonly shift: number;
    }
  | { readonly valid: false; readonly why: string };

/** Exact numbers, null for Infinity. */
type Exact = bigint | null;
const less = (a: Exact, b: Exact): boolean => a !== null && (b === null || a < b);
const least = (a: Exact, b: Exact): Exact => (less(a, b) ? a : b);
const plus = (...terms: readonly Exact[]): Exact =>
  terms.reduce((sum, term) => (sum === null || term === null ? null : sum + term), 0n as Exact);

/** The identity of docs/algorithm.md §2.1 in exact numbers. */
interface ExactCosts {
  readonly graph: Graph;
  readonly incidence: Incidence;
  readonly constant: Exact;
  /** r_e, null for an edge that cannot be used. */
  readonly edge: readonly Exact[];
  /** s_ef, null where f may not follow e. */
  triplet(e: number, f: number): Exact;
}

export function checkExactly(graph: Graph, tracks: Int32Array, { stages, leaves }: Proof): ExactlyChecked {
  const goal = goalOf(graph, tracks);
  if (goal === null) return { valid: false, why: "the tracks are not allowed" };
  const { shift, units } = unitsOf(graph, [...stages, ...leaves]);
  let here: Core = wholeOf(graph, tracks);
  /** In the costs that are computed with, as `bound` is. */
  const cost = costOf(here, units);
  let bound: Exact = null;
  /** What costs less than this is in the present core. */
  let below: { readonly f64: number; readonly exact: bigint } = { f64: Number.POSITIVE_INFINITY, exact: cost };
  const raise = (value: Exact): void => {
    const most = value === null || value > below.exact ? below.exact : value;
    bound = bound === null || most > bound ? most : bound;
  };
  const proved = (): ExactlyChecked =>
    bound === null
      ? { valid: false, why: "nothing is proved" }
      : {
          valid: true,
          lowerBound: bound + units(certifySurcharge(graph).least),
          upperBound: cost + surchargeOf(graph, tracks, units),
          shift,
        };

  for (const [n, stage] of stages.entries()) {
    const why = refuteStage(here.graph, stage);
    if (why !== null) return { valid: false, why: `stage ${n} ${why}` };
    const costs = exactCosts(here, stage, here.removed, units);
    raise(costs.constant);
    const own = ownEdges(here.graph, here.tracks);
    const chains = exactChains(costs);
    if (stage.below !== undefined && stage.below < below.f64) {
      if (!(stage.below <= goal.cost)) return { valid: false, why: `stage ${n} looks below ${stage.below}` };
      // The tracks' cost in f64 is rounded up.
      const exact = units(stage.below);
      below = { f64: stage.below, exact: exact < cost ? exact : cost };
    }
    if (below.f64 < Number.POSITIVE_INFINITY) {
      const room = below.exact - (costs.constant ?? below.exact);
      const core = coreBelow(here, stage, below.f64);
      if (core === null) return { valid: false, why: `stage ${n} leaves too much` };
      const active = Uint8Array.from(chains.through, (value) => (less(value, room) ? 1 : 0));
      const missing = missingFrom(core, costs, chains, own, active, room);
      if (missing !== null) return { valid: false, why: `the core of stage ${n} lacks ${missing}` };
      here = core;
      continue;
    }
    const left = exactElimination(costs, chains.through, own, costs.constant === null ? 0n : cost - costs.constant);
    raise(cost - left.roomInAll);
    if (left.edges === 0) return proved();

    const next = coreOf(here, stage, goal);
    // In f64 only rounding is left (settled.ts); exactly the tracks may still cost as much more than the bound.
    if (next === null) return proved();
    const missing = missingFrom(next, costs, chains, own, left.active, cost - (costs.constant ?? cost));
    if (missing !== null) return { valid: false, why: `the core of stage ${n} lacks ${missing}` };
    here = next;
  }
  if (leaves.length === 0) return proved();
  const uncovered = leafCover(leaves.map(({ decisions }) => decisions));
  if (uncovered !== null) return { valid: false, why: uncovered };
  let all: Exact = null;
  for (const [n, leaf] of leaves.entries()) {
    const why = refuteStage(here.graph, leaf, leaf.decisions);
    if (why !== null) return { valid: false, why: `leaf ${n} ${why}` };
    const removed = here.removed.slice();
    for (const decision of leaf.decisions) decide(here, decision, removed);
    all = least(all, leastIn(exactCosts(here, leaf, removed, units), here, removed));
  }
  raise(all);
  return proved();

  /** What no set of tracks in a part of a core undercuts, that without the edges `removed`. */
  function leastIn(costs: ExactCosts, { graph, tracks }: Core, removed: Uint8Array): Exact {
    const own = ownEdges(graph, tracks);
    const { constant } = costs;
    if (constant === null || constant >= cost || own.edges.some((e) => removed[e] === 1)) return constant;
    return cost - exactElimination(costs, exactChains(costs).through, own, cost - constant).roomInAll;
  }
}

/** The core that the f64 code cuts, whose numbers the next stage uses. */
function coreOf(here: Core, stage: Stage, goal: Goal): Core | null {
  return narrow(reducedIn(here, stage), here.incidence, here.tracks, goal, Number.POSITIVE_INFINITY)?.core ?? null;
}

/** The same for what costs less than `below`. */
function coreBelow(here: Core, stage: Stage, below: number): Core | null {
  return narrowBelow(reducedIn(here, stage), here.incidence, here.tracks, below, Number.POSITIVE_INFINITY);
}

/** What a set of tracks cheaper than those at hand may use, or these do, and a core does not have at the same cost; null where it has all. */
function missingFrom(
  core: Core,
  { graph, incidence, edge, triplet }: ExactCosts,
  { before, after }: ExactChains,
  { isOwn, into, out }: OwnEdges,
  active: Uint8Array,
  room: bigint,
): string | null {
  const place = new Int32Array(graph.edges).fill(-1);
  core.edgeOf.forEach((e, n) => {
    if (core.removed[n] === 0) place[e] = n;
  });
  const kept = (e: number): boolean => isOwn[e] === 1 || active[e] === 1;
  for (let e = 0; e < graph.edges; e++) {
    if (kept(e) && place[e] < 0) return `edge ${e}`;
    if (place[e] >= 0 && core.graph.cost[place[e]] !== graph.cost[e]) return `the cost of edge ${e}`;
  }
  let missing: string | null = null;
  const stored = core.graph.triplets;
  if (stored.kind !== "csr") return "stored triplets";
  eachTriplet(graph, incidence, (e, f) => {
    if (missing !== null || !kept(e) || !kept(f)) return;
    const own = into[graph.head[e]] === e && out[graph.tail[f]] === f;
    if (!own && !less(plus(before[e], edge[e], triplet(e, f), edge[f], after[f]), room)) return;
    const t = tripletIndex(stored, place[e], place[f]);
    if (t < 0 || stored.cost[t] !== tripletCost(graph, e, f)) missing = `triplet ${e}, ${f}`;
  });
  return missing;
}

/** A power of two of which every number is a multiple, and f64 numbers in units of it. */
function unitsOf(graph: Graph, stages: readonly Stage[]) {
  let shift = 0;
  const see = (value: number): void => {
    if (value !== 0) shift = Math.max(shift, binaryPlaces(value));
  };
  for (const value of graph.cost) see(value);
  for (const value of graph.surcharge?.stated ?? []) see(value);
  see(certifySurcharge(graph).least);
  eachTriplet(graph, incidenceOf(graph), (e, f) => see(tripletCost(graph, e, f)));
  for (const { v, columnDual, cutMultipliers, below = 0 } of stages)
    for (const values of [v, columnDual, cutMultipliers, [below]]) for (const value of values) see(value);
  return { shift, units: (value: number): bigint => scaled(value, shift) };
}

const view = new DataView(new ArrayBuffer(8));

/** value = mantissa · 2^exponent, exactly. */
function parts(value: number): { readonly mantissa: bigint; readonly exponent: number } {
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const magnitude = biased === 0 ? fraction : fraction | 0x10000000000000n;
  return { mantissa: value < 0 ? -magnitude : magnitude, exponent: Math.max(biased, 1) - 1075 };
}

function binaryPlaces(value: number): number {
  const { mantissa, exponent } = parts(value);
  let [odd, places] = [mantissa, -exponent];
  while (odd % 2n === 0n && places > 0) {
    odd /= 2n;
    places--;
  }
  return places;
}

function scaled(value: number, shift: number): bigint {
  const { mantissa, exponent } = parts(value);
  const by = exponent + shift;
  return by >= 0 ? mantissa << BigInt(by) : mantissa >> BigInt(-by);
}

/** The greatest f64 number that is not above an exact one. */
export function roundDown(value: bigint, shift: number): number {
  const bits = (value < 0n ? -value : value).toString(2).length;
  const cut = Math.max(0, bits - 53);
  // An arithmetic shift rounds towards −Infinity.
  return Number(value >> BigInt(cut)) * 2 ** (cut - shift);
}

function eachTriplet(graph: Graph, { outFrom, outEdge }: Incidence, see: (e: number, f: number) => void): void {
  const { frames, frameStart, edges, head, triplets } = graph;
  for (let e = 0; e < edges; e++) {
    const d = head[e];
    if (d < 0 || d >= frameStart[frames - 1]) continue;
    if (triplets.kind === "csr") {
      for (let t = triplets.start[e]; t < triplets.start[e + 1]; t++) see(e, triplets.successor[t]);
    } else for (let q = outFrom[d]; q < outFrom[d + 1]; q++) see(e, outEdge[q]);
  }
}

/** What the tracks cost: edges and triplets. */
function costOf({ graph, tracks }: Core, units: (value: number) => bigint): bigint {
  const { edges, frames, frameStart, cost } = graph;
  const { isOwn, into, out } = ownEdges(graph, tracks);
  let sum = 0n;
  for (let e = 0; e < edges; e++) if (isOwn[e] === 1) sum += units(cost[e]);
  for (let d = frameStart[1]; d < frameStart[frames - 1]; d++) sum += units(tripletCost(graph, into[d], out[d]));
  return sum;
}

/** How much more the tracks' births and deaths cost as stated than as computed with. */
function surchargeOf(graph: Graph, tracks: Int32Array, units: (value: number) => bigint): bigint {
  const { surcharge, links, edges, cost } = graph;
  if (surcharge === null) return 0n;
  const { isOwn } = ownEdges(graph, tracks);
  let sum = 0n;
  for (let e = links; e < edges; e++) if (isOwn[e] === 1) sum += units(surcharge.stated[e - links]) - units(cost[e]);
  return sum;
}

function exactCosts(
  { graph, incidence }: Core,
  { v, columnDual, cuts, cutMultipliers }: Stage,
  removed: Uint8Array,
  units: (value: number) => bigint,
): ExactCosts {
  const { frames, frameStart, edges, tail, head, cost } = graph;
  const ofEdge = new Map<number, bigint>();
  const ofTriplet = new PairMap<bigint>();
  let constant: Exact = 0n;
  cuts.forEach((cut: Cut, k) => {
    const mu = units(cutMultipliers[k]);
    constant = plus(constant, -mu * BigInt(rightOf(cut)));
    for (const [e, f] of cut.items) {
      if (f < 0) ofEdge.set(e, (ofEdge.get(e) ?? 0n) + mu);
      else ofTriplet.set(e, f, (ofTriplet.get(e, f) ?? 0n) + mu);
    }
  });
  const exactV = Array.from(v, (value) => units(value));
  const gap = (e: number, f: number): Exact => {
    const price = tripletCost(graph, e, f);
    if (price === Number.POSITIVE_INFINITY || removed[e] === 1 || removed[f] === 1) return null;
    return units(price) + (ofTriplet.get(e, f) ?? 0n) - exactV[f];
  };
  const continues = (e: number): boolean => head[e] >= 0 && head[e] < frameStart[frames - 1];
  const delta: Exact[] = Array.from({ length: edges }, (_, e) => (continues(e) ? null : 0n));
  eachTriplet(graph, incidence, (e, f) => {
    delta[e] = least(delta[e], gap(e, f));
  });
  const own: Exact[] = Array.from({ length: edges }, (_, e) => {
    if (removed[e] === 1) return null;
    const free = tail[e] < 0 || tail[e] < frameStart[1];
    return plus(units(cost[e]) + (ofEdge.get(e) ?? 0n) + (free ? 0n : exactV[e]), delta[e]);
  });
  const beta: bigint[] = Array.from(columnDual, (value) => units(value));
  const alpha: Exact[] = Array.from({ length: frameStart[frames - 1] }, () => null);
  for (let e = 0; e < edges; e++) {
    const value = own[e];
    if (tail[e] < 0 && value !== null && value < beta[head[e]]) beta[head[e]] = value;
  }
  const slack = (e: number): Exact => plus(own[e], head[e] < 0 ? 0n : -beta[head[e]]);
  for (let e = 0; e < edges; e++) if (tail[e] >= 0) alpha[tail[e]] = least(alpha[tail[e]], slack(e));
  for (const value of alpha) constant = plus(constant, value);
  for (let j = frameStart[1]; j < beta.length; j++) constant = plus(constant, beta[j]);
  const edge = own.map((_, e): Exact => {
    const row = tail[e] < 0 ? 0n : alpha[tail[e]];
    return row === null ? null : plus(slack(e), -row);
  });
  const triplet = (e: number, f: number): Exact => {
    const [own, from] = [gap(e, f), delta[e]];
    return own === null || from === null ? null : own - from;
  };
  return { graph, incidence, constant, edge, triplet };
}

interface ExactChains {
  readonly before: readonly Exact[];
  readonly after: readonly Exact[];
  readonly through: readonly Exact[];
}

/**
 * Least sums along tracks (docs/exact.md §1), over the edges with `active` 1; where the edge of T* at a detection is not, tracks within a component
 * end there with it.
 */
function exactChains(
  { graph, incidence, edge, triplet }: ExactCosts,
  within: { readonly active: Uint8Array; readonly own: OwnEdges } | null = null,
): ExactChains {
  const { frames, frameStart, edges } = graph;
  const { outFrom, outEdge, inFrom, inEdge } = incidence;
  const before: Exact[] = new Array(edges).fill(0n);
  const after: Exact[] = new Array(edges).fill(0n);
  const [first, last] = [frameStart[1], frameStart[frames - 1]];
  const ofList = (from: Uint32Array, list: Uint32Array, d: number): number[] => {
    const own = Array.from(list.subarray(from[d], from[d + 1]));
    return within === null ? own : own.filter((e) => within.active[e] === 1);
  };
  const sweep = (d: number, forwards: boolean): void => {
    const [entering, leaving] = [ofList(inFrom, inEdge, d), ofList(outFrom, outEdge, d)];
    const fixedOut = within !== null && within.active[within.own.out[d]] === 0 ? within.own.out[d] : -1;
    const fixedIn = within !== null && within.active[within.own.into[d]] === 0 ? within.own.into[d] : -1;
    if (forwards) {
      for (const f of leaving) {
        before[f] =
          fixedIn >= 0
            ? triplet(fixedIn, f)
            : entering.reduce((low, e) => least(low, plus(before[e], edge[e], triplet(e, f))), null as Exact);
      }
    } else {
      for (const e of entering) {
        after[e] =
          fixedOut >= 0
            ? triplet(e, fixedOut)
            : leaving.reduce((low, f) => least(low, plus(triplet(e, f), edge[f], after[f])), null as Exact);
      }
    }
  };
  for (let d = last - 1; d >= first; d--) sweep(d, false);
  for (let d = first; d < last; d++) sweep(d, true);
  const through = edge.map((r, e) => (within !== null && within.active[e] === 0 ? null : plus(before[e], r, after[e])));
  return { before, after, through };
}

/** Elimination (docs/exact.md §2) at level 0 to its fixed point. */
function exactElimination(costs: ExactCosts, whole: readonly Exact[], own: OwnEdges, room: bigint) {
  const { graph, incidence, edge, triplet } = costs;
  const { frames, frameStart, edges, tail, head } = graph;
  const { outFrom, outEdge, inFrom, inEdge } = incidence;
  const { out, into, isOwn } = own;
  const detections = frameStart[frames];
  const active = Uint8Array.from({ length: edges }, (_, e) => (isOwn[e] === 1 || less(whole[e], room) ? 1 : 0));
  let through = whole;
  let component = new Int32Array(detections).fill(0);
  let rooms: bigint[] = [room];
  let roomInAll = room;
  const roomAt = (e: number): bigint => rooms[component[tail[e] < 0 ? head[e] : tail[e]]] ?? 0n;
  const others = (from: Uint32Array, list: Uint32Array, d: number, not: (e: number) => boolean): Exact => {
    let low: Exact = null;
    for (let k = from[d]; k < from[d + 1]; k++) {
      const e = list[k];
      if (active[e] === 1 && isOwn[e] === 0 && !not(e)) low = least(low, through[e]);
    }
    return low;
  };
  /** What the detections that x leaves without a partner pay for other ones. */
  const rest = (x: number): Exact => {
    const i = head[x] < 0 ? -1 : tail[into[head[x]]];
    const j = tail[x] < 0 ? -1 : head[out[tail[x]]];
    const joins = (e: number): boolean => i >= 0 && j >= 0 && tail[e] === i && head[e] === j;
    const outOther = i < 0 ? 0n : others(outFrom, outEdge, i, joins);
    const inOther = j < 0 ? 0n : others(inFrom, inEdge, j, joins);
    let joined: Exact = null;
    if (i >= 0 && j >= 0)
      for (let k = outFrom[i]; k < outFrom[i + 1]; k++)
        if (joins(outEdge[k]) && active[outEdge[k]] === 1) joined = least(joined, through[outEdge[k]]);
    return least(joined, plus(outOther, inOther));
  };

  for (let left = -1; ; ) {
    const dropped: number[] = [];
    for (let e = 0; e < edges; e++) {
      if (active[e] === 0 || isOwn[e] === 1) continue;
      if (!less(through[e], roomAt(e)) || !less(plus(through[e], rest(e)), roomAt(e))) dropped.push(e);
    }
    for (const e of dropped) active[e] = 0;
    dropAlone(graph, incidence, own, active);
    const now = active.reduce((sum, one) => sum + one, 0);
    if (now === left) break;
    left = now;
    const found = componentsOf(graph, active);
    component = found.component;
    rooms = Array.from({ length: found.count }, () => 0n);
    let [outside, inside] = [0n, 0n];
    const share = (value: Exact, at: number): void => {
      const cost = value ?? 0n;
      if (at < 0) outside += cost;
      else {
        rooms[at] += cost;
        inside += cost;
      }
    };
    for (let e = 0; e < edges; e++)
      if (isOwn[e] === 1) share(edge[e], active[e] === 1 ? component[tail[e] < 0 ? head[e] : tail[e]] : -1);
    for (let d = frameStart[1]; d < frameStart[frames - 1]; d++) share(triplet(into[d], out[d]), component[d]);
    // What slack cuts keep from T* counts everywhere.
    const hidden = room - inside - outside;
    rooms = rooms.map((value) => value + hidden);
    roomInAll = found.count === 0 ? 0n : room - outside;
    through = exactChains(costs, { active, own }).through;
  }
  const count = active.reduce((sum, one) => sum + one, 0);
  return { active, edges: count, roomInAll };
}

/** Drops edges of T* with an end that nothing else touches, and others where the edge of T* at an end is gone. */
function dropAlone({ edges, tail, head }: Graph, incidence: Incidence, own: OwnEdges, active: Uint8Array): void {
  const { outFrom, outEdge, inFrom, inEdge } = incidence;
  const other = (from: Uint32Array, list: Uint32Array, d: number): boolean => {
    for (let k = from[d]; k < from[d + 1]; k++) if (active[list[k]] === 1 && own.isOwn[list[k]] === 0) return true;
    return false;
  };
  for (let changed = true; changed; ) {
    changed = false;
    for (let e = 0; e < edges; e++) {
      if (active[e] === 0) continue;
      const [i, j] = [tail[e], head[e]];
      const alone =
        own.isOwn[e] === 1
          ? (i >= 0 && !other(outFrom, outEdge, i)) || (j >= 0 && !other(inFrom, inEdge, j))
          : (i >= 0 && active[own.out[i]] === 0) || (j >= 0 && active[own.into[j]] === 0);
      if (!alone) continue;
      active[e] = 0;
      changed = true;
    }
  }
}

function componentsOf({ frames, frameStart, edges, tail, head }: Graph, active: Uint8Array) {
  const detections = frameStart[frames];
  const near: number[][] = Array.from({ length: detections }, () => []);
  const touched = new Uint8Array(detections);
  for (let e = 0; e < edges; e++) {
    if (active[e] === 0) continue;
    for (const d of [tail[e], head[e]]) if (d >= 0) touched[d] = 1;
    if (tail[e] >= 0 && head[e] >= 0) {
      near[tail[e]].push(head[e]);
      near[head[e]].push(tail[e]);
    }
  }
  const component = new Int32Array(detections).fill(-1);
  let count = 0;
  for (let d = 0; d < detections; d++) {
    if (touched[d] === 0 || component[d] >= 0) continue;
    const queue = [d];
    component[d] = count;
    for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
      for (const next of near[at]) {
        if (component[next] >= 0) continue;
        component[next] = count;
        queue.push(next);
      }
    }
    count++;
  }
  return { component, count };
}
