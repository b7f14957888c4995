import { marked } from "../../core/growing-array.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { ROUNDOFF } from "../certificate/compensated-sum.js";
import type { ReducedCosts } from "../certificate/reduced-costs.js";
import { type Components, componentsOf } from "../instance/components.js";
import { linkBetween } from "../instance/instance.js";
import type { Core } from "../proof/core.js";
import { type Chains, chainsOf, shrinkOf } from "./chains.js";
import { ELIMINATION_LIMITS } from "./elimination-limits.js";

/**
 * The part of an instance that may still matter next to the present tracks T* (docs/explanation/proofs.md §2).
 *
 * If a set of tracks T costs less than T* + level, so does T* with one connected piece of T Δ T* exchanged. An edge outside T* can be
 * part of such a piece only if it and the edges that its exchange forces cost less than `room` + level beyond the bound. Other edges are
 * dropped, which separates the rest into components. Within one only its part of the room counts, and so on to a fixed point.
 */
export interface Elimination extends Components, Rooms {
  /** 1 for the edges that may still be exchanged; an edge of T* is active when both its ends have another active edge. */
  readonly active: Uint8Array;
  readonly activeEdges: number;
  /** G within the component of an active edge, the edges of T* at its border fixed; Infinity for others. */
  readonly through: Float64Array;
  /** Nearly all edges remain: a larger level has nothing to add. */
  readonly crowded: boolean;
}

/** Covers the roundings of one comparison. */
const GROW = 1 + 8 * ROUNDOFF;

/**
 * @param room at least what T* costs beyond the bound of `reduced`
 * @param level 0 asks what sets of tracks that are strictly cheaper than T* may use
 */
export function eliminate(
  core: Core,
  reduced: ReducedCosts,
  chains: Chains,
  room: number,
  level: number,
  { rounds, crowdedShare, smallEdges } = ELIMINATION_LIMITS,
): Elimination {
  const { edges, frames, tail, head } = core.graph;
  const shrink = shrinkOf(frames);
  const remaining = new ActiveEdges(core, (e) => chains.through[e] * shrink < (room + level) * GROW);
  const { active } = remaining;
  let { through } = chains;
  let components: Components = { count: 0, componentOf: new Int32Array(0) };
  let rooms: Rooms = { roomOf: new Float64Array(0), roomInAll: room };
  let roomAt = (_: number): number => room;
  const stays = (e: number, forced: number): boolean => (through[e] + forced) * shrink < (roomAt(e) + level) * GROW;
  const dropByExchange = (): void => {
    const forced = forcedCosts(core, remaining, through);
    remaining.keepOnly((e) => stays(e, forced.apart(e)) || stays(e, forced.together(e)));
  };

  dropByExchange();
  const crowded = remaining.count() > crowdedShare * edges && edges > smallEdges;
  let activeEdges = -1;
  for (let round = 0; round < rounds; round++) {
    remaining.dropAlone();
    const count = remaining.count();
    if (count === activeEdges) break;
    activeEdges = count;
    components = componentsOf(core.graph, active);
    rooms = roomsOf(core, reduced, active, components, room);
    // Rooms and G are of the same components from here on: a G over whole tracks counts what T* pays elsewhere, which a room leaves out.
    const { componentOf } = components;
    const { roomOf } = rooms;
    roomAt = (e) => roomOf[componentOf[tail[e] === UNASSIGNED ? head[e] : tail[e]]];
    through = chainsOf(core, reduced, { active, componentOf }).through;
    if (crowded) break;
    remaining.keepOnly((e) => stays(e, 0));
    dropByExchange();
  }
  return { active, activeEdges, ...components, ...rooms, through, crowded };
}

/** The edges that may still be exchanged. */
class ActiveEdges {
  readonly active: Uint8Array;
  /** The active edges outside T*, increasing. */
  others: Uint32Array;

  constructor(
    private readonly core: Core,
    mayMatter: (e: number) => boolean,
  ) {
    const { isOfTracks, edges } = core.trackEdges;
    this.active = isOfTracks.map((one, e) => (one === 0 && mayMatter(e) ? 1 : 0));
    this.others = marked(this.active);
    for (const e of edges) this.active[e] = 1;
  }

  count(): number {
    let count = this.others.length;
    for (const e of this.core.trackEdges.edges) count += this.active[e];
    return count;
  }

  /** Drops other edges, all at once. */
  keepOnly(isKept: (e: number) => boolean): void {
    const dropped = this.others.filter((e) => !isKept(e));
    for (const e of dropped) this.active[e] = 0;
    this.#list();
  }

