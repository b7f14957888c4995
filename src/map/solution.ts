/** Options and answer of a solve. */
import type { Shortage } from "./certificate/shortage.js";
import type { AscentName } from "./dual/ascents.js";
import type { BeyondOutcome, RegionThreads } from "./exact/beyond-options.js";
import type { ExactOptions } from "./exact/exact-run.js";
import type { OpenLinearProgram } from "./exact/linear-program.js";
import type { Margins } from "./exact/margins.js";
import type { Graph } from "./instance/instance.js";
import type { Tracks } from "./primal/feasible.js";
import type { SolveInteger } from "./primal/integer-program.js";
import type { Proof } from "./proof/proof.js";

export interface SolveOptions {
  readonly ascent: AscentName;
  /**
   * Multipliers of a similar problem, by edge; those of births and of the first frame pair are 0 [all are 0]. The solve begins by fitting them to this one's costs, which counts
   * as three iterations; it begins at 0, without that, where no more iterations are allowed, and where none are given to another ascent than the default.
   */
  readonly initialMultipliers?: Float64Array | null;
  /** Stop after this number of iterations, rounds in which every X-LAP is solved once. */
  readonly iterations: number;
  /** Stop at this relative gap (0.0001 for 0.01 %); 0 goes on to a proof of optimality. */
  readonly gap: number;
  /** Or when the bounds are this close, in the unit of the costs [0]: near a cost of 0 a relative gap says little. */
  readonly difference?: number;
  /** Go on for about a second's work once the ascent has come this close, since a proof of optimality is often near by then [false]. */
  readonly closing?: boolean;
  /**
   * Aim at an answer after this number of seconds: the ascent stops early enough for a last search and the certificate. An iteration or a search
   * that would outlast it is cut short. The tracks known before are certified then; where there are none the status is unsolved.
   */
  readonly time: number;
  /** Calls `ring` after a number of seconds unless taken back, to cut worker threads short [they go on to the end of a step]. */
  readonly alarm?: (seconds: number, ring: () => void) => () => void;
  /** Stop when the bound has risen by less than this share of itself over five iterations (Algorithm 1 of [K23]: 0.001) [never]. */
  readonly rise?: number;
  /** Go on with an exact solve where the ascent leaves a larger gap than was asked for. */
  readonly exact?: Pick<ExactOptions, "mostTriplets" | "mostLeaves" | "progress"> & {
    /** Also where the ascent was stopped, and not only where it can do no better. */
    readonly always: boolean;
    /** End it once it has had as much work as the ascent without effect (exact/patience.ts) [false]. */
    readonly patient?: boolean;
    /** The solver of linear programs, asked for when it is needed; null where there is none. */
    readonly load: () => Promise<OpenLinearProgram | null>;
    /** Threads for regions of detections that exclude each other [the calling one]. */
    readonly regions?: RegionThreads;
  };
  /** The solver of integer programs that lays restricted tracks anew in blocks, asked for when it is needed; null where there is none [they are not laid anew]. */
  readonly integer?: () => Promise<SolveInteger | null>;
  /** Have the margins of the tracks' edges made [false]. */
  readonly margins?: boolean;
  /** Compute what the multipliers prove beyond the bound [true]; this can be left out where only the tracks are used. */
  readonly eliminate?: boolean;
  /** Worker threads for the search for tracks at most [1]; the results do not depend on it. */
  readonly threads?: number;
  /** Edges from which worker threads are used at all, and then from the first step on [200,000, and once there is enough to do]. */
  readonly threadsFrom?: number;
  /** Seconds since some fixed time. */
  readonly now: () => number;
  readonly progress?: (progress: HistoryRow) => void;
  /** Called with tracks that may be the last ones while bounds are still made of them; they may be others in the end. */
  readonly likely?: (graph: Graph, tracks: Tracks) => void;
  /** Awaited once per iteration, so that the caller's event loop turns (signals, progress bars). */
  readonly pause?: () => Promise<void>;
  /** Called once per iteration; true stops the ascent and goes on to the certificate. */
  readonly interrupted?: () => boolean;
}

/** The state of the solve after an iteration. */
export interface HistoryRow {
  readonly iteration: number;
  /** The ascent's own bound while it runs; in a solution's history it is never above the bound that was certified. */
  readonly lowerBound: number;
  readonly upperBound: number;
  /** Relative, between the two. */
  readonly gap: number;
  /** Since the ascent began. */
  readonly seconds: number;
}

/** The host's seconds for finding tracks and on proofs. */
export type SolveTimes = Record<"feasibleTracks" | "certificate" | "elimination" | "exact", number>;

/** What every solve answers. */
interface Ascended {
  /** Certified in f64, rounding included. */
  readonly lowerBound: number;
  /** Cost of `tracks` in f64; Infinity where there are none. */
  readonly upperBound: number;
  /** (UB − LB) / |UB| whatever the status; Infinity where UB alone is 0 or there are no tracks. */
  readonly gap: number;
  readonly iterations: number;
  /** Whether time or an interruption had a part in where the ascent ended: another run may then have other tracks. */
  readonly hurried: boolean;
  /** The process of the ascent that was lost, and so ended it; null where none was. */
  readonly loss: string | null;
  readonly history: readonly HistoryRow[];
  readonly times: Readonly<SolveTimes>;
}

/** A set of tracks with its proofs. */
export interface SolvedTracks extends Ascended {
  /**
   * optimal: it is proved that no set of tracks is cheaper, up to the rounding of the terms in which two sets differ (docs/explanation/proofs.md §2).
   * gap: the gap that was asked for is certified, or one of at most 1e-9 without a proof. stopped: by iterations, time or interruption.
   * stalled: the ascent can do no better.
   */
  readonly status: "optimal" | "gap" | "stopped" | "stalled";
  readonly tracks: Tracks;
  /** Of the edges of `tracks`; null where they were not asked for, or there are too many triplets. */
  readonly margins: Margins | null;
  /** What `checkProof` needs to check the bound; null where the multipliers prove nothing. */
  readonly proof: Proof | null;
  /** How the exact solve went; null where there was none. */
  readonly exact: Pick<BeyondOutcome, "outcome" | "cuts" | "leaves" | "by"> | null;
}

interface WithoutTracks extends Ascended {
  readonly tracks: null;
  readonly margins: null;
  readonly proof: null;
  readonly exact: null;
}

/** No allowed set of tracks was found, which does not say that there is none. */
export interface Unsolved extends WithoutTracks {
  readonly status: "unsolved";
}

/** There is no set of tracks, as `shortage` proves. */
export interface Infeasible extends WithoutTracks {
  readonly status: "infeasible";
  /** A frame pair in which more detections need a link than their links have ends. */
  readonly shortage: Shortage;
}

export type Solution = SolvedTracks | Unsolved | Infeasible;
