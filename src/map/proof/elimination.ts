import { UNASSIGNED } from "../../lap/lap.js";
import { type Components, componentsOf } from "../instance/components.js";
import { type Graph, linkBetween } from "../instance/instance.js";
import { type Chains, createChains } from "./chains.js";
import type { Core } from "./core.js";
import type { SearchLimits } from "./exhaustion.js";
import type { Numbers, Value, Values } from "./numbers.js";
import type { Reduced } from "./reduced.js";
import type { TrackEdges } from "./track-edges.js";

/**
 * The edges that sets of tracks which cost less than the present ones, T*, may use (docs/explanation/proofs.md). If T costs less, so does T* with one
 * connected piece of T Δ T* exchanged. An edge outside T* is dominated where it and the edges that its exchange forces cost as much beyond
 * the bound as T* pays. Without dominated edges the rest falls into components, in each of which only its own part of that counts, and so on to a fixed point.
 */
export interface Left<V extends Value = Value, L extends Values = Values> extends Components {
  /** 1 for the edges that may be exchanged; an edge of T* is active when both its ends have another active edge. */
  readonly active: Uint8Array;
  readonly activeEdges: number;
  /** The least of a track through each edge within its component; Infinity for edges that are not active. */
  readonly through: L;
  /** At least what any set of tracks saves in each component. */
  readonly rooms: L;
  /** At least what any set of tracks saves in all components together. */
  readonly roomInAll: V;
  /** It ended after one round, since more edges remained than `crowd`. */
  readonly crowded: boolean;
  /** It ended where another round would drop nothing: without limits it had left the same. */
  readonly isFixed: boolean;
}

export interface Effort {
  /** Asks what sets of tracks that cost less than T* and this may use [0]. */
  readonly level?: Value;
  /** Rounds at most, and edges beyond which there is but one [no limit]: stopping early only proves less. */
  readonly rounds?: number;
  readonly crowd?: number;
  /** Of going through all that is left (exhaustion.ts) [those of the check]. */
  readonly search?: SearchLimits;
}

/** @param room at least what T* costs beyond the bound of `reduced` */
export function eliminate(
  numbers: Numbers,
  core: Core,
  reduced: Reduced,
  { through: whole }: Pick<Chains, "through">,
  room: Value,
  { level = numbers.of(0), rounds = Number.POSITIVE_INFINITY, crowd = Number.POSITIVE_INFINITY }: Effort = {},
): Left {
  const { up, down } = numbers;
  const { graph, trackEdges } = core;
  const { edges, tail, head } = graph;
  const active = Uint8Array.from(trackEdges.isOfTracks);
  let through = whole;
  let components: Components = { count: 0, componentOf: new Int32Array(0) };
  const paid = createRooms(numbers, graph, reduced, trackEdges, room);
  let rooms = numbers.list(0, room);
  let limits: readonly Value[] = [];
  const roomAt = (e: number): Value => limits[components.componentOf[tail[e] === UNASSIGNED ? head[e] : tail[e]]];
  /** The active edges outside T*. */
  let others: number[] = [];
  const keepOnly = (isKept: (e: number) => boolean): void => {
    const dropped = others.filter((e) => !isKept(e));
    for (const e of dropped) active[e] = 0;
    others = others.filter((e) => active[e] === 1);
  };
  const dropByExchange = (limitOf: (e: number) => Value): void => {
    const { apart, together } = costForced(numbers, graph, trackEdges, active, others, through);
    // What is kept where two edges are forced is kept where one may do instead.
    keepOnly((e) => {
      const limit = limitOf(e);
      return down(through[e], apart(e)) < limit || down(through[e], together(e)) < limit;
    });
  };

  const inAll = up(room, level);
  for (let e = 0; e < edges; e++) if (trackEdges.isOfTracks[e] === 0 && through[e] < inAll) others.push(e);
  for (const e of others) active[e] = 1;
  dropByExchange(() => inAll);
  const remaining = (): number => trackEdges.edges.reduce((sum, e) => sum + active[e], others.length);
  const crowded = remaining() > crowd;
  let chains: (() => Chains) | null = null;
  let activeEdges = -1;
  let isFixed = false;
  for (let round = 0; round < rounds; round++) {
    dropAlone(graph, trackEdges, active, others);
    others = others.filter((e) => active[e] === 1);
    const count = remaining();
    isFixed = count === activeEdges;
    if (isFixed) break;
    activeEdges = count;
    components = componentsOf(graph, active);
    rooms = paid.ofEach(components, active);
    limits = Array.from(rooms, (value) => up(value, level));
    // Rooms and chains are of the same components from here on: a chain over whole tracks counts what T* pays elsewhere.
    chains ??= createChains(numbers, core, reduced, active);
    through = chains().through;
    if (crowded) break;
    keepOnly((e) => through[e] < roomAt(e));
    dropByExchange(roomAt);
  }
  const roomInAll = paid.inAll(components, active);
  return { active, activeEdges, ...components, rooms, roomInAll, through, crowded, isFixed };
}

/**
 * The cost that the exchange of an edge forces: the detections that T* has before its head and after its tail lose their partners, and take two
 * other edges, or one together.
 */
