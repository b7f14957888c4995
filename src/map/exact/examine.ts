import { priceTracks } from "../certificate/certificate.js";
import { ROUNDOFF } from "../certificate/compensated-sum.js";
import { weighCuts } from "../certificate/cuts.js";
import { EQUAL, relativeGap } from "../certificate/gap.js";
import { reduceCosts } from "../certificate/reduced-costs.js";
import { incidenceOf } from "../instance/incidence.js";
import type { Graph } from "../instance/instance.js";
import { chainsOf } from "./chains.js";
import type { Stage } from "./check-proof.js";
import { eliminate } from "./elimination.js";
import { type Margins, marginsOf } from "./margins.js";
import { ownEdges } from "./own-edges.js";
import { settled } from "./settled.js";
import { provesAgainst, roomOver } from "./stages.js";

/** What multipliers prove about a set of tracks beyond the bound itself. */
export interface Examination {
  /**
   * No set of tracks costs less, in the costs that are computed with (docs/algorithm.md §1.1). At least the bound that the multipliers give
   * by themselves.
   */
  readonly lowerBound: number;
  /** Nothing is cheaper than the tracks but by rounding: elimination leaves no edge, or what it leaves is settled (settled.ts). */
  readonly optimal: boolean;
  /** Edges that a cheaper set of tracks may exchange, in so many separate components. */
  readonly activeEdges: number;
  readonly components: number;
}

/** Triplets up to which an examination takes seconds. */
export const EXAMINED_TRIPLETS = 4e6;

/**
 * Elimination, and the margins of the tracks' edges where they are asked for (docs/exact.md), from any multipliers, in f64 with
 * rounding counted. It shares no code with the ascents.
 * @returns null where the multipliers prove nothing, or the tracks are not allowed
 */
export function examine(
  graph: Graph,
  v: Float64Array,
  columnDual: Float64Array,
  tracks: Int32Array,
  cuts: Pick<Stage, "cuts" | "cutMultipliers"> | null = null,
): (Examination & { readonly margins: () => Margins }) | null {
  const priced = priceTracks(graph, tracks);
  if (priced.status === "forbidden") return null;
  const incidence = incidenceOf(graph);
  const weighed = cuts === null ? undefined : weighCuts(graph, cuts.cuts, cuts.cutMultipliers);
  const reduced = reduceCosts(graph, incidence, v, columnDual, { cuts: weighed });
  if (!provesAgainst(reduced, { cost: priced.computed })) return null;
  const room = roomOver(reduced.constant, priced.computed);
  const own = ownEdges(graph, tracks);
  const chains = chainsOf(reduced, incidence);
  const left = eliminate(reduced, incidence, chains, own, room, 0);
  // No set of tracks is cheaper by more than the rooms of the components together.
  const saved = Math.max(left.roomInAll, 2 * priced.roundingAllowance) * (1 + 4 * ROUNDOFF);
  const lifted = priced.computed - saved;
  const lowerBound = Math.max(reduced.constant, lifted - 2 * ROUNDOFF * Math.abs(lifted));
  const equal = relativeGap(lowerBound, priced.computed) <= EQUAL;
  return {
    lowerBound,
    optimal: left.activeEdges === 0 || (equal && settled(reduced, incidence, own, left)),
    activeEdges: left.activeEdges,
    components: left.components,
    margins: () => marginsOf(reduced, incidence, chains, own, room),
  };
}
