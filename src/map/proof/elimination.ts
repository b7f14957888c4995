import { UNASSIGNED } from "../../lap/lap.js";
import { type Components, componentsOf } from "../instance/components.js";
import { type Graph, linkBetween } from "../instance/instance.js";
import { type Chains, chainsOf } from "./chains.js";
import type { Core } from "./core.js";
import type { Numbers, Value } from "./numbers.js";
import type { Reduced } from "./reduced.js";
import type { TrackEdges } from "./track-edges.js";

/**
 * The edges that sets of tracks which cost less than the present ones, T*, may use (docs/explanation/proofs.md). If T costs less, so does T* with one
 * connected piece of T Δ T* exchanged. An edge outside T* is dominated where it and the edges that its exchange forces cost as much beyond
 * the bound as T* pays. Without dominated edges the rest falls into components, in each of which only its own part of that counts.
 */
export interface Left {
  /** 1 for the edges that may be exchanged; an edge of T* is active when both its ends have another active edge. */
  readonly active: Uint8Array;
  readonly count: number;
  /** At least what any set of tracks saves in all components together. */
  readonly roomInAll: Value;
}

/** @param room at least what T* costs beyond the bound of `reduced` */
export function eliminate(
  numbers: Numbers,
  core: Core,
  reduced: Reduced,
  { through: whole }: Chains,
  room: Value,
): Left {
  const { down } = numbers;
  const { graph, trackEdges } = core;
  const { edges, tail, head } = graph;
  const active = Uint8Array.from(trackEdges.isOfTracks);
  let through = whole;
  let rooms: Rooms | null = null;
  const roomAt = (e: number): Value =>
    rooms === null ? room : rooms.each[rooms.componentOf[tail[e] === UNASSIGNED ? head[e] : tail[e]]];
  /** The active edges outside T*. */
  let others: number[] = [];
  for (let e = 0; e < edges; e++) if (trackEdges.isOfTracks[e] === 0 && through[e] < room) others.push(e);
  for (const e of others) active[e] = 1;
  const keepOnly = (isKept: (e: number) => boolean): void => {
    const dropped = others.filter((e) => !isKept(e));
    for (const e of dropped) active[e] = 0;
    others = others.filter((e) => active[e] === 1);
  };

  for (let before = -1; ; ) {
    keepOnly((e) => through[e] < roomAt(e));
    const forced = costForced(numbers, graph, trackEdges, active, others, through);
    keepOnly((e) => down(through[e], forced(e)) < roomAt(e));
    dropAlone(graph, trackEdges, active, others);
    others = others.filter((e) => active[e] === 1);
    const count = trackEdges.edges.reduce((sum, e) => sum + active[e], others.length);
    if (count === before) return { active, count, roomInAll: rooms === null ? room : rooms.inAll };
    before = count;
    rooms = roomsOf(numbers, graph, reduced, trackEdges, active, room);
    // Rooms and chains are of the same components from here on: a chain over whole tracks counts what T* pays elsewhere.
    through = chainsOf(numbers, core, reduced, active).through;
  }
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
  through: readonly Value[],
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
interface Rooms extends Components {
  readonly each: readonly Value[];
  readonly inAll: Value;
}

function roomsOf(
  { of, up, total }: Numbers,
  graph: Graph,
  reduced: Reduced,
  trackEdges: TrackEdges,
  active: Uint8Array,
  room: Value,
): Rooms {
  const { frames, frameStart, tail, head } = graph;
  const components = componentsOf(graph, active);
  const { componentOf, count } = components;
  const inside = new Array<Value>(count).fill(of(0));
  const all: Value[] = [];
  const outside: Value[] = [];
  const share = (value: Value, at: number): void => {
    all.push(value);
    if (at < 0) outside.push(value);
    else inside[at] = up(inside[at], value);
  };
  for (const e of trackEdges.edges)
    share(reduced.edge[e], active[e] === 1 ? componentOf[tail[e] === UNASSIGNED ? head[e] : tail[e]] : -1);
  for (let d = frameStart[1]; d < frameStart[frames - 1]; d++)
    share(reduced.between(trackEdges.into[d], trackEdges.out[d]), componentOf[d]);
  // What rounding and slack cuts keep from T* counts in every component.
  const hidden = up(room, -total(all).least);
  const each = inside.map((value) => {
    const most = up(value, hidden);
    return most < room ? most : room;
  });
  const rest = up(room, -total(outside).least);
  const inAll = count === 0 ? of(0) : rest < room ? rest : room;
  return { ...components, each, inAll };
}
