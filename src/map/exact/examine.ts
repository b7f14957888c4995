import type { Graph } from "../instance/instance.js";
import type { Basis } from "../proof/check.js";
import { wholeOf } from "../proof/core.js";
import type { Multipliers } from "../proof/proof.js";
import { type Margins, marginsOf, marginsOnThreads } from "./margins.js";
import { levelsOf } from "./margins-by-level.js";
import { eliminateNextTo, goalOf, provesAgainst, reduceCore } from "./stages.js";

/** The proof that multipliers give about a set of tracks, beyond the bound itself. */
export interface Examination {
  /**
   * No set of tracks costs less, in the costs that are computed with (docs/explanation/mathematics.md §1.1). At least the bound that the multipliers give
   * by themselves.
   */
  readonly lowerBound: number;
  /** More is proved than the certificate of the multipliers has: elimination adds more than rounding, or there are cuts. */
  readonly lifts: boolean;
  /** Nothing is cheaper than the tracks but by rounding: elimination leaves no edge, or the edges that it leaves are settled (proof/settled.ts). */
  readonly optimal: boolean;
  /** Edges that a cheaper set of tracks may exchange, and the number of their separate components. */
  readonly activeEdges: number;
  readonly components: number;
}

/** The margins of the tracks' edges, on the calling thread or on several. */
interface ExaminedMargins {
  margins(): Margins;
  marginsOnThreads(threads: number): Promise<Margins>;
}

/** Triplets up to which an examination takes seconds. */
export const EXAMINED_TRIPLETS = 4e6;

/**
 * Elimination, and the margins of the tracks' edges where they are asked for (docs/explanation/proofs.md), from any multipliers, in f64 with
 * rounding counted. It shares no code with the ascents.
 * @returns null where the multipliers prove nothing, or the tracks are not allowed
 */
export function examine(
  graph: Graph,
  v: Float64Array,
  columnDual: Float64Array,
  tracks: Int32Array,
  weighed: Pick<Multipliers, "cuts" | "cutMultipliers"> | null = null,
): (Examination & Omit<Basis, "stage"> & ExaminedMargins) | null {
  const goal = goalOf(graph, tracks);
  if (goal === null) return null;
  const whole = wholeOf(graph, tracks);
  const { cuts, cutMultipliers } = weighed ?? { cuts: [], cutMultipliers: new Float64Array(0) };
  const multipliers = { v, columnDual, cuts, cutMultipliers };
  const reduced = reduceCore(whole, multipliers);
  if (!provesAgainst(reduced, goal.cost)) return null;
  const next = eliminateNextTo(whole, reduced, goal);
  const { bound, closed, left } = next;
  return {
    lowerBound: Math.max(bound, reduced.constant),
    lifts: cuts.length > 0 || bound - reduced.constant > goal.cost - goal.near,
    optimal: closed,
    activeEdges: left?.activeEdges ?? 0,
    components: left?.count ?? 0,
    reduced,
    chains: next.chains,
    tracks: tracks.slice(),
    left,
    margins: () => marginsOf(whole, next, levelsOf(whole, reduced, next)),
    marginsOnThreads: (threads) => marginsOnThreads(whole, next, reduced, multipliers, threads),
  };
}
