import { splitByBinding } from "../../gpu/buffers.js";
import type { Bound, Workspace } from "../../gpu/workspace.js";
import { UNASSIGNED } from "../../lap/lap.js";
import type { Graph } from "../instance/instance.js";

/** Multipliers of the edges out of a detection that fit workgroup memory everywhere. */
const MOST_TILE = 3000;

/** A piece of the stored triplets below the binding limit: rows of the edges into some detections. */
export interface TripletPart {
  readonly firstTriplet: number;
  /** Names of its `successor` and `tripletCost`. */
  readonly bound: Bound;
  /** Detections whose entering edges' rows lie in this part. */
  readonly firstDetection: number;
  readonly endDetection: number;
}

export interface StoredMemory {
  readonly parts: readonly TripletPart[];
  /** Most edges out of a detection where every row holds all of them, and successors are not uploaded; else 0. */
  readonly completeWidth: number;
}

/**
 * Stored triplets in pieces below the binding limit, cut between frame pairs, since the rows of a pair's edges are consecutive. The
 * rows of births are not read: a birth is followed by every edge out of its detection at no cost, which the kernels know.
 */
export function uploadTriplets(work: Workspace, graph: Graph, tripletBytes?: number): StoredMemory | null {
  const { triplets, frames, frameStart, edgeStart, edges } = graph;
  if (triplets.kind === "implicit") return null;
  const { rowStart, successor, cost } = triplets;
  const width = completeWidth(graph);
  const pairStart = (p: number): number => rowStart[edgeStart[p]];
  const sizes = Array.from({ length: frames - 1 }, (_, p) => pairStart(p + 1) - pairStart(p));
  const cuts = splitByBinding(work.session, "the triplets of frame pair", sizes, tripletBytes);
  const parts = cuts.slice(0, -1).map((from, k) => {
    const to = cuts[k + 1];
    const [begin, end] = [pairStart(from), pairStart(to)];
    const bound = { successor: `successor ${k}`, tripletCost: `tripletCost ${k}` };
    work.upload(bound.successor, new Uint32Array(width > 0 ? [0] : successor.subarray(begin, end)));
    work.upload(bound.tripletCost, new Float32Array(cost.subarray(begin, end)));
    return {
      firstTriplet: begin,
      bound,
      firstDetection: frameStart[from + 1],
      endDetection: frameStart[to + 1],
    };
  });
  work.upload("rowStart", Uint32Array.from(rowStart));
  work.storage("key", edges);
  return { parts, completeWidth: width };
}

/**
 * The most edges out of a detection where every row of the stored triplets holds all of them, and they fit workgroup memory
 * everywhere; else 0.
 */
function completeWidth({ triplets, frames, frameStart, linkStart, linkEnd, deathOf, tail, head }: Graph): number {
  if (triplets.kind === "implicit") return 0;
  const leaving = (d: number): number => linkEnd[d] - linkStart[d] + (deathOf[d] === UNASSIGNED ? 0 : 1);
  let widest = 0;
  for (let d = 0; d < frameStart[frames - 1]; d++) widest = Math.max(widest, leaving(d));
  if (widest > MOST_TILE) return 0;
  for (let e = 0; e < head.length; e++) {
    const j = head[e];
    if (j === UNASSIGNED || tail[e] === UNASSIGNED) continue;
    if (j < frameStart[frames - 1] && triplets.rowStart[e + 1] - triplets.rowStart[e] !== leaving(j)) return 0;
  }
  return widest;
}
