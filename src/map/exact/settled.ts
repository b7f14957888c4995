import { UNASSIGNED } from "../../lap/lap.js";
import { CompensatedSum } from "../certificate/compensated-sum.js";
import type { ReducedCosts } from "../certificate/reduced-costs.js";
import type { Incidence } from "../instance/incidence.js";
import { type Graph, tripletCost, tripletIndex } from "../instance/instance.js";
import type { Elimination } from "./elimination.js";
import type { OwnEdges } from "./own-edges.js";

/** What rounding may leave of terms, relative to their magnitudes: a reduced cost goes through some dozen roundings of such terms. */
const ROUNDING_OF_TERMS = 2 ** -46;

/**
 * Whether only rounding keeps elimination from proving T* optimal (docs/exact.md §2): no set of tracks T is cheaper by more than 2⁻⁴⁵ times the
 * magnitudes of the terms that only one of T and T* has. So it is where tracks can change places for nothing.
 *
 * An exchange gives up edges of T* and the triplets at their ends, and saves no more than what these pay beyond the bound. So it is enough
 * that each active edge of T* with its triplets pays no more than such a share of these terms and of the least that any exchange takes instead at its ends, and
 * that the slack of the cuts is no more than such a share of any of them. What may belong to two edges counts half to each. Births and deaths
 * count nothing: what is taken off the ones and added to the others is no cost (docs/algorithm.md §1.1).
 */
export function settled(
  reduced: ReducedCosts,
  { outFrom, outEdge, inFrom, inEdge }: Incidence,
  own: OwnEdges,
  { active }: Elimination,
): boolean {
  const { graph } = reduced;
  const { into, out, isOwn, edges } = own;
  const { tail, head } = graph;
  /** The least term of what may take the place of an edge of T* at one end. */
  const instead = (edge: Uint32Array, from: number, to: number): number => {
    let least = Number.POSITIVE_INFINITY;
    for (let k = from; k < to; k++) {
      const e = edge[k];
      if (active[e] === 1 && isOwn[e] === 0) least = Math.min(least, termOf(graph, e));
    }
    return least;
  };
  let least = Number.POSITIVE_INFINITY;
  for (const e of edges) {
    if (active[e] === 0) continue;
    const [i, j] = [tail[e], head[e]];
    let paid = reduced.edgeAtMost(e);
    let terms = termsGivenUp(graph, own, e);
    if (i !== UNASSIGNED) terms += instead(outEdge, outFrom[i], outFrom[i + 1]) / 2;
    if (j !== UNASSIGNED) terms += instead(inEdge, inFrom[j], inFrom[j + 1]) / 2;
    for (const d of [i, j]) if (isInside(own, d)) paid += reduced.betweenAtMost(into[d], out[d]);
    if (!(terms < Number.POSITIVE_INFINITY && paid <= ROUNDING_OF_TERMS * terms)) return false;
    least = Math.min(least, terms);
  }
  return slackOfCuts(reduced, into, out, edges) <= ROUNDING_OF_TERMS * least;
}

/** The magnitudes of an edge of T* and of half the triplets at its ends. */
function termsGivenUp(graph: Graph, own: OwnEdges, e: number): number {
  let terms = termOf(graph, e);
  for (const d of [graph.tail[e], graph.head[e]])
    if (isInside(own, d)) terms += Math.abs(tripletCost(graph, own.into[d], own.out[d])) / 2;
  return terms;
}

function termOf({ links, cost }: Graph, e: number): number {
  return e < links ? Math.abs(cost[e]) : 0;
}

/** Whether T* has a triplet at d. */
function isInside({ into, out }: OwnEdges, d: number): boolean {
  return d !== UNASSIGNED && into[d] !== UNASSIGNED && out[d] !== UNASSIGNED;
}

/** At least what the right sides of all cuts, weighed, exceed the items that T* takes; 0 without cuts. */
function slackOfCuts({ graph, cuts }: ReducedCosts, into: Int32Array, out: Int32Array, own: Uint32Array): number {
  if (cuts === undefined) return 0;
  const { triplets } = graph;
  const slack = new CompensatedSum();
  slack.add(cuts.constant);
  for (const e of own) slack.add(-cuts.edge[e]);
  for (let d = 0; d < into.length; d++) {
    const [e, f] = [into[d], out[d]];
    if (e === UNASSIGNED || f === UNASSIGNED) continue;
    slack.add(-cuts.triplet(e, f, triplets.kind === "csr" ? tripletIndex(triplets, e, f) : -1));
  }
  return slack.upper;
}
