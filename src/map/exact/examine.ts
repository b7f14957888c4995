import type { Graph } from "../instance/instance.js";
import { chainsOf } from "../proof/chains.js";
import type { Basis } from "../proof/check.js";
import { wholeOf } from "../proof/core.js";
import { forcedCosts } from "../proof/exchange.js";
import { rounded } from "../proof/numbers.js";
import type { Multipliers } from "../proof/proof.js";
import { type Margins, marginsOf, marginsOnThreads } from "./margins.js";
import { levelsOf, mostLevel } from "./margins-by-level.js";
import { type ChainsInF64, type DominatedInF64, eliminateNextTo, goalOf, provesAgainst, reduceCore } from "./stages.js";

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

type Examined = Examination & Omit<Basis, "stage"> & ExaminedMargins;

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
): Examined | null {
  const { cuts, cutMultipliers } = weighed ?? { cuts: [], cutMultipliers: new Float64Array(0) };
  return begin(graph, { v, columnDual, cuts, cutMultipliers }, tracks)?.found() ?? null;
}

/**
 * The same with margins, which other threads make while the calling one examines.
 * @param isEnough whether margins are needed of what is found; else they may still be made later
 */
export async function examineWithMargins(
  graph: Graph,
  multipliers: Multipliers,
  tracks: Int32Array,
  threads: number,
  isEnough: (found: Examination) => boolean = () => true,
): Promise<Examined | null> {
  const begun = begin(graph, multipliers, tracks);
  if (begun === null) return null;
  const margins = await begun.marginsOnThreads(threads, isEnough);
  const found = begun.found();
  return margins === null ? found : { ...found, margins: () => margins, marginsOnThreads: async () => margins };
}

/** What an examination and margins have in common: reduced costs and the chains of all tracks. */
function begin(graph: Graph, multipliers: Multipliers, tracks: Int32Array) {
  const goal = goalOf(graph, tracks);
  if (goal === null) return null;
  const whole = wholeOf(graph, tracks);
  const reduced = reduceCore(whole, multipliers);
  if (!provesAgainst(reduced, goal.cost)) return null;
  const chains = chainsOf(rounded, whole, reduced) as ChainsInF64;
  const room = rounded.up(goal.cost, -reduced.constant) as number;
  const forcedByAll = (): Float64Array =>
    forcedCosts(rounded, whole, chains, rounded.up(room, mostLevel(room))) as Float64Array;
  let next: DominatedInF64 | null = null;
  const dominated = (forced?: Float64Array): DominatedInF64 => {
    next ??= eliminateNextTo(whole, reduced, goal, undefined, { chains, ...(forced && { forced }) });
    return next;
  };
  const onThreads = (threads: number, isEnough: (found: Examination) => boolean): Promise<Margins | null> => {
    const forced = forcedByAll();
    const wanted = (): DominatedInF64 | null => {
      const next = dominated(forced);
      return isEnough(found()) ? next : null;
    };
    return marginsOnThreads(whole, reduced, { multipliers, forced, room }, threads, wanted);
  };
  const found = (): Examined => {
    const { bound, closed, left } = dominated();
    const needless = new Uint8Array(1);
    return {
      lowerBound: Math.max(bound, reduced.constant),
      lifts: multipliers.cuts.length > 0 || bound - reduced.constant > goal.cost - goal.near,
      optimal: closed,
      activeEdges: left?.activeEdges ?? 0,
      components: left?.count ?? 0,
      ...{ reduced, chains, tracks: tracks.slice(), left },
      margins: () => marginsOf(whole, dominated(), levelsOf(whole, reduced, { forced: forcedByAll(), room, needless })),
      marginsOnThreads: (threads) => onThreads(threads, () => true) as Promise<Margins>,
    };
  };
  return { found, marginsOnThreads: onThreads };
}
