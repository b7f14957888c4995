import { UNASSIGNED } from "../../lap/lap.js";
import type { Core } from "../proof/core.js";
import { eliminate, type Left } from "../proof/elimination.js";
import { rounded } from "../proof/numbers.js";
import { type DominatedInF64, effortFor, type ReducedCosts } from "./stages.js";

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
}

/** Levels at which components are examined, in units of the room; they tell apart margins within one or two rooms. */
const LEVELS = [0.01, 0.05, 0.2, 0.5, 1, 2] as const;

/** @param dominated what `reduced` proves next to T* */
export function marginsOf(core: Core, reduced: ReducedCosts, { chains, room }: DominatedInF64): Margins {
  const { graph, trackEdges } = core;
  const { frames, frameStart, edges, tail, head } = graph;
  const margin = new Float64Array(edges).fill(Number.NaN);
  const everywhere = new Uint8Array(edges).fill(1);

  /** The bound by the least that both ends of an edge pay for other edges. These are on two tracks, since only the edge itself joins its ends. */
  const alternatives = alternativesTo(core);
  alternatives(chains.through, everywhere, (e, other) => {
    margin[e] = less(other, room);
  });
  const most = LEVELS[LEVELS.length - 1] * room;
  // Where the room is small, levels add nothing to the margins proved so far.
  if (room > 0 && trackEdges.edges.some((e) => margin[e] < most)) {
    for (const share of LEVELS) {
      const level = share * room;
      const effort = { ...effortFor(graph), level };
      const left = eliminate(rounded, core, reduced, chains, room, effort) as Left<number, Float64Array>;
      // Whether a higher level may prove more of some edge.
      let open = false;
      for (const e of trackEdges.edges) {
        if (left.active[e] === 1) continue;
        margin[e] = Math.max(margin[e], level);
        if (margin[e] < most) open = true;
      }
      alternatives(left.through, left.active, (e, other) => {
        const touched = left.componentOf[tail[e] === UNASSIGNED ? head[e] : tail[e]];
        const proved = less(other, left.rooms[touched]);
        margin[e] = Math.max(margin[e], Math.min(level, proved));
        if (proved >= level && margin[e] < most) open = true;
      });
      // At higher levels no fewer edges are left: chains are no dearer and rooms no smaller, if no edge of T* has become active.
      if (left.crowded || !open) break;
    }
  }
  const out = new Float64Array(frameStart[frames]).fill(Number.NaN);
  const into = out.slice();
  for (let d = 0; d < out.length; d++) {
    if (trackEdges.out[d] >= 0) out[d] = margin[trackEdges.out[d]];
    if (trackEdges.into[d] >= 0) into[d] = margin[trackEdges.into[d]];
  }
  return { out, into };
}

/**
 * Visits the active edges of T* with the least that the sets of tracks without it cost beyond the bound: what both its ends pay for
 * another edge each. Those are on different tracks, so the two sums add.
 */
function alternativesTo({ graph, incidence, trackEdges }: Core) {
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
function less(a: number, b: number): number {
  return rounded.down(a, -b) as number;
}
