import type { Graph } from "../instance/instance.js";
import type { Core } from "../proof/core.js";
import type { Leaf, Multipliers, Stage } from "../proof/proof.js";
import { tripletsOfTracks } from "./core.js";
import type { OpenLinearProgram } from "./linear-program.js";
import type { Goal } from "./stages.js";

/** Progress of an exact solve. */
export interface ExactProgress {
  /** Bound certified so far, and cost of the tracks. */
  readonly lowerBound: number;
  readonly upperBound: number;
  readonly edges: number;
  readonly triplets: number;
  readonly cuts: number;
  readonly leaves: number;
}

export function progressOf(
  { edges, triplets }: Graph,
  lowerBound: number,
  upperBound: number,
  { cuts = 0, leaves = 0 } = {},
): ExactProgress {
  return { lowerBound, upperBound, edges, triplets: triplets.count, cuts, leaves };
}

export interface ExactOptions {
  readonly open: OpenLinearProgram;
  /** Triplets of a core, and leaves of the tree, at most. */
  readonly mostTriplets: number;
  readonly mostLeaves: number;
  /** When the core of all cheaper tracks has too many triplets: go on with the core of all that costs less than the highest bound they allow [false]. */
  readonly restrict?: boolean;
  /** With `restrict`, a core that cannot close this share of the gap, nor can a larger one, counts as too large before it is tried [0]. */
  readonly leastShare?: number;
  /** Relative gap at which it ends; 0 goes on to a proof. */
  readonly gap: number;
  /** Seconds in all. */
  readonly time: number;
  readonly now: () => number;
  readonly interrupted?: () => boolean;
  readonly pause?: () => Promise<void>;
  readonly progress?: (progress: ExactProgress) => void;
  /** Told of work, in edges and triplets gone through; linear programs count by themselves. */
  readonly worked?: (work: number) => void;
}

/** The proof next to one set of tracks, as far as it has come. */
export class Proved {
  lowerBound = Number.NEGATIVE_INFINITY;
  optimal = false;
  stages: Stage[] = [];
  leaves: Leaf[] = [];

  /** Nothing is proved beyond the cost up to which the present core has everything. */
  raise(bound: number, { least }: Goal): void {
    this.lowerBound = Math.max(this.lowerBound, Math.min(bound, least));
  }
}

/** Triplets of the first core of all that costs less than a bound; each next one has twice as many. */
const FIRST_RESTRICTED = 20_000;

/**
 * Up to this many frames tracks that are improved pair by pair may cost many times the optimum, so that the core of all that is cheaper is most of the instance. There the first core is small in any
 * case: of all that costs less than a bound, with this many triplets for each of the tracks (chosen on six axial instances, lab/notes/exact.md).
 */
const FEW_FRAMES = 4;
const FEW_TIMES = 10;

/** An exact solve of an instance, next to one set of tracks after another. */
export class ExactRun {
  readonly end: number;
  /** The most cuts that were used at once, and the leaves of the last tree. */
  cuts = 0;
  leaves = 0;
  /** Triplets of the next core of all that costs less than a bound, besides those of the tracks. */
  restrictedTriplets: number;
  readonly hasFewFrames: boolean;
  /** The multipliers that proved most in a core, as those of the instance: a larger core begins with them. */
  carried: Multipliers;
  /** Those of core after core of all that is cheaper, as those of the instance: next to better tracks it is narrowed by them again. */
  path: Multipliers[];

  constructor(
    readonly graph: Graph,
    readonly initialMultipliers: Multipliers,
    readonly options: ExactOptions,
  ) {
    this.end = options.now() + options.time;
    this.carried = initialMultipliers;
    this.path = [initialMultipliers];
    this.hasFewFrames = graph.frames <= FEW_FRAMES;
    this.restrictedTriplets = this.hasFewFrames ? FEW_TIMES * tripletsOfTracks(graph) : FIRST_RESTRICTED;
  }

  /** Triplets of the next core of all that costs less than a bound. */
  mostRestricted(): number {
    return Math.min(tripletsOfTracks(this.graph) + this.restrictedTriplets, this.options.mostTriplets);
  }

  isOver(): boolean {
    return this.options.now() >= this.end || this.options.interrupted?.() === true;
  }

  report({ graph }: Core, cuts: number, lowerBound: number, { cost }: Goal): void {
    const { leaves } = this;
    this.options.progress?.(progressOf(graph, lowerBound, cost, { cuts, leaves }));
  }
}
