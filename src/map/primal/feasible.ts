import { createJvWorkspace, solveJv } from "../../lap/jv/jv.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { largestFrame } from "../dual/kernels.js";
import { type AscentState, createAscentState, pairLap } from "../dual/state.js";
import { type Graph, pairRuns } from "../instance/instance.js";
import { createLocalCosts } from "./local-costs.js";

/** Sets of tracks by the link each detection takes into the next frame, UNASSIGNED where its track ends; length detections. */
export type Tracks = Int32Array;

/** What an ascent knows of a pair's neighbours, and β of its X-LAP. */
export type Multipliers = Pick<AscentState, "v" | "delta" | "columnDual">;

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
   * The pairs are solved warm: from `multipliers`, so that nothing depends on earlier calls, else from the last solutions.
   */
  improve(tracks: Tracks, from?: { readonly improvedBefore?: Tracks; readonly multipliers?: Multipliers }): number;
  /**
   * Builds tracks front to back (or back to front): each pair is solved with the triplets towards the pairs already fixed
   * at their true cost, and the others represented by the multipliers (Δ ahead, v behind). What `tracks` holds before is where
   * the pairs' X-LAPs start from.
   */
  construct(multipliers: Multipliers, direction: "forward" | "backward", tracks: Tracks): void;
}

