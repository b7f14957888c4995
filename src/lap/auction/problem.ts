/** The problem that auctions solve. */
import type { LapProblem } from "../lap.js";

/**
 * There are N persons and M objects; object j is worth a_ij ≥ 0 to person i. All objects are worth nothing but the candidates, which are listed in compressed
 * rows. The matching of greatest utility is sought; a person in no pair is alone, at utility 0.
 */
export interface AuctionProblem {
  readonly persons: number;
  readonly objects: number;
  /** Offsets of each person's candidates, length persons + 1. */
  readonly rowStart: Uint32Array;
  /** Object of each candidate, increasing within a person. */
  readonly object: Uint32Array;
  /** a_ij > 0 of each candidate. */
  readonly utility: Float64Array;
}

export interface AuctionAnswer {
  /** "capped": the limit on rounds was reached, and the matching must not be used. */
  readonly status: "done" | "capped";
  /** Object of each person, −1: alone. */
  readonly objectOfPerson: Int32Array;
  /** p_j ≥ 0 of each object. */
  readonly price: Float64Array;
  /** Rounds of bids, assignment and test. */
  readonly rounds: number;
  readonly bids: number;
}

/** The same problem as a LAP of costs −a_ij, in which everybody may stay alone at 0. */
export function lapOf({ persons, objects, rowStart, object, utility }: AuctionProblem): LapProblem {
  return {
    rows: persons,
    columns: objects,
    rowStart,
    column: object,
    cost: utility.map((worth) => -worth),
    rowUnassigned: new Float64Array(persons),
    columnUnassigned: new Float64Array(objects),
  };
}
