import type { TripletRuleSource } from "./triplet-rules.js";

/** What every source of costs gives to the solver: the input of buildGraph in build.ts. */

/** Gated links, sorted by (tail, head); detections are numbered through all frames. */
export interface PricedLinks {
  /** Length frames + 1: detections of frame p are frameStart[p] … frameStart[p + 1] − 1. */
  readonly frameStart: Uint32Array;
  readonly tail: Int32Array;
  readonly head: Int32Array;
  /** Pair cost C of each link, finite. */
  readonly cost: Float64Array;
}

/** Triplet costs in CSR-COO over the links: row e lists the links f that may follow e. A triplet that is not stored is forbidden. */
export interface PricedStoredTriplets {
  readonly kind: "csr";
  /** Length links + 1. */
  readonly rowStart: Uint32Array;
  /** Increasing within a row. */
  readonly successor: Uint32Array;
  /** D_ef, finite. */
  readonly cost: Float64Array;
}

/**
 * Triplet costs that are a function of numbers m kept per link, computed where they are needed: memory grows with the links
 * alone. Every link into a detection may be followed by every link out of it. With a rule of width w, m_e is m[w e] … m[w e + w − 1].
 */
export interface PricedImplicitTriplets {
  readonly kind: "implicit";
  readonly rule: TripletRuleSource;
  /** m, finite; length width of the rule · links. */
  readonly perLink: Float64Array;
}

export type PricedTriplets = PricedStoredTriplets | PricedImplicitTriplets;

/** Costs of starting a track at a detection (used from the second frame on) and of ending one there (up to the last but one). */
export interface BirthDeathCosts {
  /** Length detections. */
  readonly birth: Float64Array;
  readonly death: Float64Array;
  /**
   * Cost of a detection without any link, in the place of its birth and its death; NaN where it costs these two [everywhere].
   */
  readonly unused?: Float64Array | undefined;
}

/**
 * Sets of detections of one frame, of each of which at most one is used: Σ_{i ∈ S} u_i ≤ 1. A detection is used where it has a link into it or out of it
 * (docs/explanation/mathematics.md §1.2).
 */
export interface Exclusions {
  /** The detections of set s: member[setStart[s]] … member[setStart[s + 1] − 1]; length sets + 1. */
  readonly setStart: Uint32Array;
  readonly member: Uint32Array;
}

export interface PricedProblem {
  readonly links: PricedLinks;
  /** null: every continuation of two links is allowed and free. */
  readonly triplets: PricedTriplets | null;
  /** null: every detection must be linked in every frame pair. */
  readonly birthDeath: BirthDeathCosts | null;
  /** Only where tracks may start and end [none]. */
  readonly exclusions?: Exclusions | undefined;
  /** The detection whose second daughter begins at a twin (twins.ts), by detection, −1 for those that are no twins [none is]. */
  readonly motherOf?: Int32Array | undefined;
}
