import { sharedCopy, sharedFloat64, sharedUint8 } from "../../core/shared-arrays.js";
import { inParallel } from "../../core/team.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { twinsOf } from "../instance/twins.js";
import type { Core } from "../proof/core.js";
import { rounded } from "../proof/numbers.js";
import {
  alternativesTo,
  LEVELS,
  type LevelMargins,
  type LevelsMemory,
  less,
  levelsOf,
  levelWork,
  mostLevel,
  placeOf,
} from "./margins-by-level.js";
import type { DominatedInF64, ReducedCosts } from "./stages.js";

/**
 * The certified margin of each edge of a set of tracks T* (docs/explanation/proofs.md §3): every set of tracks without the edge costs at least `margin` more than
 * the cheapest one with it. Where the margin is above 0 the edge is in every optimal set of tracks; a negative margin proves nothing, but the lower it
 * is, the more often the edge is wrong. It is Infinity where no other set of tracks is left, and has the unit of the costs.
 */
export interface Margins {
  /** Of the link or death out of each detection; NaN in the last frame. */
  readonly out: Float64Array;
  /** Of the link or birth into each detection; NaN in the first frame. */
  readonly into: Float64Array;
  /**
   * Of a link from a detection that may divide, by the detection that it enters: without a link from the mother or from her twin, which may change their daughters. NaN
   * elsewhere, and null where there are no twins.
   */
  readonly lineage: Float64Array | null;
}

/**
 * @param dominated what `reduced` proves next to T*
 * @param examine what each level proves
 */
export function marginsOf(
  core: Core,
  { chains, room }: DominatedInF64,
  examine: (level: number) => LevelMargins,
): Margins {
  const { graph, trackEdges } = core;
  const { frames, frameStart, edges } = graph;
  const margin = new Float64Array(edges).fill(Number.NaN);
  const everywhere = new Uint8Array(edges).fill(1);

  /** The bound by the least that both ends of an edge pay for other edges. These are on two tracks, since only the edge itself joins its ends. */
  alternativesTo(core)(chains.through, everywhere, (e, other) => {
    margin[e] = less(other, room);
  });
  const most = mostLevel(room);
  // Where the room is small, levels add nothing to the margins proved so far.
  if (room > 0 && trackEdges.edges.some((e) => margin[e] < most)) {
    const place = placeOf(graph);
    for (const [number, share] of LEVELS.entries()) {
      const level = share * room;
      const { value, crowded } = examine(number);
      // Whether a higher level may prove more of some edge.
      let open = false;
      for (const e of trackEdges.edges) {
        margin[e] = Math.max(margin[e], value[place(e)]);
        if (value[place(e)] >= level && margin[e] < most) open = true;
      }
      // At higher levels no fewer edges are left: chains are no dearer and rooms no smaller, if no edge of T* has become active.
      if (crowded || !open) break;
    }
  }
  const out = new Float64Array(frameStart[frames]).fill(Number.NaN);
  const into = out.slice();
  for (let d = 0; d < out.length; d++) {
    if (trackEdges.out[d] >= 0) out[d] = margin[trackEdges.out[d]];
    if (trackEdges.into[d] >= 0) into[d] = margin[trackEdges.into[d]];
  }
  return { out, into, lineage: lineageMargins(core, chains.through, margin, room) };
}

/**
 * Of all links from mothers and twins. A set of tracks without both takes another edge into their daughter j; and where both had daughters, j and k, one of
 * them takes an edge that leads to neither, else the mother one that does not lead to j. Both edges are on different tracks.
 */
function lineageMargins(
  { graph, incidence, trackEdges }: Core,
  through: Float64Array,
  margin: Float64Array,
  room: number,
): Float64Array | null {
  const { motherOf, tail, head, inStart, inEdge } = graph;
  const { outFrom, outEdge } = incidence;
  if (motherOf === null) return null;
  const least = (edges: Uint32Array): number =>
    edges.reduce((value, e) => Math.min(value, through[e]), Number.POSITIVE_INFINITY);
  const leaving = (d: number, daughters: readonly number[]): number =>
    least(outEdge.subarray(outFrom[d], outFrom[d + 1]).filter((e) => !daughters.includes(head[e])));
  const twinOf = twinsOf(motherOf, new Int32Array(motherOf.length));
  return Float64Array.from(trackEdges.into, (e, d) => {
    const from = e === UNASSIGNED ? UNASSIGNED : tail[e];
    const other = from === UNASSIGNED ? UNASSIGNED : motherOf[from] === UNASSIGNED ? twinOf[from] : motherOf[from];
    if (other === UNASSIGNED) return Number.NaN;
    const entering = inEdge.subarray(inStart[d], inStart[d + 1]).filter((k) => tail[k] !== from && tail[k] !== other);
    const sister = head[trackEdges.out[other]];
    const instead =
      sister === UNASSIGNED ? leaving(from, [d]) : Math.min(leaving(from, [d, sister]), leaving(other, [d, sister]));
    const proved = less(rounded.down(least(entering), instead) as number, room);
    return margin[e] >= proved ? margin[e] : proved;
  });
}

/**
 * The same with the levels side by side on `threads` threads.
 * @param dominated called once they have begun; null where no margins are needed after all
 */
export async function marginsOnThreads(
  core: Core,
  { edge, delta, triplet, between }: ReducedCosts,
  { multipliers, forced, room }: Pick<LevelsMemory, "multipliers" | "forced" | "room">,
  threads: number,
  dominated: () => DominatedInF64 | null,
): Promise<Margins | null> {
  const { graph, tracks } = core;
  const places = 2 * graph.deathOf.length;
  const memory: LevelsMemory = {
    ...{ graph, tracks, multipliers, room },
    ...{ forced: sharedCopy(forced), edge: sharedCopy(edge), delta: sharedCopy(delta) },
    value: sharedFloat64(LEVELS.length * places),
    crowded: sharedUint8(LEVELS.length),
    needless: sharedUint8(1),
  };
  let next: DominatedInF64 | null = null;
  const first = () => {
    next = dominated();
    if (next === null) Atomics.store(memory.needless, 0, 1);
  };
  const work = levelWork(levelsOf(core, { edge, triplet, between }, memory), memory);
  await inParallel(Math.min(threads, LEVELS.length + 1), "#margins-worker", memory, work, LEVELS.length, { first });
  if (next === null) return null;
  return marginsOf(core, next, (level) => ({
    value: memory.value.subarray(level * places, (level + 1) * places),
    crowded: memory.crowded[level] === 1,
  }));
}
