import { UNASSIGNED } from "../../lap/lap.js";
import { type Components, componentsOf } from "../instance/components.js";
import { type Graph, linkBetween } from "../instance/instance.js";
import { type Chains, chainsOf } from "./chains.js";
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
  { through: whole }: Chains,
  room: Value,
  { level = numbers.of(0), rounds = Number.POSITIVE_INFINITY, crowd = Number.POSITIVE_INFINITY }: Effort = {},
): Left {
  const { up, down } = numbers;
  const { graph, trackEdges } = core;
  const { edges, tail, head } = graph;
  const active = Uint8Array.from(trackEdges.isOfTracks);
  let through = whole;
  let components: Components = { count: 0, componentOf: new Int32Array(0) };
  let rooms: Rooms = { rooms: numbers.list(0, room), roomInAll: room };
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
    const forced = costForced(numbers, graph, trackEdges, active, others, through);
    keepOnly((e) => down(through[e], forced(e)) < limitOf(e));
  };

  const inAll = up(room, level);
  for (let e = 0; e < edges; e++) if (trackEdges.isOfTracks[e] === 0 && through[e] < inAll) others.push(e);
  for (const e of others) active[e] = 1;
  dropByExchange(() => inAll);
  const remaining = (): number => trackEdges.edges.reduce((sum, e) => sum + active[e], others.length);
  const crowded = remaining() > crowd;
  let activeEdges = -1;
  for (let round = 0; round < rounds; round++) {
    dropAlone(graph, trackEdges, active, others);
    others = others.filter((e) => active[e] === 1);
    const count = remaining();
    if (count === activeEdges) break;
    activeEdges = count;
    components = componentsOf(graph, active);
    rooms = roomsOf(numbers, graph, reduced, trackEdges, active, components, room);
    limits = Array.from(rooms.rooms, (value) => up(value, level));
    // Rooms and chains are of the same components from here on: a chain over whole tracks counts what T* pays elsewhere.
    through = chainsOf(numbers, core, reduced, { active, ...components }).through;
    if (crowded) break;
    keepOnly((e) => through[e] < roomAt(e));
    dropByExchange(roomAt);
  }
  return { active, activeEdges, ...components, ...rooms, through, crowded };
}

/**
 * The cost that the exchange of an edge forces: the detections that T* has before its head and after its tail lose their partners, and take one
 * edge together, or two others.
 */
function costForced(
  { of, down }: Numbers,
  graph: Graph,
  { into, out }: TrackEdges,
  active: Uint8Array,
  others: readonly number[],
  through: Values,
): (e: number) => Value {
  const { tail, head } = graph;
  // The two least of the active edges outside T* at each detection.
  const least = { out: new Int32Array(out.length).fill(-1), into: new Int32Array(out.length).fill(-1) };
  const second = { out: new Int32Array(out.length).fill(-1), into: new Int32Array(out.length).fill(-1) };
  const note = (side: "out" | "into", d: number, e: number): void => {
    if (d === UNASSIGNED) return;
    const [one, two] = [least[side], second[side]];
    if (one[d] < 0 || through[e] < through[one[d]]) [two[d], one[d]] = [one[d], e];
    else if (two[d] < 0 || through[e] < through[two[d]]) two[d] = e;
  };
  for (const e of others) {
    note("out", tail[e], e);
    note("into", head[e], e);
  }
  const cost = (e: number): Value => (e < 0 ? Number.POSITIVE_INFINITY : through[e]);
  const zero = of(0);
  return (e) => {
    const i = head[e] === UNASSIGNED ? UNASSIGNED : tail[into[head[e]]];
    const j = tail[e] === UNASSIGNED ? UNASSIGNED : head[out[tail[e]]];
    if (i === UNASSIGNED && j === UNASSIGNED) return zero;
    if (i === UNASSIGNED) return cost(least.into[j]);
    if (j === UNASSIGNED) return cost(least.out[i]);
    const leaving = least.out[i] >= 0 && head[least.out[i]] === j ? second.out[i] : least.out[i];
    const entering = least.into[j] >= 0 && tail[least.into[j]] === i ? second.into[j] : least.into[j];
    const apart = down(cost(leaving), cost(entering));
    const together = linkBetween(graph, i, j);
    return together >= 0 && active[together] === 1 && through[together] < apart ? through[together] : apart;
  };
}

/** Drops edges of T* with an end that no other active edge touches, and other edges where the edge of T* at an end is not active. */
function dropAlone(
  { tail, head }: Graph,
  { isOfTracks, edges, into, out }: TrackEdges,
  active: Uint8Array,
  others: readonly number[],
): void {
  for (let changed = true; changed; ) {
    changed = false;
    const [hasOut, hasInto] = [new Uint8Array(out.length), new Uint8Array(out.length)];
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
type Rooms = Pick<Left, "rooms" | "roomInAll">;

function roomsOf(
  { of, up, total, list }: Numbers,
  { frames, frameStart, tail, head }: Graph,
  reduced: Reduced,
  trackEdges: TrackEdges,
  active: Uint8Array,
  { componentOf, count }: Components,
  room: Value,
): Rooms {
  const rooms = list(count, of(0));
  const all: Value[] = [];
  const outside: Value[] = [];
  const share = (value: Value, at: number): void => {
    all.push(value);
    if (at < 0) outside.push(value);
    else rooms[at] = up(rooms[at], value);
  };
  for (const e of trackEdges.edges)
    share(reduced.edge[e], active[e] === 1 ? componentOf[tail[e] === UNASSIGNED ? head[e] : tail[e]] : -1);
  for (let d = frameStart[1]; d < frameStart[frames - 1]; d++)
    share(reduced.between(trackEdges.into[d], trackEdges.out[d]), componentOf[d]);
  // What rounding and slack cuts keep from T* counts in every component.
  const hidden = up(room, -total(all).least);
  for (let c = 0; c < count; c++) {
    const most = up(rooms[c], hidden);
    rooms[c] = most < room ? most : room;
  }
  const rest = up(room, -total(outside).least);
  return { rooms, roomInAll: count === 0 ? of(0) : rest < room ? rest : room };
}
