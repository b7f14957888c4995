import { rootOf } from "../../core/union-find.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { membersOf, setCount, usedIn } from "../instance/exclusions.js";
import { type Graph, tripletCost } from "../instance/instance.js";
import type { Tracks } from "./feasible.js";

/**
 * Replaces `first` by the best mixture of two allowed sets of tracks that does not part what hangs together: links in which they differ and that share a detection, detections
 * of one set of exclusions that either uses and the other does not, a twin and her mother. Each such piece is taken as one of the two has it, whichever costs less.
 * @returns whether any piece was taken from `second`
 */
export function mixExclusive(graph: Graph, first: Tracks, second: Tracks): boolean {
  const { head, exclusions, motherOf } = graph;
  const root = Int32Array.from(first.keys());
  const unite = (a: number, b: number): void => {
    root[rootOf(root, a)] = rootOf(root, b);
  };
  first.forEach((link, d) => {
    if (link === second[d]) return;
    for (const one of [link, second[d]]) if (one !== UNASSIGNED) unite(d, head[one]);
  });
  const used = [usedIn(graph, first), usedIn(graph, second)];
  for (let set = 0; exclusions !== null && set < setCount(exclusions); set++) {
    const members = membersOf(exclusions, set);
    const [mine, theirs] = used.map((one) => members.find((d) => one[d] === 1));
    if (mine !== undefined && theirs !== undefined && mine !== theirs) unite(mine, theirs);
  }
  motherOf?.forEach((mother, twin) => {
    if (mother !== UNASSIGNED) unite(mother, twin);
  });
  const saved = new Float64Array(first.length);
  const [before, after] = [costsOf(graph, first), costsOf(graph, second)];
  for (let d = 0; d < saved.length; d++) saved[rootOf(root, d)] += before[d] - after[d];
  let isMixed = false;
  for (let d = 0; d < first.length; d++) {
    if (first[d] === second[d] || !(saved[rootOf(root, d)] > 0)) continue;
    first[d] = second[d];
    isMixed = true;
  }
  return isMixed;
}

/** By detection: of its birth, its triplet and the edge out of it. */
function costsOf(graph: Graph, tracks: Tracks): Float64Array {
  const { birthOf, deathOf, head, cost } = graph;
  const into = birthOf.slice();
  for (const link of tracks) if (link !== UNASSIGNED) into[head[link]] = link;
  return Float64Array.from(tracks, (link, d) => {
    const out = link === UNASSIGNED ? deathOf[d] : link;
    const isBorn = into[d] !== UNASSIGNED && into[d] === birthOf[d];
    const ends = (isBorn ? cost[into[d]] : 0) + (out === UNASSIGNED ? 0 : cost[out]);
    return into[d] === UNASSIGNED || out === UNASSIGNED ? ends : ends + tripletCost(graph, into[d], out);
  });
}
