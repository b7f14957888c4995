import { UNASSIGNED } from "../../lap/lap.js";
import { type Components, componentsOf } from "../instance/components.js";
import type { Graph } from "../instance/instance.js";
import { type Chains, createChains, type PricedItems } from "./chains.js";
import type { Core } from "./core.js";
import { costOfExchange, Others } from "./exchange.js";
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
  /** Asked before each round: whether nobody needs what it finds any more [never]. */
  readonly isNeedless?: () => boolean;
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
  const infinite = Number.POSITIVE_INFINITY;
  return ({ level = numbers.of(0), rounds = infinite, crowd = infinite, isNeedless = () => false } = {}) => {
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
    for (let round = 0; round < rounds && !isNeedless(); round++) {
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
    const i = tail[list[n]];
    const j = head[list[n]];
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
    const i = tail[edges[n]];
    const j = head[edges[n]];
    if ((i !== UNASSIGNED && leaving[i] === 0) || (j !== UNASSIGNED && entering[j] === 0)) drop(edges[n]);
  }
  for (let n = 0; n < others.length; n++) {
    const i = tail[list[n]];
    const j = head[list[n]];
    if ((i !== UNASSIGNED && active[out[i]] !== 1) || (j !== UNASSIGNED && active[into[j]] !== 1)) drop(list[n]);
  }
  for (let e = dropped.pop(); e !== undefined; e = dropped.pop()) {
    const i = tail[e];
    const j = head[e];
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
