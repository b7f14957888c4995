import { createJvWorkspace, solveJv } from "../../lap/jv/jv.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { largestFrame } from "../dual/kernels.js";
import { type AscentState, createAssignment, pairLap } from "../dual/state.js";
import type { Graph } from "../instance/instance.js";
import { KeptCosts } from "./kept-costs.js";
import { createLocalCosts } from "./local-costs.js";

/** Sets of tracks by the link each detection takes into the next frame, UNASSIGNED where its track ends; length detections. */
export type Tracks = Int32Array;

/** Where an ascent stands: v and Δ, which represent the neighbours of a pair, and β of its X-LAP. */
export type AscentPoint = Pick<AscentState, "v" | "delta" | "columnDual"> & {
  /** 1 for detections to or from which no link is to be taken [none]. */
  readonly closed?: Uint8Array | null;
  /** What the rows of divisions add to the cost of each edge [nothing]. */
  readonly charge?: Float64Array | null;
};

/**
 * Primal side: turns assignments and multipliers into sets of tracks and improves them.
 *
 * The move is [C12]'s: re-solve one frame pair with its neighbours fixed, at cost C_ij + D[prev(i), i, j] + D[i, j, next(j)],
 * which is the best exchange of track tails at that pair. A forbidden triplet costs a penalty larger than any real
 * difference, so that the search may pass through sets of tracks that are not allowed; the caller prices the result.
 */
export interface TracksSearch {
  /**
   * Improves `tracks` in place until no re-solved pair improves; returns the number of pairs solved. Where they come from
   * tracks that cannot be improved (`improvedBefore`), only what differs from those and its neighbours must be examined.
   * No link to or from a detection that is `closed` (1) is taken where tracks may start and end.
   * The pairs are solved warm: from `multipliers`, so that nothing depends on earlier calls, else from the last solutions.
   */
  improve(
    tracks: Tracks,
    from?: { readonly improvedBefore?: Tracks; readonly multipliers?: AscentPoint; readonly closed?: Uint8Array },
  ): number;
  /**
   * Builds tracks front to back (or back to front): each pair is solved with the triplets towards the pairs already fixed
   * at their true cost, and the others represented by the multipliers (Δ ahead, v behind). The pairs' X-LAPs begin from what `tracks` holds
   * before.
   */
  construct(multipliers: AscentPoint, direction: "forward" | "backward", tracks: Tracks): void;
}

/** An improvement of less than this share of a pair's cost is rounding. */
const ROUNDING = 1e-12;

/** @param late asked before each X-LAP; once it is true, the other pairs stay as they are */
export function createTracksSearch(graph: Graph, late: () => boolean = () => false): TracksSearch {
  const { frames, frameStart } = graph;
  const pairs = frames - 1;
  // Its memory is not taken where a device makes all tracks.
  let made: PairRepair | null = null;
  const begun = (): PairRepair => {
    made ??= createPairRepair(graph);
    return made;
  };
  const isEmpty = (pair: number): boolean => frameStart[pair] === frameStart[pair + 2];
  return {
    improve(tracks, { improvedBefore, multipliers, closed = multipliers?.closed ?? null } = {}) {
      const repair = begun();
      repair.transpose(tracks);
      const stale = improvedBefore ? pairsAround(graph, tracks, improvedBefore) : new Uint8Array(pairs).fill(1);
      for (let p = 0; p < pairs; p++) if (isEmpty(p)) stale[p] = 0;
      let solved = 0;
      for (let sweep = 0; stale.includes(1); sweep++) {
        for (let step = 0; step < pairs; step++) {
          const pair = sweep % 2 === 0 ? step : pairs - 1 - step;
          if (stale[pair] === 0) continue;
          if (late()) return solved;
          stale[pair] = 0;
          solved++;
          const before = repair.costBetween(tracks, pair, closed);
          const anew = sweep === 0 && multipliers !== undefined;
          if (anew) repair.beginFrom(multipliers, tracks, pair, true);
          const cost = repair.solve(pair, anew);
          if (cost === null || !(cost < before - ROUNDING * Math.abs(before))) continue;
          repair.adopt(tracks, pair);
          for (const neighbour of [pair - 1, pair + 1]) {
            if (neighbour >= 0 && neighbour < pairs && !isEmpty(neighbour)) stale[neighbour] = 1;
          }
        }
      }
      return solved;
    },

    construct(multipliers, direction, tracks) {
      const repair = begun();
      repair.transpose(tracks);
      for (let step = 0; step < pairs; step++) {
        const pair = direction === "forward" ? step : pairs - 1 - step;
        if (isEmpty(pair)) continue;
        if (late()) return;
        repair.costOneSided(multipliers, direction, tracks, pair);
        repair.beginFrom(multipliers, tracks, pair, direction === "backward");
        if (repair.solve(pair, true) === null) return;
        repair.adopt(tracks, pair);
      }
    },
  };
}

/** Marks the frame pairs in which tracks differ from others, and their neighbours. */
function pairsAround({ frames, frameStart }: Graph, tracks: Tracks, others: Tracks): Uint8Array {
  const marked = new Uint8Array(frames - 1);
  for (let pair = 0; pair + 1 < frames; pair++) {
    const differs = (i: number): boolean => tracks[i] !== others[i];
    for (let i = frameStart[pair]; i < frameStart[pair + 1]; i++) {
      if (!differs(i)) continue;
      marked.fill(1, Math.max(0, pair - 1), pair + 2);
      break;
    }
  }
  return marked;
}

