import { UNASSIGNED } from "../../lap/lap.js";
import { linkBetween, tripletCost } from "../instance/instance.js";
import type { PricedProblem } from "../instance/priced.js";
import { type Piece, type PieceOptions, solvePiece, takeColumnDuals, takeMultipliers, takeTracks } from "./piece.js";
import { keepLinks } from "./stretch.js";

/**
 * Frames `from` … `to` around the border of two windows, and what lies on either side: null where the recording begins or ends there.
 * Multipliers of the frame pairs `from` and `to`, and the tracks up to frame `from` and on from frame `to`, are those of the windows.
 */
export interface Seam {
  readonly from: number;
  readonly to: number;
  /** The stretch between. */
  readonly problem: PricedProblem;
  readonly left: Piece | null;
  readonly right: Piece | null;
}

/** The problem whose dual is what the frame pairs `from` … `to` − 1 add to L(v), with the multipliers at both ends fixed (docs/explanation/mathematics.md §4.1). */
function seamOfMultipliers({ from, to, problem, left, right }: Seam): PricedProblem {
  const { costs, birth, death, firstPair, lastPair, columns } = parts(problem);
  if (left !== null) {
    const { edgeStart, deathStart } = left.graph;
    const pair = from - left.first;
    for (let e = 0; e < firstPair; e++) costs[e] += left.v[edgeStart[pair] + e];
    for (let i = 0; i < problem.links.frameStart[1]; i++) death[i] += left.v[deathStart[pair] + i];
  }
  if (right !== null) {
    const { graph, v } = right;
    const { triplets, edgeStart, birthStart } = graph;
    if (triplets.kind !== "csr") throw new Error("triplets are stored");
    const pair = to - 1 - right.first;
    const least = (e: number): number => {
      let delta = Number.POSITIVE_INFINITY;
      for (let t = triplets.start[e]; t < triplets.start[e + 1]; t++) {
        delta = Math.min(delta, triplets.cost[t] - v[triplets.successor[t]]);
      }
      return delta;
    };
    for (let e = lastPair; e < costs.length; e++) costs[e] += least(edgeStart[pair] + e - lastPair);
    for (let j = columns; j < birth.length; j++) birth[j] += least(birthStart[pair] + j - columns);
  }
  return { ...problem, links: { ...problem.links, cost: costs }, birthDeath: { birth, death } };
}

/**
 * The problem of the links between two sets of tracks that stay as they are: links that may not follow the one, or be followed by the
 * other, are left out.
 */
function seamOfTracks({ from, to, problem, left, right }: Seam): PricedProblem {
  const { tail, head } = problem.links;
  const { costs, birth, death, firstPair, lastPair, columns } = parts(problem);
  if (left !== null) {
    const { graph } = left;
    const before = from - left.first;
    const rows = graph.frameStart[before];
    const into = graph.birthOf.slice(rows, rows + problem.links.frameStart[1]);
    for (let d = graph.frameStart[before - 1]; d < rows; d++) {
      const link = left.tracks[d];
      if (link !== UNASSIGNED) into[graph.head[link] - rows] = link;
    }
    const first = graph.edgeStart[before];
    for (let e = 0; e < firstPair; e++) costs[e] += tripletCost(graph, into[tail[e]], first + e);
  }
  if (right !== null) {
    const { graph, tracks } = right;
    const rows = graph.frameStart[to - right.first];
    const first = graph.edgeStart[to - 1 - right.first];
    for (let e = lastPair; e < costs.length; e++) {
      const j = rows + head[e] - columns;
      const out = tracks[j] === UNASSIGNED ? graph.deathOf[j] : tracks[j];
      costs[e] += tripletCost(graph, first + e - lastPair, out);
    }
  }
  const priced = { ...problem, links: { ...problem.links, cost: costs }, birthDeath: { birth, death } };
  const keep = Uint8Array.from(costs, (cost) => (cost < Number.POSITIVE_INFINITY ? 1 : 0));
  return keepLinks(priced, keep);
}

/** Copies of what a border changes; links before `firstPair` are those of the first frame pair, from `lastPair` on those of the last. */
function parts({ links, birthDeath }: PricedProblem) {
  const { frameStart, tail, cost } = links;
  if (birthDeath === null) throw new Error("tracks may start and end");
  const frames = frameStart.length - 1;
  const columns = frameStart[frames - 1];
  const firstPair = tail.findIndex((i) => i >= frameStart[1]);
  const lastPair = tail.findIndex((i) => i >= frameStart[frames - 2]);
  return {
    costs: cost.slice(),
    birth: birthDeath.birth.slice(),
    death: birthDeath.death.slice(),
    firstPair: firstPair < 0 ? tail.length : firstPair,
    lastPair: lastPair < 0 ? tail.length : lastPair,
    columns,
  };
}

/**
 * Multipliers and links between two windows: of the frame pairs `from` + 1 … `to` − 1, and `from` … `to` − 1.
 * @param pause awaited after each iteration; what it throws ends the search
 */
export async function solveSeam(seam: Seam, options: PieceOptions, pause?: () => Promise<void>): Promise<Piece> {
  const dual = await solvePiece(seam.from, seamOfMultipliers(seam), options, pause);
  const primal = await solvePiece(seam.from, seamOfTracks(seam), options, pause);
  const { tail, head } = primal.graph;
  const tracks = primal.tracks.map((e) => (e === UNASSIGNED ? e : linkBetween(dual.graph, tail[e], head[e])));
  return { ...dual, tracks, iterations: dual.iterations + primal.iterations };
}

/** Puts what was found between two windows into one of them. */
export function takeSeam(window: Piece, found: Piece, { from, to }: Pick<Seam, "from" | "to">): void {
  takeMultipliers(window, found, from + 1, to);
  takeColumnDuals(window, found, from + 1, to + 1);
  takeTracks(window, found, from, to);
}
