import { meetsGap } from "../../src/map/certificate/gap.js";
import type { Graph } from "../../src/map/instance/instance.js";
import type { PricedProblem } from "../../src/map/instance/priced.js";
import { type CheckedProof, checkProof } from "../../src/map/proof/check.js";
import type { Solution } from "../../src/map/solution.js";
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

/** What `rmap check` takes for the same, relative. */
const SAME = 2 ** -40;

/** Gaps of which `--require-gap` is asked [1]. */
const REQUIRED = [0, 1e-6, 1e-4, 0.01, 0.5];

/** Whether a number is no more than an exact one; null stands for Infinity, and NaN is neither more nor less than anything. */
export function isAtMost(value: number, exact: bigint | null): boolean {
  if (Number.isNaN(value)) return false;
  if (value === Number.NEGATIVE_INFINITY || exact === null) return true;
  return value < 0 ? -exactCeiling(-value, "floor") <= exact : exactCeiling(value, "ceil") <= exact;
}

/** Whether it is no less. */
export function isAtLeast(value: number, exact: bigint | null): boolean {
  return isAtMost(-value, exact === null ? null : -exact) && (exact !== null || value === Number.POSITIVE_INFINITY);
}

/** |value| in units of 2⁻³⁰⁰, rounded to a multiple of these; what is beyond the largest number in these units is as large as that. */
function exactCeiling(value: number, rounding: "ceil" | "floor"): bigint {
  const scaled = value * 2 ** 300;
  return BigInt(Number.isFinite(scaled) ? Math[rounding](scaled) : Number.MAX_VALUE);
}

const size = (value: bigint) => (value < 0n ? -value : value);

/** A set of tracks against the best one. */
export interface Priced {
  readonly cost: bigint;
  /** Whether it may be called optimal. */
  readonly optimal: boolean;
  readonly terms: readonly Term[];
}

/** null where it is not allowed. */
export function priceExactly(problem: PricedProblem, next: Int32Array, truth: BruteForce): Priced | null {
  const terms = exactTerms(problem, next);
  const best = exactTerms(problem, truth.next);
  if (terms === null || best === null) return null;
  const cost = terms.reduce((sum, term) => sum + term.cost, 0n);
  const excused = exactly(EXCUSED) * differing(terms, best);
  return { cost, optimal: (cost - truth.exact) << 300n <= excused, terms };
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
  return [...only.values()].reduce((sum, value) => sum + size(value), 0n);
}

/** What is false in what the check of a proof says about a set of tracks, the optimum of whose problem is `truth`. */
export function judgeCheck(checked: CheckedProof, { cost, optimal }: Priced, truth: BruteForce): string[] {
  if (!checked.valid) return [];
  const violations: string[] = [];
  const { lowerBound, upperBound, gap } = checked;
  if (!isAtMost(lowerBound, truth.exact)) violations.push(`the proof's ${lowerBound} is no lower bound`);
  if (!isAtLeast(upperBound, cost)) violations.push(`the proof's tracks of ${upperBound} cost more`);
  if (!isWithin(upperBound, truth.exact, gap)) violations.push(`the proof's gap ${gap} is too small`);
  if (checked.optimal && !optimal) violations.push(`the proof's tracks of ${upperBound} called optimal`);
  return violations;
}

/** Whether upper − optimum ≤ share · |upper|, with a roundoff for the division that made the share. */
function isWithin(upper: number, optimum: bigint, share: number): boolean {
  if (share === Number.POSITIVE_INFINITY || upper === Number.POSITIVE_INFINITY)
    return share === Number.POSITIVE_INFINITY;
  if (!(share >= 0) || !Number.isFinite(upper)) return false;
  const exact = exactly(upper);
  return (exact - optimum) << 300n <= exactCeiling(share * (1 + 2 ** -50), "ceil") * size(exact);
}

/** Checks bounds, tracks, status, gap and the decisions of `--require-gap`; `gap` is what the solve was asked for [1]. */
export function judge(problem: PricedProblem, graph: Graph, solution: Solution, gap: number): Verdict {
  const truth = bruteForce(problem);
  const violations: string[] = [];
  const mustHold = (holds: boolean, what: string): void => {
    if (!holds) violations.push(`${what} (optimum ${truth?.cost ?? "none"})`);
  };
  const { status, lowerBound, upperBound, tracks } = solution;
  const optimum = truth?.exact ?? null;
  mustHold(isAtMost(lowerBound, optimum), `${lowerBound} is no lower bound`);
  for (const row of solution.history) {
    mustHold(isAtMost(row.lowerBound, optimum), `the history's bound ${row.lowerBound} is above the optimum`);
    mustHold(isAtLeast(row.upperBound, optimum), `the history's tracks at ${row.upperBound} are below the optimum`);
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
    for (const required of REQUIRED)
      mustHold(!meetsGap(solution, required), `${status} passes --require-gap ${required}`);
    return { violations, truth };
  }
  const next = tracks.map((e) => (e < 0 ? -1 : graph.head[e]));
  const priced = truth && priceExactly(problem, next, truth);
  if (priced === null || truth === null) return { violations: [...violations, "tracks that are not allowed"], truth };

  const { cost, terms } = priced;
  mustHold(Number.isFinite(upperBound), `tracks of ${upperBound}`);
  if (!Number.isFinite(upperBound)) return { violations, truth };
  const upper = exactly(upperBound);
  const within = (share: number) => isWithin(upperBound, truth.exact, share);
  mustHold(upper >= cost, `tracks of ${upperBound} cost more`);
  const sizes = terms.reduce((sum, term) => sum + size(term.cost), 0n);
  mustHold((upper - cost) << 50n <= size(cost) + (sizes >> 40n), `tracks of ${upperBound} cost much less`);
  mustHold(within(solution.gap), `the gap ${solution.gap} is too small`);
  if (status === "optimal") mustHold(priced.optimal, `${upperBound} called optimal`);
  if (solution.proof !== null) {
    const checked = checkProof(graph, tracks, solution.proof);
    for (const what of judgeCheck(checked, priced, truth)) mustHold(false, what);
    // As `rmap check` compares them.
    const proved = checked.valid && checked.lowerBound >= lowerBound - SAME * Math.abs(lowerBound);
    const what = checked.valid ? `proves ${checked.lowerBound}, less than the bound ${lowerBound}` : checked.why;
    // Where nothing is claimed nothing needs a proof.
    mustHold(proved || lowerBound === Number.NEGATIVE_INFINITY, `the proof of the solve does not hold: ${what}`);
    mustHold(status !== "optimal" || (checked.valid && checked.optimal), "optimal, and not by its proof");
  }
  if (status === "gap") mustHold(within(Math.max(gap, EQUAL)), `${upperBound} called within ${gap}`);
  for (const required of REQUIRED) {
    if (meetsGap(solution, required) && status !== "optimal")
      mustHold(within(required), `passes --require-gap ${required}`);
  }
  return { violations, truth };
}
