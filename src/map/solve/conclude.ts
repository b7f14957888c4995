import { priceTracks, stateBound } from "../certificate/certificate.js";
import { EQUAL, relativeGap } from "../certificate/gap.js";
import type { Shortage } from "../certificate/shortage.js";
import { EXAMINED_TRIPLETS } from "../exact/examine.js";
import type { Graph } from "../instance/instance.js";
import { checkProof } from "../proof/check.js";
import type { Proof } from "../proof/proof.js";
import type { HistoryRow, Solution } from "../solution.js";
import type { Proved } from "./prove.js";
import type { SolveRun } from "./solve-run.js";

/** There is no set of tracks. */
export function concludeInfeasible({ iterations, hurried, history, times }: SolveRun, shortage: Shortage): Solution {
  const infinite = Number.POSITIVE_INFINITY;
  const bounds = { lowerBound: infinite, upperBound: infinite, gap: infinite };
  return { status: "infeasible", shortage, ...bounds, ...NOTHING, iterations, hurried, history, times };
}

/** Fields of tracks in a solution that has none. */
const NOTHING = { tracks: null, margins: null, proof: null, exact: null } as const;

/** The solution that follows from the best tracks and their proofs. */
export function conclude(run: SolveRun, { bound, proof, optimal, margins, exact }: Proved): Solution {
  const { graph, best, bounds, options, iterations, hurried, history, times } = run;
  const { lowerBound, computed } = stateBound(graph, bound);
  [bounds.ascent, bounds.lifted] = [computed, null];
  run.record();
  const { tracks, cost: upperBound } = best;
  const gap = relativeGap(lowerBound, upperBound);
  const rows = history.map((row) => notAbove(lowerBound, row));
  const common = { lowerBound, gap, iterations, hurried, history: rows, times };
  const priced = tracks && priceTracks(graph, tracks);
  if (tracks === null || priced?.status !== "feasible") {
    return { status: "unsolved", upperBound: Number.POSITIVE_INFINITY, ...NOTHING, ...common };
  }
  const found = { ...common, upperBound, tracks, margins, proof, exact };
  // Tracks that are the cheapest as computed with are so as stated, where they leave out no more than any must (docs/explanation/mathematics.md §1.1).
  if ((optimal || computed >= best.upperBound) && priced.beyond === 0) return { status: "optimal", ...found };
  // The gap is taken in both costs: where all tracks pay a large surcharge, a gap relative to that alone would be close to 0.
  const equal = Math.max(gap, relativeGap(computed, best.upperBound)) <= EQUAL;
  const { difference = 0 } = options;
  const light = graph.triplets.count <= EXAMINED_TRIPLETS;
  if (equal && light && proof !== null && isOptimalBy(graph, tracks, proof)) return { status: "optimal", ...found };
  if (equal || gap <= options.gap || upperBound - lowerBound <= difference) return { status: "gap", ...found };
  return { status: run.stopped ? "stopped" : "stalled", ...found };
}

/** The check of a proof rounds less than the solve, and may find ties where the solve leaves only rounding open. */
function isOptimalBy(graph: Graph, tracks: Int32Array, proof: Proof): boolean {
  const checked = checkProof(graph, tracks, proof);
  return checked.valid && checked.optimal;
}

/** A row of the history with a valid bound; the ascent's own bounds are sums in floating point. */
function notAbove(certified: number, row: HistoryRow): HistoryRow {
  if (row.lowerBound <= certified) return row;
  return { ...row, lowerBound: certified, gap: relativeGap(certified, row.upperBound) };
}
