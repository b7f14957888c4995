import { invariant } from "../../core/errors.js";
import { sharedCopy, sharedInt32 } from "../../core/shared-arrays.js";
import { UNASSIGNED } from "../../lap/lap.js";
import type { AscentName } from "../dual/ascents.js";
import { createCpuSteps } from "../dual/cpu-steps.js";
import { buildGraph } from "../instance/build.js";
import type { Graph } from "../instance/instance.js";
import type { PricedProblem } from "../instance/priced.js";
import type { Tracks } from "../primal/feasible.js";
import { solve } from "../solve.js";

/** A stretch of frames with multipliers and tracks, all in shared memory. Frame 0 of the instance is frame `first` of the recording. */
export interface Piece {
  readonly first: number;
  readonly graph: Graph;
  /** Length edges. */
  readonly v: Float64Array;
  /** Length detections. */
  readonly columnDual: Float64Array;
  readonly tracks: Tracks;
  readonly iterations: number;
}

export interface PieceOptions {
  readonly ascent: AscentName;
  readonly iterations: number;
  /** Relative, and in the unit of the costs for each detection: either ends the ascent. */
  readonly gap: number;
  readonly differencePerDetection: number;
}

/** What a search found in a piece. */
export type Found = Pick<Piece, "v" | "columnDual" | "tracks" | "iterations">;

/** The instance of a stretch. */
export function graphOf(first: number, problem: PricedProblem): Graph {
  // What would be capped differs from stretch to stretch, and all must have the same costs.
  return buildGraph(problem, { first, step: 1 }, { cap: false }).graph;
}

/**
 * Solves a stretch as if there were nothing else.
 * @param pause awaited after each iteration; an error of it ends the search
 */
export async function solvePiece(
  first: number,
  graph: Graph,
  options: PieceOptions,
  pause?: () => Promise<void>,
): Promise<Piece> {
  return pieceOf(first, graph, await ascend(graph, options, pause));
}

/** A piece of its own memory, from what was found in it. */
export function pieceOf(first: number, graph: Graph, { v, columnDual, tracks, iterations }: Found): Piece {
  const links = sharedInt32(tracks.length);
  links.set(tracks);
  return { first, graph, v: sharedCopy(v), columnDual: sharedCopy(columnDual), tracks: links, iterations };
}

/** Tracks of a stretch, and the multipliers and duals at which the ascent ended. */
export async function ascend(
  graph: Graph,
  { ascent, iterations, gap, differencePerDetection }: PieceOptions,
  pause?: () => Promise<void>,
) {
  const { frames, frameStart, edges, links, deathOf, birthOf, cost } = graph;
  const detections = frameStart[frames];
  if (links === 0) {
    const [v, delta] = [new Float64Array(edges), new Float64Array(edges)];
    // Without links a death is all that can leave a detection, and a birth all that can enter it.
    const rowDual = Float64Array.from(deathOf, (e) => (e === UNASSIGNED ? 0 : cost[e]));
    const columnDual = Float64Array.from(birthOf, (e) => (e === UNASSIGNED ? 0 : cost[e]));
    const tracks = new Int32Array(detections).fill(UNASSIGNED);
    return { tracks, iterations: 0, v, delta, rowDual, columnDual };
  }
  // A library call has no clock: the ascent stops by gap or iterations alone, so that a piece is the same wherever it is solved.
  const now = () => 0;
  const steps = createCpuSteps(graph, { threads: 1, now });
  const solution = await solve(graph, steps, {
    ascent,
    iterations,
    gap,
    difference: differencePerDetection * detections,
    time: Number.POSITIVE_INFINITY,
    eliminate: false,
    now,
    ...(pause && { pause }),
  });
  const { tracks } = solution;
  invariant(tracks !== null, () => "no tracks of a stretch, though all may start and end");
  const { v, delta, rowDual, columnDual } = await steps.read();
  return {
    tracks,
    iterations: solution.iterations,
    ...{ v, delta, rowDual, columnDual },
  };
}

/** The edges of frame pairs `from` … `to` − 1 of the recording. */
export function edgeRange(
  { first, graph: { edgeStart } }: Piece,
  from: number,
  to: number,
): [begin: number, end: number] {
  return [edgeStart[from - first], edgeStart[to - first]];
}

/** The detections of frames `from` … `to` − 1 of the recording. */
export function detectionRange({ first, graph }: Piece, from: number, to: number): [begin: number, end: number] {
  return [graph.frameStart[from - first], graph.frameStart[to - first]];
}

/** Throws unless two pieces price frame pairs `from` … `to` − 1 of the recording alike, to the last bit. */
export function requireSamePrices(one: Piece, other: Piece, from: number, to: number): void {
  const shapeOf = ({ first, graph: { edgeStart, deathStart, birthStart } }: Piece, pair: number): string => {
    const [begin, end] = [edgeStart[pair - first], edgeStart[pair - first + 1]];
    return [deathStart[pair - first], birthStart[pair - first], end].map((edge) => edge - begin).join();
  };
  for (let pair = from; pair < to; pair++) {
    const same = shapeOf(one, pair) === shapeOf(other, pair);
    invariant(same, () => `frame pair ${pair}: two windows have other links there`);
    const prices = other.graph.cost.subarray(...edgeRange(other, pair, pair + 1));
    const pricesOfOne = one.graph.cost.subarray(...edgeRange(one, pair, pair + 1));
    const differing = pricesOfOne.findIndex((price, e) => price !== prices[e]);
    invariant(differing < 0, () => `frame pair ${pair}: edge ${differing} has two prices in two windows`);
  }
}

/** Σ v_f over the links and deaths that the tracks use in a frame pair. */
export function usedMultipliers({ graph, v, tracks }: Piece, pair: number): number {
  const { frameStart, deathOf } = graph;
  let sum = 0;
  for (let d = frameStart[pair]; d < frameStart[pair + 1]; d++)
    sum += v[tracks[d] === UNASSIGNED ? deathOf[d] : tracks[d]];
  return sum;
}
