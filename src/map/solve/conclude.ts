import { invariant } from "../../core/errors.js";
import { stateBound } from "../certificate/certificate.js";
import { EQUAL, relativeGap } from "../certificate/gap.js";
import { grainOf, roundUpToGrain } from "../certificate/grain.js";
import { priceTracks } from "../certificate/price-tracks.js";
import type { Shortage } from "../certificate/shortage.js";
import { EXAMINED_TRIPLETS } from "../exact/examine.js";
import type { Margins } from "../exact/margins.js";
import type { Graph } from "../instance/instance.js";
import { areKnown, checkProof, type Refuted } from "../proof/check.js";
import { rounded } from "../proof/numbers.js";
import type { HistoryRow, Solution } from "../solution.js";
import type { Proved } from "./prove.js";
import type { SolveRun } from "./solve-run.js";

/** There is no set of tracks. */
export function concludeInfeasible(
  { iterations, hurried, loss, history, times }: SolveRun,
  shortage: Shortage,
): Solution {
  const infinite = Number.POSITIVE_INFINITY;
  const bounds = { lowerBound: infinite, upperBound: infinite, gap: infinite };
  return { status: "infeasible", shortage, ...bounds, ...NOTHING, iterations, hurried, loss, history, times };
}

/** Fields of tracks in a solution that has none. */
const NOTHING = { tracks: null, margins: null, proof: null, exact: null } as const;

/**
 * The solution that follows from the best tracks and their proofs. The bound and the word "optimal" are no more than the check of the proof
 * comes to: solve and check round differently, and elimination that begins with a little less room may leave more.
 */
export function conclude(run: SolveRun, { bound, proof, alone, margins, basis, exact }: Proved): Solution {
  const { graph, best, bounds, options, iterations, hurried, loss, history, times } = run;
  const claimed = stateBound(graph, bound);
  [bounds.ascent, bounds.lifted] = [claimed.computed, null];
  run.record();
  const { tracks, cost: upperBound } = best;
  const priced = tracks && priceTracks(graph, tracks);
  const common = { iterations, hurried, loss, times };
  const rowsUpTo = (lowerBound: number) => history.map((row) => notAbove(lowerBound, row));
  if (tracks === null || priced?.status !== "feasible") {
    const { lowerBound } = claimed;
    const bounds = { lowerBound, upperBound: Number.POSITIVE_INFINITY, gap: relativeGap(lowerBound, upperBound) };
    return { status: "unsolved", ...bounds, ...NOTHING, ...common, history: rowsUpTo(lowerBound) };
  }
  // The gap is taken in both costs: where all tracks pay a large surcharge, a gap relative to that alone would be close to 0.
  const inBoth = Math.max(relativeGap(claimed.lowerBound, upperBound), relativeGap(claimed.computed, best.upperBound));
  const light = graph.triplets.count <= EXAMINED_TRIPLETS;
  // The check takes the bound of multipliers alone from the same certificate.
  // Threads have checked the regions; the bound that these add to is the certificate's.
  const isKnown = !light && proof !== null && areKnown(proof);
  const isChecked = proof !== null && !isKnown && (!alone || (inBoth <= EQUAL && light));
  const known = basis && { ...basis, certified: bounds.certifiedBy(basis.stage) };
  const checked = isChecked ? checkProof(graph, tracks, proof, undefined, known) : null;
  invariant(checked?.valid !== false, () => `the proof of the solve does not hold: ${(checked as Refuted).why}`);
  const lowerBound = Math.min(claimed.lowerBound, checked?.lowerBound ?? claimed.lowerBound);
  const gap = relativeGap(lowerBound, upperBound);
  // Tracks that are the cheapest as computed with are so as stated, where they leave out no more than any must (docs/explanation/mathematics.md §1.1).
  const reached = claimed.computed >= best.upperBound && priced.beyond === 0;
  const optimal = checked === null ? reached : checked.optimal;
  const found = {
    ...{ lowerBound, upperBound, gap, tracks, proof, exact },
    margins: margins && raised(graph, margins, lowerBound, upperBound),
    ...common,
    history: rowsUpTo(lowerBound),
  };
  if (optimal) return { status: "optimal", ...found };
  const equal = Math.max(inBoth, checked?.gap ?? 0) <= EQUAL;
  const { difference = 0 } = options;
  if (equal || gap <= options.gap || upperBound - lowerBound <= difference) return { status: "gap", ...found };
  return { status: run.stopped ? "stopped" : "stalled", ...found };
}

/** Margins of whole costs are whole, and what costs no less than the bound costs no less than that beyond the tracks. */
function raised(graph: Graph, { out, into, lineage }: Margins, lowerBound: number, upperBound: number): Margins {
  const [grain, least] = [grainOf(graph), rounded.down(lowerBound, -upperBound) as number];
  const one = (margin: number) => roundUpToGrain(grain, Math.max(least, margin));
  return { out: out.map(one), into: into.map(one), lineage: lineage === null ? null : lineage.map(one) };
}

/** A row of the history with a valid bound; the ascent's own bounds are sums in floating point. */
function notAbove(certified: number, row: HistoryRow): HistoryRow {
  if (row.lowerBound <= certified) return row;
  return { ...row, lowerBound: certified, gap: relativeGap(certified, row.upperBound) };
}
