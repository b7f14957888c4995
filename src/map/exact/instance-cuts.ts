import { bisectRight } from "d3-array";
import { UNASSIGNED } from "../../lap/lap.js";
import type { Cut, Item } from "../certificate/cuts.js";
import { membersOf, setCount } from "../instance/exclusions.js";
import { type Graph, isLink, tripletCost } from "../instance/instance.js";
import { orphanMayPay } from "../instance/twins.js";

/** A cut with the frame pair of all its items. */
interface PlacedCut {
  readonly cut: Cut;
  readonly pair: number;
}

/** The cuts that hold because an instance says so: its exclusions, and the twins whose orphans may pay. */
export function instanceCuts(graph: Graph): PlacedCut[] {
  return [...exclusionCuts(graph), ...divisionCuts(graph)];
}

/** Whether a cut is one of these, without which the instance is another one. */
export const isOfInstance = ({ kind }: Cut): boolean => kind === "exclusion" || kind === "division";

/** A twin's links and her mother's end, which are items of the frame pair before them, or in the first frame of the first. */
function divisionCuts(graph: Graph): PlacedCut[] {
  const { motherOf, frameStart, linkStart, linkEnd, birthOf, deathOf, inStart, inEdge } = graph;
  const cuts: PlacedCut[] = [];
  motherOf?.forEach((mother, twin) => {
    if (mother === UNASSIGNED || !orphanMayPay(graph, twin)) return;
    const isFirst = twin < frameStart[1];
    const goesOn = Array.from({ length: linkEnd[twin] - linkStart[twin] }, (_, n): Item => {
      const link = linkStart[twin] + n;
      return isFirst ? [link, -1] : [birthOf[twin], link];
    });
    const into = Array.from(inEdge.subarray(inStart[mother], inStart[mother + 1]));
    const ends = isFirst ? [[deathOf[mother], -1] as const] : into.map((e): Item => [e, deathOf[mother]]);
    const isThere = ([e, f]: Item): boolean => f < 0 || tripletCost(graph, e, f) < Number.POSITIVE_INFINITY;
    const items = [...goesOn, ...ends].filter(isThere);
    cuts.push({ cut: { kind: "division", items, twin }, pair: Math.max(0, bisectRight(frameStart, twin) - 2) });
  });
  return cuts;
}

/** The pair is the one before the detections, and the first for those of the first frame. */
function exclusionCuts(graph: Graph): PlacedCut[] {
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