function costForced(
  { of, down }: Numbers,
  graph: Graph,
  { into, out }: TrackEdges,
  active: Uint8Array,
  others: readonly number[],
  through: Values,
): { apart(e: number): Value; together(e: number): Value } {
  const { tail, head } = graph;
  const leaving = new TwoLeast(out.length, through);
  const entering = new TwoLeast(out.length, through);
  for (const e of others) {
    if (tail[e] !== UNASSIGNED) leaving.add(tail[e], e);
    if (head[e] !== UNASSIGNED) entering.add(head[e], e);
  }
  const zero = of(0);
  const before = (e: number): number => (head[e] === UNASSIGNED ? UNASSIGNED : tail[into[head[e]]]);
  const after = (e: number): number => (tail[e] === UNASSIGNED ? UNASSIGNED : head[out[tail[e]]]);
  return {
    apart(e) {
      const [i, j] = [before(e), after(e)];
      if (i === UNASSIGNED) return j === UNASSIGNED ? zero : entering.cost(j, UNASSIGNED, tail);
      if (j === UNASSIGNED) return leaving.cost(i, UNASSIGNED, head);
      return down(leaving.cost(i, j, head), entering.cost(j, i, tail));
    },
    together(e) {
      const [i, j] = [before(e), after(e)];
      const link = i === UNASSIGNED || j === UNASSIGNED ? UNASSIGNED : linkBetween(graph, i, j);
      return link >= 0 && active[link] === 1 ? through[link] : Number.POSITIVE_INFINITY;
    },
  };
}

/** The two cheapest of the edges at each detection, on one side of it. */
class TwoLeast {
  readonly #first: Int32Array;
  readonly #second: Int32Array;

  constructor(
    detections: number,
    private readonly through: Values,
  ) {
    this.#first = new Int32Array(detections).fill(UNASSIGNED);
    this.#second = new Int32Array(detections).fill(UNASSIGNED);
  }

  add(d: number, e: number): void {
    const { through } = this;
    const [first, second] = [this.#first[d], this.#second[d]];
    if (first < 0 || through[e] < through[first]) {
      this.#second[d] = first;
      this.#first[d] = e;
    } else if (second < 0 || through[e] < through[second]) this.#second[d] = e;
  }

  /** Of the cheapest whose other end is not `not`; Infinity where there is none. */
  cost(d: number, not: number, otherEnd: Int32Array): Value {
    const first = this.#first[d];
    const e = not !== UNASSIGNED && first >= 0 && otherEnd[first] === not ? this.#second[d] : first;
    return e < 0 ? Number.POSITIVE_INFINITY : this.through[e];
  }
}

/** Drops edges of T* with an end that no other active edge touches, and other edges where the edge of T* at an end is not active. */
function dropAlone(
  { tail, head }: Graph,
  { isOfTracks, edges, into, out }: TrackEdges,
  active: Uint8Array,
  others: readonly number[],
): void {
  const [hasOut, hasInto] = [new Uint8Array(out.length), new Uint8Array(out.length)];
  for (let changed = true; changed; ) {
    changed = false;
    hasOut.fill(0);
    hasInto.fill(0);
    for (const e of others) {
      if (active[e] === 0) continue;
      if (tail[e] !== UNASSIGNED) hasOut[tail[e]] = 1;
      if (head[e] !== UNASSIGNED) hasInto[head[e]] = 1;
    }
    const drop = (e: number): void => {
      if (active[e] === 0) return;
      const [i, j] = [tail[e], head[e]];
      const stays =
        isOfTracks[e] === 1
          ? (i === UNASSIGNED || hasOut[i] === 1) && (j === UNASSIGNED || hasInto[j] === 1)
          : (i === UNASSIGNED || active[out[i]] === 1) && (j === UNASSIGNED || active[into[j]] === 1);
      if (stays) return;
      active[e] = 0;
      changed = true;
    };
    edges.forEach(drop);
    others.forEach(drop);
  }
}

/** At least what T* pays beyond the bound in each component of active edges, and in all of them. */
function createRooms(
  { of, up, total, list }: Numbers,
  { frames, frameStart, tail, head }: Graph,
  reduced: Reduced,
  { edges, into, out }: TrackEdges,
  room: Value,
): {
  ofEach(components: Components, active: Uint8Array): Values;
  inAll(components: Components, active: Uint8Array): Value;
} {
  const [first, last] = [frameStart[1], frameStart[frames - 1]];
  // What T* pays for its edges, and then for its triplets, by the detection in the middle.
  const paid = list(edges.length + last - first, of(0));
  for (let n = 0; n < edges.length; n++) paid[n] = reduced.edge[edges[n]];
  for (let d = first; d < last; d++) paid[edges.length + d - first] = reduced.between(into[d], out[d]);
  // What rounding and slack cuts keep from T* counts in every component.
  const hidden = up(room, -total(paid).least);
  const visit = (
    { componentOf }: Components,
    active: Uint8Array,
    share: (value: Value, component: number) => void,
  ): void => {
    for (let n = 0; n < edges.length; n++) {
      const e = edges[n];
      share(paid[n], active[e] === 1 ? componentOf[tail[e] === UNASSIGNED ? head[e] : tail[e]] : -1);
    }
    for (let d = first; d < last; d++) share(paid[edges.length + d - first], componentOf[d]);
  };
  return {
    ofEach(components, active) {
      const rooms = list(components.count, of(0));
      visit(components, active, (value, c) => {
        if (c >= 0) rooms[c] = up(rooms[c], value);
      });
      for (let c = 0; c < rooms.length; c++) {
        const most = up(rooms[c], hidden);
        rooms[c] = most < room ? most : room;
      }
      return rooms;
    },
    inAll(components, active) {
      if (components.count === 0) return of(0);
      const outside: Value[] = [];
      visit(components, active, (value, c) => {
        if (c < 0) outside.push(value);
      });
      const rest = up(room, -total(outside).least);
      return rest < room ? rest : room;
    },
  };
}
