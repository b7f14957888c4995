import { UNASSIGNED } from "../../lap/lap.js";
import { continuationAt } from "../certificate/continuation.js";
import { type Graph, linkBetween, tripletCost } from "../instance/instance.js";
import { detectionRange, edgeRange, type Piece, type PieceOptions, solvePiece } from "./piece.js";
import { edgeCosts, stretchOf } from "./stretch.js";

/**
 * Frames `from` … `to` around the border of two windows, both of which have them and price them alike. Multipliers of the frame pairs `from` and
 * `to`, and the tracks up to frame `from` and on from frame `to`, are those of the windows. A recording that ends at frame `to` has none beyond it.
 */
export interface Seam {
  readonly from: number;
  readonly to: number;
  readonly left: Piece;
  readonly right: Piece;
}

/** The problem whose dual is what the frame pairs `from` … `to` − 1 add to L(v), with the multipliers at both ends fixed (docs/explanation/mathematics.md §4.1). */
function seamOfMultipliers({ from, to, left, right }: Seam): Graph {
  const [begin, end] = [from - right.first, to - right.first];
  const { graph } = right;
  const cost = edgeCosts(graph, begin, end).slice();
  const [first] = edgeRange(left, from, to);
  const leaving = left.graph.birthStart[from - left.first] - first;
  for (let e = 0; e < leaving; e++) cost[e] += left.v[first + e];
  if (end + 1 < graph.frames) {
    const continuation = continuationAt(graph, right.v);
    const edgesBefore = graph.edgeStart[begin];
    // Nothing follows a death.
    for (let e = graph.edgeStart[end - 1]; e < graph.edgeStart[end]; e++) cost[e - edgesBefore] += continuation(e);
  }
  return stretchOf(graph, begin, end, cost);
}

/**
 * The problem of the links between two sets of tracks that stay as they are: links that may not follow the one, or be followed by the
 * other, are left out.
 */
function seamOfTracks({ from, to, left, right }: Seam): Graph {
  const [begin, end] = [from - right.first, to - right.first];
  const cost = edgeCosts(right.graph, begin, end).slice();
  const { edgeStart, deathStart, head, tail } = left.graph;
  const pair = from - left.first;
  const into = left.graph.birthOf.slice();
  for (const link of left.tracks.subarray(...detectionRange(left, from - 1, from))) {
    if (link !== UNASSIGNED) into[head[link]] = link;
  }
  for (let e = edgeStart[pair]; e < deathStart[pair]; e++) {
    cost[e - edgeStart[pair]] += tripletCost(left.graph, into[tail[e]], e);
  }
  if (end + 1 < right.graph.frames) {
    const { graph, tracks } = right;
    for (let e = graph.edgeStart[end - 1]; e < graph.deathStart[end - 1]; e++) {
      const j = graph.head[e];
      const out = tracks[j] === UNASSIGNED ? graph.deathOf[j] : tracks[j];
      cost[e - graph.edgeStart[begin]] += tripletCost(graph, e, out);
    }
  }
  return stretchOf(right.graph, begin, end, cost);
}

/**
 * Multipliers and links between two windows: of the frame pairs `from` + 1 … `to` − 1, and `from` … `to` − 1.
 * @param pause awaited after each iteration; an error of it ends the search
 */
export async function solveSeam(seam: Seam, options: PieceOptions, pause?: () => Promise<void>): Promise<Piece> {
  const dual = await solvePiece(seam.from, seamOfMultipliers(seam), options, pause);
  const primal = await solvePiece(seam.from, seamOfTracks(seam), options, pause);
  const { tail, head } = primal.graph;
  const tracks = primal.tracks.map((e) => (e === UNASSIGNED ? e : linkBetween(dual.graph, tail[e], head[e])));
  return { ...dual, tracks, iterations: dual.iterations + primal.iterations };
}

/** Copies the multipliers, duals and links that were found between two windows into one of them. */
export function fillSeam(window: Piece, found: Piece, { from, to }: Pick<Seam, "from" | "to">): void {
  window.v.set(found.v.subarray(...edgeRange(found, from + 1, to)), edgeRange(window, from + 1, to)[0]);
  const duals = found.columnDual.subarray(...detectionRange(found, from + 1, to + 1));
  window.columnDual.set(duals, detectionRange(window, from + 1, to + 1)[0]);
  const shift = edgeRange(window, from, to)[0] - edgeRange(found, from, to)[0];
  const links = found.tracks.subarray(...detectionRange(found, from, to));
  window.tracks.set(
    links.map((link) => (link === UNASSIGNED ? link : link + shift)),
    detectionRange(window, from, to)[0],
  );
}
