import type { Work } from "../../core/team-work.js";
import { UNASSIGNED } from "../../lap/lap.js";
import type { Graph } from "../instance/instance.js";
import type { PricedItems } from "../proof/chains.js";
import { type Core, wholeOf } from "../proof/core.js";
import { createElimination, type Left } from "../proof/elimination.js";
import { rounded } from "../proof/numbers.js";
import type { Multipliers } from "../proof/proof.js";
import { tripletCosts } from "../proof/reduced.js";
import { effortFor } from "./stages.js";

/** Levels at which components are examined, in units of the room; they tell apart margins within one or two rooms. */
export const LEVELS = [0.01, 0.05, 0.2, 0.5, 1, 2] as const;

/** The highest level, next to tracks that cost this much beyond the bound. */
export const mostLevel = (room: number): number => LEVELS[LEVELS.length - 1] * room;

/** What one level proves, whatever the others do. */
export interface LevelMargins {
  /** At most the level, by place of an edge of T*. */
  readonly value: Float64Array;
  readonly crowded: boolean;
}

/** The place of an edge of T*: of links and births by the detection that they enter, of deaths by the one that they leave. */
export function placeOf({ tail, head, deathOf }: Graph): (e: number) => number {
  return (e) => (head[e] === UNASSIGNED ? deathOf.length + tail[e] : head[e]);
}

/** The data that every thread needs; `value`, `crowded` and `needless` are in shared memory. */
export interface LevelsMemory {
  readonly graph: Graph;
  readonly tracks: Int32Array;
  readonly multipliers: Multipliers;
  /** The reduced costs of edges, and Δ, of which those of triplets follow; in shared memory. */
  readonly edge: Float64Array;
  readonly delta: Float64Array;
  readonly room: number;
  /** What each edge forces, up to the room and the highest level; in shared memory. */
  readonly forced: Float64Array;
  /** Of each level, one after another. */
  readonly value: Float64Array;
  /** Of each level, 1 for crowded. */
  readonly crowded: Uint8Array;
  /** 1 once nobody needs the margins any more. */
  readonly needless: Uint8Array;
}

/** The work of a thread that has nothing but the memory. */
export function bindLevels(memory: LevelsMemory): Work {
  const { graph, tracks, multipliers, edge, delta } = memory;
  const core = wholeOf(graph, tracks);
  const { removed } = core;
  const reduced = { edge, ...tripletCosts(rounded, graph, multipliers, { delta, removed }) };
  return levelWork(levelsOf(core, reduced, memory), memory);
}

/** An item is a level, the highest and longest first. Those above a crowded one are not needed. */
export function levelWork(
  examine: (level: number) => LevelMargins,
  { value, crowded, needless }: Pick<LevelsMemory, "value" | "crowded" | "needless">,
): Work {
  const length = value.length / LEVELS.length;
  return (_, item) => {
    const level = LEVELS.length - 1 - item;
    if (Atomics.load(needless, 0) === 1 || crowded.subarray(0, level).includes(1)) return;
    const found = examine(level);
    value.set(found.value, level * length);
    if (found.crowded) crowded[level] = 1;
  };
}

/** What levels prove, by their numbers. */
export function levelsOf(
  core: Core,
  reduced: PricedItems,
  { forced, room, needless }: Pick<LevelsMemory, "forced" | "room" | "needless">,
): (level: number) => LevelMargins {
  const { graph, trackEdges } = core;
  const { tail, head, deathOf } = graph;
  const place = placeOf(graph);
  const alternatives = alternativesTo(core);
  const eliminate = createElimination(rounded, core, reduced, forced, room);
  const isNeedless = () => Atomics.load(needless, 0) === 1;
  return (number) => {
    const level = LEVELS[number] * room;
    const left = eliminate({ ...effortFor(graph), level, isNeedless }) as Left<number, Float64Array>;
    const value = new Float64Array(2 * deathOf.length);
    const { edges } = trackEdges;
    for (let n = 0; n < edges.length; n++) if (left.active[edges[n]] === 0) value[place(edges[n])] = level;
    alternatives(left.through, left.active, (e, other) => {
      const touched = left.componentOf[tail[e] === UNASSIGNED ? head[e] : tail[e]];
      value[place(e)] = Math.min(level, less(other, left.rooms[touched]));
    });
    return { value, crowded: left.crowded };
  };
}

/**
 * Visits the active edges of T* with the least that the sets of tracks without it cost beyond the bound: what both its ends pay for
 * another edge each. Those are on different tracks, so the two sums add.
 */
export function alternativesTo({ graph, incidence, trackEdges }: Core) {
  const { tail, head } = graph;
  const { outFrom, outEdge, inFrom, inEdge } = incidence;
  const { isOfTracks, out, into } = trackEdges;
  const least = (edge: Uint32Array, from: number, to: number, through: Float64Array, active: Uint8Array): number => {
    let value = Number.POSITIVE_INFINITY;
    for (let k = from; k < to; k++) {
      const e = edge[k];
      if (active[e] === 1 && isOfTracks[e] === 0 && through[e] < value) value = through[e];
    }
    return value;
  };
  /** By detection, of the edge out of it. */
  const leaving = new Float64Array(out.length);
  return (through: Float64Array, active: Uint8Array, visit: (e: number, other: number) => void): void => {
    for (let d = 0; d < out.length; d++) {
      const e = out[d];
      if (e === UNASSIGNED || active[e] === 0) continue;
      leaving[d] = least(outEdge, outFrom[d], outFrom[d + 1], through, active);
      if (head[e] === UNASSIGNED) visit(e, leaving[d]);
    }
    for (let d = 0; d < into.length; d++) {
      const e = into[d];
      if (e === UNASSIGNED || active[e] === 0) continue;
      const entering = least(inEdge, inFrom[d], inFrom[d + 1], through, active);
      visit(e, rounded.down(entering, tail[e] === UNASSIGNED ? 0 : leaving[tail[e]]) as number);
    }
  };
}

/** At most a − b. */
export function less(a: number, b: number): number {
  return rounded.down(a, -b) as number;
}
