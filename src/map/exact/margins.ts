import { UNASSIGNED } from "../../lap/lap.js";
import type { ReducedCosts } from "../certificate/reduced-costs.js";
import type { Incidence } from "../instance/incidence.js";
import { type Chains, shrinkOf } from "./chains.js";
import { eliminate } from "./elimination.js";
import type { OwnEdges } from "./own-edges.js";

/**
 * The certified margin of each edge of a set of tracks T* (docs/exact.md §3): every set of tracks without the edge costs at least `margin` more than
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

/** @param room at least what T* costs beyond the bound of `reduced` */
export function marginsOf(
  reduced: ReducedCosts,
  incidence: Incidence,
  chains: Chains,
  own: OwnEdges,
  room: number,
): Margins {
  const { graph } = reduced;
  const { frames, frameStart, edges, tail, head } = graph;
  const shrink = shrinkOf(frames);
  const margin = new Float64Array(edges).fill(Number.NaN);
  const everywhere = new Uint8Array(edges).fill(1);

  /** The bound by the least that both ends of an edge pay for other edges. These are on two tracks, since only the edge itself joins its ends. */
  const alternatives = alternativesTo(own, incidence);
  alternatives(chains.through, everywhere, (e, other) => {
    margin[e] = below(other * shrink, room);
  });
  if (room > 0) {
    for (const share of LEVELS) {
      const level = share * room;
      const left = eliminate(reduced, incidence, chains, own, room, level);
      for (let e = 0; e < edges; e++) {
        if (own.isOwn[e] === 1 && left.active[e] === 0) margin[e] = Math.max(margin[e], level);
      }
      alternatives(left.through, left.active, (e, other) => {
        const touched = left.componentOf[tail[e] === UNASSIGNED ? head[e] : tail[e]];
        margin[e] = Math.max(margin[e], Math.min(level, below(other * shrink, left.room[touched])));
      });
      // At higher levels no fewer edges are left.
      if (left.crowded) break;
    }
  }
  const out = new Float64Array(frameStart[frames]).fill(Number.NaN);
  const into = out.slice();
  for (let d = 0; d < out.length; d++) {
    if (own.out[d] >= 0) out[d] = margin[own.out[d]];
    if (own.into[d] >= 0) into[d] = margin[own.into[d]];
  }
  return { out, into };
}

/**
 * Visits the active edges of T* with the least that the sets of tracks without it cost beyond the bound: what both its ends pay for
 * another edge each. Those are on different tracks, so the two sums add.
 */
function alternativesTo({ isOwn, out, into }: OwnEdges, { outFrom, outEdge, inFrom, inEdge }: Incidence) {
  const least = (edge: Uint32Array, from: number, to: number, through: Float64Array, active: Uint8Array): number => {
    let value = Number.POSITIVE_INFINITY;
    for (let k = from; k < to; k++) {
      const e = edge[k];
      if (active[e] === 1 && isOwn[e] === 0 && through[e] < value) value = through[e];
    }
    return value;
  };
  return (through: Float64Array, active: Uint8Array, visit: (e: number, other: number) => void): void => {
    const leaving = new Map<number, number>();
    for (let d = 0; d < out.length; d++) {
      const e = out[d];
      if (e !== UNASSIGNED && active[e] === 1)
        leaving.set(e, least(outEdge, outFrom[d], outFrom[d + 1], through, active));
    }
    for (let d = 0; d < into.length; d++) {
      const e = into[d];
      if (e === UNASSIGNED || active[e] === 0) continue;
      const entering = least(inEdge, inFrom[d], inFrom[d + 1], through, active);
      visit(e, entering + (leaving.get(e) ?? 0));
      leaving.delete(e);
    }
    for (const [death, other] of leaving) visit(death, other);
  };
}

/** At most a − b. */
function below(a: number, b: number): number {
  const difference = a - b;
  return difference === Number.POSITIVE_INFINITY ? difference : difference - 2 ** -52 * Math.abs(difference);
}