  #list(): void {
    this.others = this.others.filter((e) => this.active[e] === 1);
  }

  /** Drops edges without a partner: an exchange at a detection has an edge of T* and another. */
  dropAlone(): void {
    const { active, others } = this;
    const { graph, incidence, trackEdges } = this.core;
    const { tail, head } = graph;
    const { outFrom, outEdge, inFrom, inEdge } = incidence;
    const { out, into, isOfTracks } = trackEdges;
    const othersOut = new Int32Array(out.length);
    const othersInto = new Int32Array(out.length);
    for (const e of others) {
      if (tail[e] !== UNASSIGNED) othersOut[tail[e]]++;
      if (head[e] !== UNASSIGNED) othersInto[head[e]]++;
    }
    const dropped: number[] = [];
    const check = (e: number): void => {
      if (active[e] === 0) return;
      const [i, j] = [tail[e], head[e]];
      const isAlone =
        isOfTracks[e] === 1
          ? (i !== UNASSIGNED && othersOut[i] === 0) || (j !== UNASSIGNED && othersInto[j] === 0)
          : (i !== UNASSIGNED && active[out[i]] === 0) || (j !== UNASSIGNED && active[into[j]] === 0);
      if (!isAlone) return;
      active[e] = 0;
      dropped.push(e);
    };
    trackEdges.edges.forEach(check);
    others.forEach(check);
    for (let e = dropped.pop(); e !== undefined; e = dropped.pop()) {
      const [i, j] = [tail[e], head[e]];
      if (isOfTracks[e] === 1) {
        if (i !== UNASSIGNED) outEdge.subarray(outFrom[i], outFrom[i + 1]).forEach(check);
        if (j !== UNASSIGNED) inEdge.subarray(inFrom[j], inFrom[j + 1]).forEach(check);
      } else {
        if (i !== UNASSIGNED && --othersOut[i] === 0) check(out[i]);
        if (j !== UNASSIGNED && --othersInto[j] === 0) check(into[j]);
      }
    }
    this.#list();
  }
}

/**
 * What the exchange of an edge forces: the detections i and j that T* has before its head and after its tail lose their partners. They take two
 * other edges, or one together.
 */
function forcedCosts({ graph, trackEdges }: Core, { active, others }: ActiveEdges, through: Float64Array) {
  const { tail, head } = graph;
  const { into, out } = trackEdges;
  const leaving = new TwoLeast(out.length);
  const entering = new TwoLeast(out.length);
  for (const e of others) {
    if (tail[e] !== UNASSIGNED) leaving.add(tail[e], e, through[e]);
    if (head[e] !== UNASSIGNED) entering.add(head[e], e, through[e]);
  }
  const before = (e: number): number => (head[e] === UNASSIGNED ? UNASSIGNED : tail[into[head[e]]]);
  const after = (e: number): number => (tail[e] === UNASSIGNED ? UNASSIGNED : head[out[tail[e]]]);
  return {
    /** At least the cost of two edges, or of one where only i or j is there. */
    apart(e: number): number {
      const [i, j] = [before(e), after(e)];
      const outOfI = i === UNASSIGNED ? 0 : leaving.least(i, j, head);
      return outOfI + (j === UNASSIGNED ? 0 : entering.least(j, i, tail));
    },
    /** The cost of the link from i to j. */
    together(e: number): number {
      const [i, j] = [before(e), after(e)];
      const link = i === UNASSIGNED || j === UNASSIGNED ? -1 : linkBetween(graph, i, j);
      return link >= 0 && active[link] === 1 ? through[link] : Number.POSITIVE_INFINITY;
    },
  };
}

/** The two least edges at each detection. */
class TwoLeast {
  readonly #edge: Int32Array;
  readonly #first: Float64Array;
  readonly #second: Float64Array;

  constructor(detections: number) {
    this.#edge = new Int32Array(detections).fill(-1);
    this.#first = new Float64Array(detections).fill(Number.POSITIVE_INFINITY);
    this.#second = this.#first.slice();
  }

  add(d: number, e: number, cost: number): void {
    if (cost < this.#first[d]) {
      this.#second[d] = this.#first[d];
      this.#first[d] = cost;
      this.#edge[d] = e;
    } else if (cost < this.#second[d]) this.#second[d] = cost;
  }

  /** The cost of the least edge at d whose other end is not `avoided`. */
  least(d: number, avoided: number, otherEnd: Int32Array): number {
    const isAvoided = avoided !== UNASSIGNED && this.#edge[d] >= 0 && otherEnd[this.#edge[d]] === avoided;
    return isAvoided ? this.#second[d] : this.#first[d];
  }
}

/** How much may be saved. */
interface Rooms {
  /** At least what T* costs beyond the bound within each component: no set of tracks saves more there. */
  readonly roomOf: Float64Array;
  /** At least what any set of tracks saves in all components together. */
  readonly roomInAll: number;
}

/**
 * The room of each component: all of it, less what the edges and triplets of T* elsewhere cost beyond the bound. What rounding and
 * slack cuts keep from anyone counts in every component.
 */
function roomsOf(
  { graph, trackEdges }: Core,
  reduced: ReducedCosts,
  active: Uint8Array,
  { count, componentOf }: Components,
  room: number,
): Rooms {
  const { frames, frameStart, edges, tail, head } = graph;
  const { into, out } = trackEdges;
  const inside = new Float64Array(count);
  let [sum, outside] = [0, 0];
  const share = (value: number, component: number): void => {
    if (component < 0) outside += value;
    else inside[component] += value;
    sum += value;
  };
  for (const e of trackEdges.edges)
    share(reduced.edge[e], active[e] === 1 ? componentOf[tail[e] === UNASSIGNED ? head[e] : tail[e]] : -1);
  for (let d = frameStart[1]; d < frameStart[frames - 1]; d++) share(reduced.between(into[d], out[d]), componentOf[d]);
  // Sums of as many non-negative terms, each term once.
  const depth = 4 * (edges + frameStart[frames] + 16) * ROUNDOFF;
  const hidden = Math.max(0, room - sum * (1 - depth)) + depth * room;
  const rest = Math.max(0, room - outside * (1 - depth)) * GROW + depth * room;
  return {
    roomOf: inside.map((value) => Math.min(room, value * (1 + depth) + hidden) * GROW),
    roomInAll: count === 0 ? 0 : Math.min(room, rest),
  };
}
