import type { Detections } from "../core/detections.js";
import { invariant } from "../core/errors.js";
import type { Noise } from "../core/noise.js";
import {
  type TripletRuleName,
  type TripletRuleSource,
  tripletRule,
  type WrittenRule,
} from "../map/instance/triplet-rules.js";
import type { CostParameters, ParameterValues } from "./parameters.js";

/** Detections with velocities, as every cost takes them. */
export interface MovingDetections extends Detections {
  readonly vx: Float64Array;
  readonly vy: Float64Array;
  /** There where z is. */
  readonly vz?: Float64Array;
}

/** No measurement counts as more exact than this share of a typical step. */
export const RESOLUTION = 1e-3;

/**
 * A way to price links and continuations. To add one: a file that exports a CostModel, and a line in cost-models.ts.
 *
 * Every link e keeps `width` numbers m_e, computed once with its pair cost; the triplet cost of two links is a function of
 * theirs alone, so that pricing T frames of N detections takes O(N² T) hard evaluations and O(N³ T) easy ones.
 */
export interface CostModel {
  /** Numbers kept per link. */
  readonly width: number;
  /**
   * "absolute" where width = 1 and D_ef = |m_e − m_f|, "square" where width = 2 and D_ef = |m_e − m_f|² (triplet-rules.ts): then
   * the numbers replace stored triplets. Texts of any other function of them do so too, where triplets are not stored. null for other costs,
   * which bind a `triplet`.
   */
  readonly rule: TripletRuleName | ((parameters: ParameterValues, timeStep: number) => WrittenRule) | null;
  /** The parameters that users may set, by name. */
  readonly parameters?: CostParameters;
  /** Attributes that detections must have. */
  readonly attributes?: readonly string[];
  /**
   * Costs of a link and of a triplet that are plausible whatever the detections show: a limit that `share` of the true ones stay below by
   * the cost's own noise or, where it knows none, a cost too small to measure. `step` is the mean length of a link. 0 where this is left out.
   */
  plausible?(
    share: number,
    step: number,
    parameters: ParameterValues,
  ): { readonly link: number; readonly triplet: number };
  /** Constants that depend on all detections, found before any link is priced. */
  calibrate?(detections: MovingDetections, reach: Float64Array, noise: Noise | null): Calibration;
  bind(detections: MovingDetections, constants: readonly number[], parameters: ParameterValues): BoundCost;
  /** How positions in space are priced: by the same functions, which read z and vz where these are there, or by another model. Without, the cost knows the plane alone. */
  readonly inSpace?: "same" | CostModel;
  /** The same for a GPU, in the plane. Without, links are priced on the host and their prices uploaded. */
  readonly wgsl?: LinkFormulas;
}

export interface Calibration {
  readonly constants: readonly number[];
  /** The assumptions that were made, for the user to read. */
  readonly notes: readonly string[];
}

export interface BoundCost {
  /** Returns C_ij and writes the link's numbers to perLink[at] … perLink[at + width − 1]. */
  link(i: number, j: number, perLink: Float64Array, at: number): number;
  /** D_ef; the links' numbers begin at perLink[e] and perLink[f]. Left out where the model states its rule. */
  triplet?(perLink: Float64Array, e: number, f: number): number;
  /** D of links i → j → k by the user's own function, with which the texts of the rule are compared. */
  tripletOf?(i: number, j: number, k: number): number;
}

/** The rule of a model with its parameters, null where it has none. */
export function ruleOf({ rule }: CostModel, parameters: ParameterValues, timeStep: number): TripletRuleSource | null {
  return typeof rule === "function" ? rule(parameters, timeStep) : rule;
}

/** D_ef of a bound model, by its rule where it has one. */
export function tripletCostOf(
  rule: TripletRuleSource | null,
  { triplet }: BoundCost,
): NonNullable<BoundCost["triplet"]> {
  const cost = rule === null ? triplet : tripletRule(rule).cost;
  invariant(cost !== undefined, () => "the cost states neither a rule nor what triplets cost");
  return cost;
}

/**
 * The pair cost and the numbers kept per link as expressions in WGSL, in f32, of a `link` and of `parameters[0]`, `parameters[1]`, …;
 * price-links.wgsl has the fields of a link and the functions that may be called. Twin: BoundCost.link.
 */
export interface LinkFormulas {
  readonly pair: string;
  /** As many as the model's width. */
  readonly numbers: readonly string[];
  /** The numbers that the expressions read as `parameters`; by default the cost's parameters in their order. */
  parameters?(constants: readonly number[], parameters: ParameterValues): readonly number[];
}
