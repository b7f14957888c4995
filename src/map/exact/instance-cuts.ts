import { bisectRight } from "d3-array";
import { PairMap } from "../../core/pair-map.js";
import { UNASSIGNED } from "../../lap/lap.js";
import type { Cut, Item } from "../certificate/cuts.js";
import { eachDivisionRow } from "../certificate/divisions.js";
import { addCliques, type WeighedRow, weighedCliques } from "../dual/cliques.js";
import { weigh } from "../dual/exclusions.js";
import type { AscentState } from "../dual/state.js";
import { membersOf, setCount } from "../instance/exclusions.js";
import { type Graph, isLink, linkBetween, tripletCost } from "../instance/instance.js";
import { payingTwins } from "../instance/twins.js";
import type { Stage } from "../proof/proof.js";

/** The cuts that hold because an instance says so, and without which it is another one. */
export function instanceCuts(graph: Graph): Cut[] {
  return [...exclusionCuts(graph), ...divisionCuts(graph)];
}

/** By the numbers of the sets. */
export function exclusionCuts(graph: Graph): Cut[] {
  const { exclusions } = graph;
  if (exclusions === null) return [];
  return Array.from({ length: setCount(exclusions) }, (_, set) => {
    const items = Array.from(membersOf(exclusions, set)).flatMap((d) => usesOf(graph, d));
    return { kind: "exclusion", items, set };
  });
}

/** Of twins whose orphans may pay: a twin goes on, or her mother ends; one daughter is entered by both, or the mother ends. */
function divisionCuts(graph: Graph): Cut[] {
  const { motherOf, linkStart, linkEnd, head, deathOf } = graph;
  return payingTwins(graph).flatMap((twin) => {
    const mother = motherOf?.[twin] ?? UNASSIGNED;
    const end: Item = [deathOf[mother], -1];
    const links = Array.from({ length: linkEnd[twin] - linkStart[twin] }, (_, n): Item => [linkStart[twin] + n, -1]);
    const both = links.map((item) => [item, end, [linkBetween(graph, mother, head[item[0]]), -1] as Item]);
    const cuts = [[...links, end], ...both.filter(([, , [first]]) => first >= 0)];
    return cuts.map((items): Cut => ({ kind: "clique", items }));
  });
}

/** The exclusions and the rows of cliques that have a multiplier, with it. */
export function weighedCuts(
  graph: Graph,
  { exclusions = null, cliques = null }: Partial<Pick<AscentState, "exclusions" | "cliques">>,
  allOf: () => readonly Cut[] = () => exclusionCuts(graph),
): Pick<Stage, "cuts" | "cutMultipliers"> {
  if (exclusions === null) return { cuts: [], cutMultipliers: new Float64Array(0) };
  const { mu, number } = exclusions;
  const all = allOf();
  const at = Array.from(mu.keys()).filter((k) => mu[k] > 0);
  const rows = cliques === null ? [] : weighedCliques(graph, cliques);
  return {
    cuts: [
      ...at.map((k) => all[number[k]]),
      ...rows.map(({ items }): Cut => ({ kind: "clique", items: items.flatMap((n) => itemsOf(graph, n)) })),
    ],
    cutMultipliers: Float64Array.from([...at.map((k) => mu[k]), ...rows.map((row) => row.mu)]),
  };
}

/** Gives an ascent's exclusions and rows of cliques the multipliers that a stage has for them. */
export function weighAs(graph: Graph, state: AscentState, { cuts, cutMultipliers }: Stage): void {
  const { exclusions } = state;
  if (exclusions === null) return;
  const of = new Map(cuts.map(({ set }, k) => [set, cutMultipliers[k]]));
  weigh(exclusions, state, (number) => of.get(number) ?? 0);
  const rows = cuts.flatMap((cut, k) => {
    const items = cut.kind === "clique" ? rowOf(graph, cut) : null;
    return items === null ? [] : [{ items, mu: cutMultipliers[k] }];
  });
  addCliques(graph, state, rows);
}

/** Adds the rows of divisions at the multipliers that follow from the other ones, as `reduced` has them, and β. */
export function weighDivisions(graph: Graph, state: AscentState, columnDual: Float64Array): void {
  const { reduced } = state;
  const rows: WeighedRow[] = [];
  const slack = (e: number): number => reduced[e] - (graph.head[e] === UNASSIGNED ? 0 : columnDual[graph.head[e]]);
  eachDivisionRow(graph, slack, (edges, mu) => {
    // A death stands last.
    rows.push({ items: [...edges].sort((a, b) => a - b), mu });
  });
  addCliques(graph, state, rows);
}

/** An item of a row of cliques as those of a cut. */
export function itemsOf(graph: Graph, n: number): readonly Item[] {
  return n < graph.edges ? [[n, -1]] : usesOf(graph, n - graph.edges);
}

/** The other way round; null where the cut is no such row. */
function rowOf(graph: Graph, { items }: Cut): number[] | null {
  const pairOf = (e: number): number => bisectRight(graph.edgeStart, e) - 1;
  const pair = Math.max(...items.map(([e, f]) => pairOf(Math.max(e, f))));
  const edges = items.flatMap(([e, f]) => (f < 0 && pairOf(e) === pair ? [e] : []));
  const used = new Set(items.flatMap(([e, f]) => (f < 0 && pairOf(e) === pair ? [] : [graph.head[e]])));
  const row = [...edges, ...Array.from(used, (d) => graph.edges + d)];
  const all = row.flatMap((n) => itemsOf(graph, n));
  const has = new PairMap<true>();
  for (const [e, f] of items) has.set(e, f, true);
  const isSame = all.length === items.length && all.every(([e, f]) => has.get(e, f));
  return edges.length > 0 && isSame ? row : null;
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
  const isThere = ([e, f]: Item): boolean => tripletCost(graph, e, f) < Number.POSITIVE_INFINITY;
  return [...uses, ...links.map((f): Item => [birth, f]).filter(isThere)];
}
