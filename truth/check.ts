import { meetsGap } from "../src/map/certificate/gap.js";
import { checkProof } from "../src/map/exact/check-proof.js";
import type { Graph } from "../src/map/instance/instance.js";
import type { PricedProblem } from "../src/map/instance/priced.js";
import type { Solution } from "../src/map/solution.js";
import { type BruteForce, bruteForce, exactly, exactTerms, type Term } from "./tracks.js";

/** What a solve claimed against the truth: all sums and comparisons in exact rational arithmetic, multiples of 2⁻³⁰⁰. */
export interface Verdict {
  /** What is false, a sentence each. */
  readonly violations: readonly string[];
  /** null where no set of tracks is allowed. */
  readonly truth: BruteForce | null;
}

/** As documented, not as the solver has them: the gap of a status `gap` that was asked for 0, and the rounding that `optimal` may leave of terms. */
const EQUAL = 1e-9;
const EXCUSED = 2 ** -45;

/** Far beyond all costs, and bounds and gaps beyond it need no more than their sign: multiples of 2⁻³⁰⁰ do not reach much farther. */
const FAR = 1e200;

/** Gaps of which `--require-gap` is asked [1]. */
const REQUIRED = [0, 1e-6, 1e-4, 0.01, 0.5];

/** Checks bounds, tracks, status, gap and the decisions of `--require-gap`; `gap` is what the solve was asked for [1]. */
export function judge(problem: PricedProblem, graph: Graph, solution: Solution, gap: number): Verdict {
  const truth = bruteForce(problem);
  const violations: string[] = [];
  const mustHold = (holds: boolean, what: string): void => {
    if (!holds) violations.push(`${what} (optimum ${truth?.cost ?? "none"})`);
  };
  const { status, lowerBound, upperBound, tracks } = solution;
  /** An extended number at most the optimum; a problem without tracks has an infinite one. */
  const below = (value: number) => value < -FAR || truth === null || (value < FAR && exactly(value) <= truth.exact);
  mustHold(below(lowerBound), `${lowerBound} is no lower bound`);
  for (const row of solution.history) {
    mustHold(below(row.lowerBound), `the history's bound ${row.lowerBound} is above the optimum`);
    const above = row.upperBound === Infinity || (truth !== null && exactly(row.upperBound) >= truth.exact);
    mustHold(above, `the history's tracks at ${row.upperBound} are below the optimum`);
  }
  if (status === "infeasible") {
    mustHold(truth === null, "not infeasible");
    const { tails = [], heads = [] } = solution.shortage ?? {};
    const reached = new Set(problem.links.head.filter((_, e) => tails.includes(problem.links.tail[e])));
    mustHold(tails.length > heads.length && heads.length <= reached.size, "the shortage is none");
  }
  if (tracks === null) {
    mustHold(status === "unsolved" || status === "infeasible", `${status} without tracks`);
    mustHold(upperBound === Infinity, `${upperBound} without tracks`);
    return { violations, truth };
  }
  const next = tracks.map((e) => (e < 0 ? -1 : graph.head[e]));
  const terms = exactTerms(problem, next);
  if (terms === null || truth === null) return { violations: [...violations, "tracks that are not allowed"], truth };

  const cost = terms.reduce((sum, term) => sum + term.cost, 0n);
  const upper = exactly(upperBound);
  const size = (value: bigint) => (value < 0n ? -value : value);
  /** Whether upper − optimum ≤ share · |upper|, with a roundoff for the division that made the share. */
  const within = (share: number) =>
    share > FAR || (upper - truth.exact) << 300n <= exactly(share * (1 + 2 ** -50)) * size(upper);
  mustHold(upper >= cost, `tracks of ${upperBound} cost more`);
  const sizes = terms.reduce((sum, term) => sum + size(term.cost), 0n);
  mustHold((upper - cost) << 50n <= size(cost) + (sizes >> 40n), `tracks of ${upperBound} cost much less`);
  mustHold(within(solution.gap), `the gap ${solution.gap} is too small`);
  if (status === "optimal") {
    const excused = exactly(EXCUSED) * differing(terms, exactTerms(problem, truth.next) ?? []);
    mustHold((cost - truth.exact) << 300n <= excused, `${upperBound} called optimal`);
  }
  const checked = solution.proof && checkProof(graph, tracks, solution.proof);
  if (checked?.valid) {
    mustHold(below(checked.lowerBound), `the proof's ${checked.lowerBound} is no lower bound`);
    mustHold(exactly(checked.upperBound) >= cost, `the proof's tracks of ${checked.upperBound} cost more`);
    mustHold(within(checked.gap), `the proof's gap ${checked.gap} is too small`);
    mustHold(checked.optimal || status !== "optimal", "optimal, and not by its proof");
  }
  if (status === "gap") mustHold(within(Math.max(gap, EQUAL)), `${upperBound} called within ${gap}`);
  for (const required of REQUIRED) {
    if (meetsGap(solution, required) && status !== "optimal")
      mustHold(within(required), `passes --require-gap ${required}`);
  }
  return { violations, truth };
}

/**
 * The magnitudes of the terms that only one of two sets of tracks has. Births and deaths of a frame pair count together, since what is taken off the ones and added to the
 * others is no cost.
 */
function differing(ours: readonly Term[], theirs: readonly Term[]): bigint {
  const only = new Map<string, bigint>();
  for (const [terms, sign] of [
    [ours, 1n],
    [theirs, -1n],
  ] as const) {
    for (const { of, cost, end } of terms) {
      const key = end === null ? of : `ends ${end}`;
      only.set(key, (only.get(key) ?? 0n) + sign * cost);
    }
  }
  return [...only.values()].reduce((sum, value) => sum + (value < 0n ? -value : value), 0n);
}