/** @param late asked before each X-LAP; once it says so, what is not re-solved stays as it is */
export function createTracksSearch(graph: Graph, late: () => boolean = () => false): TracksSearch {
  const { frames, frameStart, outStart, links, edges, cost, tail, head } = graph;
  const detections = frameStart[frames];
  const hasBirths = edges > links;
  const lastFrame = frameStart[frames - 1];
  const state = createAscentState(graph);
  const local = state.reduced;
  const localCosts = createLocalCosts(graph, local, penaltyOf(graph));
  const largest = largestFrame(graph);
  const workspace = createJvWorkspace(largest, largest);
  const laps = Array.from({ length: frames - 1 }, (_, p) => pairLap(graph, state, local, p));
  const runs = Array.from({ length: frames - 1 }, (_, p) => pairRuns(graph, p));
  /** Edge into each detection (a birth where no link enters), the transpose of `tracks`. */
  const into = new Int32Array(detections);
  const birthOf = (detection: number): number => links + lastFrame + detection - frameStart[1];
  const outOf = (tracks: Tracks, detection: number): number =>
    tracks[detection] === UNASSIGNED ? links + detection : tracks[detection];

  const transpose = (tracks: Tracks): void => {
    for (let d = frameStart[1]; d < detections; d++) into[d] = hasBirths ? birthOf(d) : UNASSIGNED;
    for (let d = 0; d < lastFrame; d++) if (tracks[d] !== UNASSIGNED) into[head[tracks[d]]] = tracks[d];
  };

  const eachRun = (pair: number, visit: (begin: number, end: number) => void): void => {
    const r = runs[pair];
    if (r.linkStart < r.linkEnd) visit(r.linkStart, r.linkEnd);
    if (r.deathStart < r.deathEnd) visit(r.deathStart, r.deathEnd);
    if (r.birthStart < r.birthEnd) visit(r.birthStart, r.birthEnd);
  };

  const addBehind = (pair: number): void => {
    if (pair === 0) return;
    for (let i = frameStart[pair]; i < frameStart[pair + 1]; i++) {
      localCosts.addBehind(into[i], outStart[i], outStart[i + 1]);
    }
  };

  const addAhead = (tracks: Tracks, pair: number): void => {
    if (pair + 2 < frames) localCosts.addAhead(tracks, runs[pair].linkStart, runs[pair].linkEnd);
  };

  /** Local costs of a pair with both neighbours fixed. */
  const costBetween = (tracks: Tracks, pair: number): void => {
    eachRun(pair, (begin, end) => local.set(cost.subarray(begin, end), begin));
    addBehind(pair);
    addAhead(tracks, pair);
  };

  /** Local costs of a pair with one neighbour represented by multipliers. */
  const costWith = (multiplier: Float64Array, pair: number): void => {
    eachRun(pair, (begin, end) => {
      for (let e = begin; e < end; e++) local[e] = cost[e] + multiplier[e];
    });
  };

  /** Takes the last X-LAP of a pair into the tracks. */
  const adopt = (tracks: Tracks, pair: number): void => {
    for (let i = frameStart[pair]; i < frameStart[pair + 1]; i++) tracks[i] = state.linkOfRow[i];
    for (let j = frameStart[pair + 1]; j < frameStart[pair + 2]; j++) into[j] = hasBirths ? birthOf(j) : UNASSIGNED;
    for (let i = frameStart[pair]; i < frameStart[pair + 1]; i++) if (tracks[i] >= 0) into[head[tracks[i]]] = tracks[i];
  };

  const currentCost = (tracks: Tracks, pair: number): number => {
    let sum = 0;
    for (let i = frameStart[pair]; i < frameStart[pair + 1]; i++) {
      if (tracks[i] === UNASSIGNED && !hasBirths) return Number.POSITIVE_INFINITY;
      sum += local[outOf(tracks, i)];
    }
    for (let j = frameStart[pair + 1]; j < frameStart[pair + 2]; j++) if (into[j] >= links) sum += local[into[j]];
    return sum;
  };

  /**
   * Starts the X-LAP of a pair from the tracks as they are, and from duals that suit its costs (docs/explanation/mathematics.md §5): β, and where
   * the pairs ahead are fixed v of the edge that leaves the column.
   */
  const startFrom = ({ v, columnDual }: Multipliers, tracks: Tracks, pair: number, fixedAhead: boolean): void => {
    for (let i = frameStart[pair]; i < frameStart[pair + 1]; i++) state.linkOfRow[i] = tracks[i];
    for (let j = frameStart[pair + 1]; j < frameStart[pair + 2]; j++) {
      state.rowOfColumn[j] = into[j] >= 0 && into[j] < links ? tail[into[j]] - frameStart[pair] : UNASSIGNED;
      state.columnDual[j] = columnDual[j] + (fixedAhead && j < lastFrame ? v[outOf(tracks, j)] : 0);
    }
  };

  return {
    improve(tracks, { improvedBefore, multipliers } = {}) {
      transpose(tracks);
      const stale = new Uint8Array(frames - 1).fill(improvedBefore === undefined ? 1 : 0);
      for (let pair = 0; pair + 1 < frames && improvedBefore !== undefined; pair++) {
        for (let i = frameStart[pair]; i < frameStart[pair + 1]; i++) {
          if (tracks[i] === improvedBefore[i]) continue;
          stale.fill(1, Math.max(0, pair - 1), pair + 2);
          break;
        }
      }
      let solved = 0;
      for (let sweep = 0, left = 1; left > 0; sweep++) {
        for (let step = 0; step < frames - 1; step++) {
          const pair = sweep % 2 === 0 ? step : frames - 2 - step;
          if (stale[pair] === 0) continue;
          if (frameStart[pair] === frameStart[pair + 2]) {
            stale[pair] = 0;
            continue;
          }
          if (late()) return solved;
          stale[pair] = 0;
          solved++;
          costBetween(tracks, pair);
          const before = currentCost(tracks, pair);
          if (sweep === 0 && multipliers !== undefined) startFrom(multipliers, tracks, pair, true);
          const outcome = solveJv(laps[pair].problem, laps[pair].solution, workspace, { warm: true });
          if (outcome.status !== "optimal") continue;
          if (!(outcome.cost < before - 1e-12 * Math.abs(before))) continue;
          adopt(tracks, pair);
          if (pair > 0) stale[pair - 1] = 1;
          if (pair + 2 < frames) stale[pair + 1] = 1;
        }
        left = stale.reduce((count, flag) => count + flag, 0);
      }
      return solved;
    },

    construct(multipliers, direction, tracks) {
      const { v, delta } = multipliers;
      transpose(tracks);
      for (let step = 0; step < frames - 1; step++) {
        const pair = direction === "forward" ? step : frames - 2 - step;
        if (frameStart[pair] === frameStart[pair + 2]) continue;
        if (late()) return;
        costWith(direction === "forward" ? delta : v, pair);
        if (direction === "forward") addBehind(pair);
        else addAhead(tracks, pair);
        startFrom(multipliers, tracks, pair, direction === "backward");
        const outcome = solveJv(laps[pair].problem, laps[pair].solution, workspace, { warm: true });
        if (outcome.status !== "optimal") return;
        adopt(tracks, pair);
      }
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
