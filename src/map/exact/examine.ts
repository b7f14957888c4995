import { priceTracks } from "../certificate/certificate.js";
import { weighCuts } from "../certificate/cuts.js";
import { reduceCosts } from "../certificate/reduced-costs.js";
import { incidenceOf } from "../instance/incidence.js";
import type { Graph } from "../instance/instance.js";
import type { Multipliers } from "../proof/proof.js";
import { type Margins, marginsOf } from "./margins.js";
import { eliminateNextTo, provesAgainst } from "./stages.js";

/** What multipliers prove about a set of tracks beyond the bound itself. */
export interface Examination {
  /**
   * No set of tracks costs less, in the costs that are computed with (docs/explanation/mathematics.md §1.1). At least the bound that the multipliers give
   * by themselves.
   */
  readonly lowerBound: number;
  /** Nothing is cheaper than the tracks but by rounding: elimination leaves no edge, or what it leaves is settled (proof/settled.ts). */
  readonly optimal: boolean;
  /** Edges that a cheaper set of tracks may exchange, in so many separate components. */
  readonly activeEdges: number;
  readonly components: number;
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
  cuts: Pick<Multipliers, "cuts" | "cutMultipliers"> | null = null,
): (Examination & { readonly margins: () => Margins }) | null {
  const priced = priceTracks(graph, tracks);
  if (priced.status === "forbidden") return null;
  const incidence = incidenceOf(graph);
  const weighed = cuts === null ? undefined : weighCuts(graph, cuts.cuts, cuts.cutMultipliers);
  const reduced = reduceCosts(graph, incidence, v, columnDual, { cuts: weighed });
  if (!provesAgainst(reduced, priced.computed)) return null;
  const whole = { graph, incidence, tracks };
  const next = eliminateNextTo(reduced, whole, priced.computed, 2 * priced.roundingAllowance);
  const { room, own, chains, left, bound, closed } = next;
  return {
    lowerBound: bound,
    optimal: closed,
    activeEdges: left.activeEdges,
    components: left.components,
    margins: () => marginsOf(reduced, incidence, chains, own, room),
  };
}
