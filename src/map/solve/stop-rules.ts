import { relativeGap } from "../certificate/gap.js";
import { grainOf, leastSaving } from "../certificate/grain.js";
import { iterationWork } from "../exact/patience.js";
import { mayLayAnew } from "../primal/blocks.js";
import type { SolveRun } from "./solve-run.js";

/** The ascent aims at a little less than the gap or difference asked for: rounding may widen it again. */
const CLOSER = 1 - 1e-6;

/** An ascent ends where the bounds differ by no more than this share of the magnitudes of the tracks' terms: rounding leaves nothing more to gain. */
const ROUNDING_OF_TERMS = 2 ** -46;

/** Iterations over which SolveOptions.rise looks back. */
const RISE_OVER = 5;

/**
 * Where an exact solve follows in any case, and the instance has at most SMALL_TRIPLETS, it follows once CLOSED_OVER iterations have closed
 * less than CLOSED_SHARE of the gap: its linear programs close the rest sooner.
 */
const SMALL_TRIPLETS = 500_000;
const CLOSED_OVER = 75;
const CLOSED_SHARE = 0.1;

/** Where regions follow, they do so once this many iterations have closed less than this share of a relative gap as small as this: they close the rest sooner. */
const CREPT_OVER = 75;
const CREPT_SHARE = 0.02;
const CREPT_FROM = 0.003;

/** Work of an ascent in which linear programs with cuts settle a triplet that fits between the bounds. */
const LINEAR_WORK = 1000;

/** Edges and triplets that iterations may still go through once the ascent has come as close as was asked for: an iteration takes some 30 ns for each. */
const CLOSING_WORK = 3e7;

/** When a solve ends. */
export class StopRules {
  /** Iterations when the bounds were close enough for the first time. */
  #closedAt = Number.POSITIVE_INFINITY;
  /** The best bound after each iteration. */
  readonly #bounds: number[] = [];

  /** At most what cheaper tracks save, where the bound that is stated is all that counts; windows add up the bounds of multipliers as they are. */
  readonly #saving: number;

  constructor(private readonly run: SolveRun) {
    this.#saving = run.options.eliminate === false ? 0 : leastSaving(grainOf(run.graph));
  }

  /** Whether the tracks are optimal, or as good as rounding can tell. */
  exhausted(): boolean {
    const { bounds, best } = this.run;
    const room = best.upperBound - bounds.highest();
    return bounds.proofOfBest() !== null || room <= Math.max(this.#saving, ROUNDING_OF_TERMS * best.magnitude);
  }

  /** Whether the bounds are as close as was asked for. The certificate may lie below the ascent's bound by rounding, so they must be a little closer. */
  closed(): boolean {
    const { bounds, best, options } = this.run;
    return (
      this.exhausted() ||
      relativeGap(bounds.highest(), best.upperBound) <= CLOSER * options.gap ||
      best.upperBound - bounds.highest() <= CLOSER * (options.difference ?? 0)
    );
  }

  /** Whether the ascent may end: not yet where it is close enough, not optimal, and to go on for a while. */
  done(): boolean {
    if (!this.closed()) return false;
    const { graph, iterations, options } = this.run;
    this.#closedAt = Math.min(this.#closedAt, iterations);
    const work = (iterations - this.#closedAt) * (graph.edges + graph.triplets.count);
    return this.exhausted() || options.closing !== true || work >= CLOSING_WORK;
  }

  /** Counts an iteration; whether it was the last. */
  afterIteration(): boolean {
    const { run } = this;
    const { options, clock, bounds } = run;
    run.iterations++;
    run.hurried ||= run.seconds() + clock.reserve >= options.time || options.interrupted?.() === true;
    this.#bounds.push(bounds.ascent);
    if (this.#risesTooLittle() || run.iterations >= options.iterations || run.hurried) {
      run.stopped = true;
      return true;
    }
    return this.#closesTooLittle();
  }

  /** Rise of the bound over the last iterations; Infinity before there were enough. */
  #riseOver(iterations: number): number {
    const before = this.#bounds[this.#bounds.length - 1 - iterations];
    return before === undefined ? Number.POSITIVE_INFINITY : this.run.bounds.ascent - before;
  }

  #risesTooLittle(): boolean {
    const { options, bounds } = this.run;
    return options.rise !== undefined && this.#riseOver(RISE_OVER) < options.rise * Math.abs(bounds.ascent);
  }

  /** Triplets between the bounds that linear programs take, and in no longer than the ascent has taken; 0 where none follow. */
  mostInPrograms(): number {
    const { graph, iterations, options } = this.run;
    if (!this.#exactFollows()) return 0;
    return Math.min(options.exact?.mostTriplets ?? 0, (iterations * iterationWork(graph)) / LINEAR_WORK);
  }

  /** Whether an exact solve follows in any case. */
  #exactFollows(): boolean {
    const { graph, options } = this.run;
    return options.exact?.always === true && graph.surcharge === null;
  }

  #closesTooLittle(): boolean {
    const { graph, best, bounds, options } = this.run;
    const isSmall = graph.triplets.count <= SMALL_TRIPLETS;
    const gap = best.upperBound - bounds.ascent;
    if (options.exact?.regions !== undefined && mayLayAnew(graph) && graph.exclusions !== null)
      if (gap < CREPT_FROM * Math.abs(best.upperBound) && this.#riseOver(CREPT_OVER) < CREPT_SHARE * gap) return true;
    return isSmall && this.#exactFollows() && this.#riseOver(CLOSED_OVER) < CLOSED_SHARE * gap;
  }
}
