import { UNASSIGNED } from "../../lap/lap.js";
import { type Components, componentsOf } from "../instance/components.js";
import { type Graph, linkBetween } from "../instance/instance.js";
import { type Chains, createChains, type PricedItems } from "./chains.js";
import type { Core } from "./core.js";
import type { SearchLimits } from "./exhaustion.js";
import type { Numbers, Value, Values } from "./numbers.js";
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
  roomInAll(): V;
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

/**
 * Eliminates next to the same tracks, at any level.
 * @param forced by edge, as `forcedCosts` has it up to the room and the highest level
 * @param room at least what T* costs beyond the bound of `reduced`
 */
export function createElimination(
  numbers: Numbers,
  core: Core,
  reduced: PricedItems,
  forced: Values,
  room: Value,
): (effort?: Effort) => Left {
  const { up, down } = numbers;
  const { graph, trackEdges } = core;
  const { tail, head } = graph;
  const paid = createRooms(numbers, graph, reduced, trackEdges, room);
  return ({ level = numbers.of(0), rounds = Number.POSITIVE_INFINITY, crowd = Number.POSITIVE_INFINITY } = {}) => {
    const active = Uint8Array.from(trackEdges.isOfTracks);
    const inAll = up(room, level);
    const others = new Others(active, (e) => forced[e] < inAll);
    let through = numbers.list(0, room);
    let components: Components = { count: 0, componentOf: new Int32Array(0) };
    let rooms = numbers.list(0, room);
    let limits: readonly Value[] = [];
    const roomAt = (e: number): Value => limits[components.componentOf[tail[e] === UNASSIGNED ? head[e] : tail[e]]];
    const crowded = trackEdges.edges.length + others.length > crowd;
    let chains: (() => Chains) | null = null;
    let activeEdges = -1;
    let isFixed = false;
    for (let round = 0; round < rounds; round++) {
      const count = dropAlone(core, others);
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
      others.keepOnly((e) => through[e] < roomAt(e));
      const exchange = costOfExchange(numbers, core, active, others, through);
      // What is kept where two edges are forced is kept where one may do instead.
      others.keepOnly((e) => {
        const limit = roomAt(e);
        return down(through[e], exchange.apart(e)) < limit || down(through[e], exchange.together(e)) < limit;
      });
    }
    const roomInAll = () => paid.inAll(components, active);
    return { active, activeEdges, ...components, rooms, roomInAll, through, crowded, isFixed };
  };
}

/**
 * By edge outside T*, at least what a set of tracks with it costs beyond the bound by itself and by what its exchange forces; Infinity where that is no less than `most`.
 * It is the same for all levels.
 */
export function forcedCosts(numbers: Numbers, core: Core, { through }: Pick<Chains, "through">, most: Value): Values {
  const { down, list } = numbers;
  const forced = list(core.graph.edges, Number.POSITIVE_INFINITY);
  const active = Uint8Array.from(core.trackEdges.isOfTracks);
  const others = new Others(active, (e) => through[e] < most);
  const { apart, together } = costOfExchange(numbers, core, active, others, through);
  for (const e of others.list) {
    const [two, one] = [down(through[e], apart(e)), down(through[e], together(e))];
    forced[e] = two < one ? two : one;
  }
  return forced;
}

/** The active edges outside T*. */
class Others {
  readonly list: Uint32Array;
  length = 0;

  /** @param active those of T* to begin with */
  constructor(
    readonly active: Uint8Array,
    isOne: (e: number) => boolean,
  ) {
    const list = new Uint32Array(active.length);
    for (let e = 0; e < active.length; e++) if (active[e] === 0 && isOne(e)) list[this.length++] = e;
    this.list = list.slice(0, this.length);
    for (const e of this.list) active[e] = 1;
  }

  /** Those that are not kept become inactive, once all were looked at. */
  keepOnly(isKept: (e: number) => boolean): void {
    const { list, active } = this;
    const dropped = new Uint32Array(this.length);
    let [kept, gone] = [0, 0];
    for (let n = 0; n < this.length; n++) {
      if (isKept(list[n])) list[kept++] = list[n];
      else dropped[gone++] = list[n];
    }
    for (let n = 0; n < gone; n++) active[dropped[n]] = 0;
    this.length = kept;
  }
}

/**
 * The cost that the exchange of an edge forces: the detections that T* has before its head and after its tail lose their partners, and take two
 * other edges, or one together.
 */
function costOfExchange(
  { of, down }: Numbers,
  { graph, trackEdges: { into, out } }: Core,
  active: Uint8Array,
  others: Others,
  through: Values,
): { apart(e: number): Value; together(e: number): Value } {
  const { tail, head } = graph;
  const leaving = new TwoLeast(out.length, through);
  const entering = new TwoLeast(out.length, through);
  for (let n = 0; n < others.length; n++) {
    const e = others.list[n];
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

/**
 * Drops edges of T* with an end that no other active edge touches, and other edges where the edge of T* at an end is not active, until there are none.
 * @returns the number of active edges
 */
function dropAlone({ graph: { tail, head }, incidence, trackEdges }: Core, others: Others): number {
  const { outFrom, outEdge, inFrom, inEdge } = incidence;
  const { isOfTracks, edges, into, out } = trackEdges;
  const { list, active } = others;
  /** Active edges outside T* at each detection. */
  const [leaving, entering] = [new Int32Array(out.length), new Int32Array(out.length)];
  for (let n = 0; n < others.length; n++) {
    const [i, j] = [tail[list[n]], head[list[n]]];
    if (i !== UNASSIGNED) leaving[i]++;
    if (j !== UNASSIGNED) entering[j]++;
  }
  /** Dropped, with what hangs on them yet to be looked at. */
  const dropped: number[] = [];
  let ofTracks = 0;
  const drop = (e: number): void => {
    if (e === UNASSIGNED || active[e] === 0) return;
    active[e] = 0;
    ofTracks -= isOfTracks[e];
    dropped.push(e);
  };
  const dropOthers = (edge: Uint32Array, from: number, to: number): void => {
    for (let k = from; k < to; k++) drop(edge[k]);
  };
  for (let n = 0; n < edges.length; n++) ofTracks += active[edges[n]];
  for (let n = 0; n < edges.length; n++) {
    const [i, j] = [tail[edges[n]], head[edges[n]]];
    if ((i !== UNASSIGNED && leaving[i] === 0) || (j !== UNASSIGNED && entering[j] === 0)) drop(edges[n]);
  }
  for (let n = 0; n < others.length; n++) {
    const [i, j] = [tail[list[n]], head[list[n]]];
    if ((i !== UNASSIGNED && active[out[i]] !== 1) || (j !== UNASSIGNED && active[into[j]] !== 1)) drop(list[n]);
  }
  for (let e = dropped.pop(); e !== undefined; e = dropped.pop()) {
    const [i, j] = [tail[e], head[e]];
    if (isOfTracks[e] === 1) {
      if (i !== UNASSIGNED) dropOthers(outEdge, outFrom[i], outFrom[i + 1]);
      if (j !== UNASSIGNED) dropOthers(inEdge, inFrom[j], inFrom[j + 1]);
      continue;
    }
    if (i !== UNASSIGNED && --leaving[i] === 0) drop(out[i]);
    if (j !== UNASSIGNED && --entering[j] === 0) drop(into[j]);
  }
  others.keepOnly((e) => active[e] === 1);
  return ofTracks + others.length;
}

/** At least what T* pays beyond the bound in each component of active edges, and in all of them. */
function createRooms(
  { of, up, total, list }: Numbers,
  { frames, frameStart, tail, head }: Graph,
  reduced: PricedItems,
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
