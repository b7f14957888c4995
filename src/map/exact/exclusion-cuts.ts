import { bisectRight } from "d3-array";
import { UNASSIGNED } from "../../lap/lap.js";
import type { Cut, Item } from "../certificate/cuts.js";
import { membersOf, setCount } from "../instance/exclusions.js";
import { type Graph, isLink, tripletCost } from "../instance/instance.js";

/** The exclusions of an instance or a core as cuts, with the frame pair of all their items: the one before their detections, and the first for those of the first frame. */
export function exclusionCuts(graph: Graph): { readonly cut: Cut; readonly pair: number }[] {
  const { exclusions, frameStart } = graph;
  if (exclusions === null) return [];
  return Array.from({ length: setCount(exclusions) }, (_, set) => {
    const members = membersOf(exclusions, set);
    const items = Array.from(members).flatMap((d) => usesOf(graph, d));
    return { cut: { kind: "exclusion", items, set }, pair: Math.max(0, bisectRight(frameStart, members[0]) - 2) };
  });
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
  const follows = (f: number): boolean => tripletCost(graph, birth, f) < Number.POSITIVE_INFINITY;
  return [...uses, ...links.filter(follows).map((f): Item => [birth, f])];
}
