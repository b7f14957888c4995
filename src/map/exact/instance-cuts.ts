import { UNASSIGNED } from "../../lap/lap.js";
import type { Cut, Item } from "../certificate/cuts.js";
import { weigh } from "../dual/restrictions.js";
import type { AscentState } from "../dual/state.js";
import { type Graph, isLink, tripletCost } from "../instance/instance.js";
import { type Restriction, restrictionsOf, type WeighedRestrictions } from "../instance/restrictions.js";
import type { Stage } from "../proof/proof.js";
import { keyOf } from "./separation.js";

/** The cuts that hold because an instance says so. */
export function instanceCuts(graph: Graph): Cut[] {
  return restrictionsOf(graph).map((restriction) => cutOf(graph, restriction));
}

/** Whether a cut is one of these, without which the instance is another one. */
export const isOfInstance = ({ kind }: Cut): boolean => kind === "exclusion" || kind === "division";

/** The cuts that have a multiplier, with it. */
export function weighedCuts(
  graph: Graph,
  restrictions: WeighedRestrictions | null,
  allOf: () => readonly Cut[] = () => instanceCuts(graph),
): Pick<Stage, "cuts" | "cutMultipliers"> {
  if (restrictions === null) return { cuts: [], cutMultipliers: new Float64Array(0) };
  const { mu, number } = restrictions;
  const all = allOf();
  const at = Array.from(mu.keys()).filter((k) => mu[k] > 0);
  return { cuts: at.map((k) => all[number[k]]), cutMultipliers: Float64Array.from(at, (k) => mu[k]) };
}

/** Gives an ascent's restrictions the multipliers that a stage has for them. */
export function weighAs(graph: Graph, state: AscentState, { cuts, cutMultipliers }: Stage): void {
  const { restrictions } = state;
  if (restrictions === null) return;
  const of = new Map(cuts.map((cut, k) => [keyOf(cut), cutMultipliers[k]]));
  const all = restrictionsOf(graph);
  weigh(restrictions, state, (number) => {
    const { kind, of: one } = all[number];
    return of.get(`${kind}:${one}`) ?? 0;
  });
}

/** A restriction as a cut. */
function cutOf(graph: Graph, { kind, of, facts }: Restriction): Cut {
  const items = facts.flatMap((fact) => (fact % 2 === 0 ? usesOf(graph, fact / 2) : endsOf(graph, (fact - 1) / 2)));
  return kind === "exclusion" ? { kind, items, set: of } : { kind, items, twin: of };
}

/** The items of which one is taken where a detection is used. */
function usesOf(graph: Graph, d: number): Item[] {
  const { frames, frameStart, linkStart, linkEnd, birthOf, inStart, inEdge } = graph;
  const links = Array.from({ length: linkEnd[d] - linkStart[d] }, (_, n) => linkStart[d] + n);
  if (d < frameStart[1]) return links.map((f): Item => [f, -1]);
  const entering = Array.from(inEdge.subarray(inStart[d], inStart[d + 1])).filter((e) => isLink(graph, e));
  const uses = entering.map((e): Item => [e, -1]);
  const birth = birthOf[d];
  if (birth === UNASSIGNED || d >= frameStart[frames - 1]) return uses;
  return [...uses, ...links.map((f): Item => [birth, f]).filter((item) => isThere(graph, item))];
}

/** The items of which one is taken where a detection ends. */
function endsOf(graph: Graph, d: number): Item[] {
  const { frameStart, inStart, inEdge, deathOf } = graph;
  if (d < frameStart[1]) return [[deathOf[d], -1]];
  const ends = Array.from(inEdge.subarray(inStart[d], inStart[d + 1]), (e): Item => [e, deathOf[d]]);
  return ends.filter((item) => isThere(graph, item));
}

function isThere(graph: Graph, [e, f]: Item): boolean {
  return tripletCost(graph, e, f) < Number.POSITIVE_INFINITY;
}
