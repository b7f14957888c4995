import { frameOfDetections } from "../../core/detections.js";
import { UNASSIGNED } from "../../lap/lap.js";
import type { Graph, StoredTriplets } from "../instance/instance.js";
import type { Tracks } from "./feasible.js";

/** Links tried in all, beyond one a detection: a second's work or less. */
const BUDGET = 500_000;

/**
 * Finds a set of tracks in which every triplet is allowed, for when no other search has found one; null where none was found within the budget.
 *
 * Where tracks may start and end, `candidate` is cut where its triplets are forbidden. Else a search in depth, detection by detection and
 * pair by pair, over the successors of the link that came in, the cheaper first; what cannot be continued from all links of a pair is
 * remembered. On small instances it finds tracks wherever they exist.
 */
export function completeTracks(graph: Graph, candidate: Tracks): Tracks | null {
  const { triplets, links, edges } = graph;
  if (triplets.kind === "implicit") return null;
  return edges > links ? cut(graph, triplets, candidate) : search(graph, triplets);
}

function cut({ frames, frameStart, head }: Graph, { rowStart, successor }: StoredTriplets, candidate: Tracks): Tracks {
  const tracks = Int32Array.from(candidate);
  const into = new Int32Array(tracks.length).fill(UNASSIGNED);
  for (let d = 0; d < frameStart[frames - 1]; d++) {
    const [e, f] = [into[d], tracks[d]];
    if (f === UNASSIGNED) continue;
    if (e !== UNASSIGNED && !successor.subarray(rowStart[e], rowStart[e + 1]).includes(f)) tracks[d] = UNASSIGNED;
    else into[head[f]] = f;
  }
  return tracks;
}

function search(graph: Graph, { rowStart, successor, cost: tripletCost }: StoredTriplets): Tracks | null {
  const { frames, frameStart, linkStart, linkEnd, cost, head } = graph;
  const lastFrame = frameStart[frames - 1];
  const tracks = new Int32Array(frameStart[frames]).fill(UNASSIGNED);
  const into = new Int32Array(frameStart[frames]).fill(UNASSIGNED);
  const frameOf = frameOfDetections(frameStart);

  const candidates = (d: number): number[] => {
    const e = into[d];
    if (e === UNASSIGNED) {
      const all = Array.from({ length: linkEnd[d] - linkStart[d] }, (_, k) => linkStart[d] + k);
      return all.sort((f, g) => cost[f] - cost[g]);
    }
    const all = Array.from({ length: rowStart[e + 1] - rowStart[e] }, (_, k) => rowStart[e] + k);
    return all
      .sort((t, s) => tripletCost[t] + cost[successor[t]] - tripletCost[s] - cost[successor[s]])
      .map((t) => successor[t]);
  };
  /** The links into a frame, as one key; and those from which no tracks lead on. */
  const linksInto = (p: number): string => into.subarray(frameStart[p], frameStart[p + 1]).join();
  const dead = new Set<string>();

  const choices: number[][] = [];
  for (let d = 0, left = BUDGET + lastFrame; d < lastFrame; ) {
    choices[d] ??= d > frameStart[frameOf[d]] || !dead.has(linksInto(frameOf[d])) ? candidates(d) : [];
    const f = choices[d].shift();
    if (f === undefined) {
      // All continuations from here have failed: undo the choice before.
      if (d > 0 && d === frameStart[frameOf[d]]) dead.add(linksInto(frameOf[d]));
      delete choices[d];
      d--;
      if (d < 0) return null;
      into[head[tracks[d]]] = UNASSIGNED;
      tracks[d] = UNASSIGNED;
      continue;
    }
    if (left-- === 0) return null;
    if (into[head[f]] !== UNASSIGNED) continue;
    tracks[d] = f;
    into[head[f]] = f;
    d++;
  }
  return tracks;
}
