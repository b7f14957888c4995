import { UNASSIGNED } from "../../lap/lap.js";
import { type Graph, isLink, tripletCost } from "../instance/instance.js";
import type { Core } from "./core.js";
import type { Numbers, Value } from "./numbers.js";
import type { Reduced } from "./reduced.js";

/** Rounding may leave 2⁻⁴⁶ of the magnitudes of terms: a reduced cost goes through some dozen roundings of such terms. */
const TERMS_OVER_ROUNDING = 2 ** 46;

/**
 * Whether only rounding keeps elimination from proving T* optimal (docs/explanation/proofs.md): no set of tracks T is cheaper by more than
 * 2⁻⁴⁵ times the magnitudes of the terms that only one of T and T* has. So it is where tracks can change places for nothing.
 *
 * An exchange gives up edges of T* and the triplets at their ends, and saves no more than what these pay beyond the bound. So it is enough
 * that each active edge of T* with its triplets pays no more than such a share of these terms and of the least that any exchange takes
 * instead at its ends, and that the slack of the cuts is no more than such a share of any of them. A term that may belong to two edges counts half
 * to each. Births and deaths count nothing: an amount that is taken off the ones and added to the others is no cost.
 */
export function isSettled(
  { of, down, up, times }: Numbers,
  { graph, incidence, trackEdges }: Core,
  reduced: Pick<Reduced, "edgeAtMost" | "betweenAtMost" | "slackOfCuts">,
  active: Uint8Array,
): boolean {
  const { frames, frameStart, tail, head } = graph;
  const { outFrom, outEdge, inFrom, inEdge } = incidence;
  const { into, out, isOfTracks, edges } = trackEdges;
  /** Half the least term of an edge that may replace an edge of T* at one end. */
  const instead = (edge: Uint32Array, from: number, to: number): Value => {
    let least = Number.POSITIVE_INFINITY;
    for (let k = from; k < to; k++) {
      const e = edge[k];
      if (active[e] === 1 && isOfTracks[e] === 0) least = Math.min(least, termOf(graph, e));
    }
    return of(least / 2);
  };
  const hasTriplet = (d: number): boolean => d !== UNASSIGNED && into[d] !== UNASSIGNED && out[d] !== UNASSIGNED;
  let least: Value = Number.POSITIVE_INFINITY;
  for (const e of edges) {
    if (active[e] === 0) continue;
    const [i, j] = [tail[e], head[e]];
    let paid = reduced.edgeAtMost(e);
    let terms = of(termOf(graph, e));
    for (const d of [i, j]) {
      if (!hasTriplet(d)) continue;
      terms = down(terms, of(Math.abs(tripletCost(graph, into[d], out[d])) / 2));
      paid = up(paid, reduced.betweenAtMost(into[d], out[d]));
    }
    if (i !== UNASSIGNED) terms = down(terms, instead(outEdge, outFrom[i], outFrom[i + 1]));
    if (j !== UNASSIGNED) terms = down(terms, instead(inEdge, inFrom[j], inFrom[j + 1]));
    if (!(terms < Number.POSITIVE_INFINITY && times(paid, TERMS_OVER_ROUNDING) <= terms)) return false;
    if (terms < least) least = terms;
  }
  const inside = Array.from({ length: frameStart[frames - 1] - frameStart[1] }, (_, n) => {
    const d = frameStart[1] + n;
    return [into[d], out[d]] as const;
  });
  return times(reduced.slackOfCuts(edges, inside), TERMS_OVER_ROUNDING) <= least;
}

function termOf(graph: Graph, e: number): number {
  return isLink(graph, e) ? Math.abs(graph.cost[e]) : 0;
}