/** Steps of a search on one frame pair. They know the edge into each detection, which is the transpose of the tracks that they were given last. */
interface PairRepair {
  transpose(tracks: Tracks): void;
  /**
   * Makes the costs of a pair with both neighbours fixed and some detections closed; returns what the tracks cost there. Edges keep
   * the costs that they had from the same edges before and after: typically all but a few.
   */
  costBetween(tracks: Tracks, pair: number, closed: Uint8Array | null): number;
  /** Makes the costs of a pair with the neighbour behind (forward) or ahead (backward) fixed, the other represented by multipliers. */
  costOneSided(multipliers: AscentPoint, direction: "forward" | "backward", tracks: Tracks, pair: number): void;
  /**
   * Has the X-LAP of a pair begin from the tracks as they are, and from duals that suit its costs (docs/explanation/mathematics.md §5): β, and
   * where the pairs ahead are fixed v of the edge that leaves the column.
   */
  beginFrom(multipliers: AscentPoint, tracks: Tracks, pair: number, fixedAhead: boolean): void;
  /** Solves the X-LAP of a pair, `anew` where not only costs have changed since the last time; its cost, null where it has no solution. */
  solve(pair: number, anew: boolean): number | null;
  /** Puts the last solution of a pair into the tracks. */
  adopt(tracks: Tracks, pair: number): void;
}

function createPairRepair(graph: Graph): PairRepair {
  const { frames, frameStart, edges, edgeStart, birthStart, cost, tail, head, deathOf, birthOf } = graph;
  const lastFrame = frameStart[frames - 1];
  const local = new Float64Array(edges);
  const penalty = penaltyOf(graph);
  const localCosts = createLocalCosts(graph, local, penalty);
  const largest = largestFrame(graph);
  const workspace = createJvWorkspace(largest, largest);
  const assignment = createAssignment(graph);
  const laps = Array.from({ length: frames - 1 }, (_, p) => pairLap(graph, assignment, local, p));
  const into = new Int32Array(frameStart[frames]);
  const kept = new KeptCosts(graph, localCosts);

  const enter = (tracks: Tracks, from: number, to: number): void => {
    for (let i = from; i < to; i++) if (tracks[i] !== UNASSIGNED) into[head[tracks[i]]] = tracks[i];
  };
  const currentCost = (tracks: Tracks, pair: number): number => {
    let sum = 0;
    for (let i = frameStart[pair]; i < frameStart[pair + 1]; i++) {
      const out = tracks[i] === UNASSIGNED ? deathOf[i] : tracks[i];
      if (out === UNASSIGNED) return Number.POSITIVE_INFINITY;
      sum += local[out];
    }
    for (let j = frameStart[pair + 1]; j < frameStart[pair + 2]; j++) {
      if (into[j] !== UNASSIGNED && into[j] === birthOf[j]) sum += local[into[j]];
    }
    return sum;
  };

  return {
    transpose(tracks) {
      into.set(birthOf);
      enter(tracks, 0, lastFrame);
    },
    costBetween(tracks, pair, closed) {
      kept.renew(pair, { into, tracks, closed });
      return currentCost(tracks, pair);
    },
    costOneSided({ v, delta, closed = null, charge = null }, direction, tracks, pair) {
      kept.forget(pair);
      const multiplier = direction === "forward" ? delta : v;
      for (let e = edgeStart[pair]; e < edgeStart[pair + 1]; e++) local[e] = cost[e] + multiplier[e];
      for (let e = edgeStart[pair]; charge !== null && e < birthStart[pair]; e++) local[e] += charge[e];
      const neighbours = { into, tracks, closed };
      if (direction === "forward") localCosts.behind(pair, neighbours);
      else localCosts.ahead(pair, neighbours);
    },
    beginFrom({ v, columnDual }, tracks, pair, fixedAhead) {
      for (let i = frameStart[pair]; i < frameStart[pair + 1]; i++) assignment.linkOfRow[i] = tracks[i];
      for (let j = frameStart[pair + 1]; j < frameStart[pair + 2]; j++) {
        const from = into[j] === UNASSIGNED ? UNASSIGNED : tail[into[j]];
        assignment.rowOfColumn[j] = from === UNASSIGNED ? UNASSIGNED : from - frameStart[pair];
        const out = tracks[j] === UNASSIGNED ? deathOf[j] : tracks[j];
        assignment.columnDual[j] = columnDual[j] + (fixedAhead && j < lastFrame ? v[out] : 0);
      }
    },
    solve(pair, anew) {
      const { problem, solution } = laps[pair];
      const outcome = solveJv(problem, solution, workspace, { warm: true, touched: anew ? null : kept.touched });
      if (outcome.status === "optimal") return outcome.cost;
      kept.forget(pair);
      return null;
    },
    adopt(tracks, pair) {
      const [rows, columns, end] = [frameStart[pair], frameStart[pair + 1], frameStart[pair + 2]];
      tracks.set(assignment.linkOfRow.subarray(rows, columns), rows);
      into.set(birthOf.subarray(columns, end), columns);
      enter(tracks, rows, columns);
    },
  };
}

/**
 * More than any two sets of tracks can differ by in one frame pair, so that a forbidden triplet is never worth its saving:
 * each row costs at most a link and two triplets in magnitude, and the two sets may differ in sign.
 */
function penaltyOf(graph: Graph): number {
  let largest = largestOf(graph.cost);
  if (graph.triplets.kind === "csr") largest = Math.max(largest, largestOf(graph.triplets.cost));
  return 8 * (1 + largestFrame(graph)) * Math.max(largest, Number.MIN_VALUE);
}

function largestOf(values: Float64Array): number {
  let largest = 0;
  for (let n = 0; n < values.length; n++) largest = Math.max(largest, Math.abs(values[n]));
  return largest;
}
