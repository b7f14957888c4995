import { UNASSIGNED } from "../../lap/lap.js";
import { pairRuns, tripletCost } from "../instance/instance.js";
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
    const { linkStart, deathStart } = pairRuns(left.graph, from - left.first);
    for (let e = 0; e < firstPair; e++) costs[e] += left.v[linkStart + e];
    for (let i = 0; i < problem.links.frameStart[1]; i++) death[i] += left.v[deathStart + i];
  }
  if (right !== null) {
    const { graph, v } = right;
    const { triplets } = graph;
    if (triplets.kind !== "csr") throw new Error("triplets are stored");
    const { linkStart, birthStart } = pairRuns(graph, to - 1 - right.first);
    const least = (e: number): number => {
      let delta = Number.POSITIVE_INFINITY;
      for (let t = triplets.start[e]; t < triplets.start[e + 1]; t++) {
        delta = Math.min(delta, triplets.cost[t] - v[triplets.successor[t]]);
      }
      return delta;
    };
    for (let e = lastPair; e < costs.length; e++) costs[e] += least(linkStart + e - lastPair);
    for (let j = columns; j < birth.length; j++) birth[j] += least(birthStart + j - columns);
  }
  return { ...problem, links: { ...problem.links, cost: costs }, birthDeath: { birth, death } };
}

/**
 * The problem of the links between two sets of tracks that stay as they are: links that may not follow the one, or be followed by the
 * other, are left out. `original` numbers those that remain in the stretch.
 */
function seamOfTracks({ from, to, problem, left, right }: Seam): {
  problem: PricedProblem;
  original: Uint32Array;
} {
  const { tail, head } = problem.links;
  const { costs, birth, death, firstPair, lastPair, columns } = parts(problem);
  if (left !== null) {
    const { graph } = left;
    const before = from - left.first;
    const runs = pairRuns(graph, before - 1);
    const rows = graph.frameStart[before];
    const into = Int32Array.from({ length: problem.links.frameStart[1] }, (_, i) => runs.birthStart + i);
    for (let d = graph.frameStart[before - 1]; d < rows; d++) {
      const link = left.tracks[d];
      if (link !== UNASSIGNED) into[graph.head[link] - rows] = link;
    }
    const { linkStart } = pairRuns(graph, before);
    for (let e = 0; e < firstPair; e++) costs[e] += tripletCost(graph, into[tail[e]], linkStart + e);
  }
  if (right !== null) {
    const { graph, tracks } = right;
    const rows = graph.frameStart[to - right.first];
    const { linkStart } = pairRuns(graph, to - 1 - right.first);
    for (let e = lastPair; e < costs.length; e++) {
      const j = rows + head[e] - columns;
      const out = tracks[j] === UNASSIGNED ? graph.links + j : tracks[j];
      costs[e] += tripletCost(graph, linkStart + e - lastPair, out);
    }
  }
  const priced = { ...problem, links: { ...problem.links, cost: costs }, birthDeath: { birth, death } };
  const keep = Uint8Array.from(costs, (cost) => (cost < Number.POSITIVE_INFINITY ? 1 : 0));
  return { problem: keepLinks(priced, keep), original: Uint32Array.from(keep.keys()).filter((e) => keep[e] === 1) };
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
  const { problem, original } = seamOfTracks(seam);
  const primal = await solvePiece(seam.from, problem, options, pause);
  const tracks = primal.tracks.map((link) => (link === UNASSIGNED ? link : original[link]));
  return { ...dual, tracks, iterations: dual.iterations + primal.iterations };
}

/** Puts what was found between two windows into one of them. */
export function takeSeam(window: Piece, found: Piece, { from, to }: Pick<Seam, "from" | "to">): void {
  takeMultipliers(window, found, from + 1, to);
  takeColumnDuals(window, found, from + 1, to + 1);
  takeTracks(window, found, from, to);
}
