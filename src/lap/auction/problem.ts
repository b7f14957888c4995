/** The problem that auctions solve. */
import { invariant } from "../../core/errors.js";
import type { LapProblem } from "../lap.js";

/**
 * There are N persons and M objects; object j is worth a_ij ≥ 0 to person i. All objects are worth nothing but the candidates, which are listed in compressed
 * rows. The matching of greatest utility is sought; a person in no pair is alone, at utility 0.
 */
export interface AuctionProblem {
  readonly persons: number;
  readonly objects: number;
  /** Offsets of each person's candidates, length persons + 1. */
  readonly start: Uint32Array;
  /** Object of each candidate, increasing within a person. */
  readonly object: Uint32Array;
  /** a_ij > 0 of each candidate. */
  readonly utility: Float64Array;
}

export interface AuctionAnswer {
  /** "capped": the limit on rounds was reached, and the matching must not be used. */
  readonly status: "done" | "capped";
  /** Object of each person, −1: alone. No pair is worth nothing. */
  readonly objectOfPerson: Int32Array;
  /** p_j ≥ 0 of each object. */
  readonly price: Float64Array;
  /** Rounds of bids, assignment and test. */
  readonly rounds: number;
  readonly bids: number;
}

/**
 * List: a person bids on candidates only, and stays alone when its best one is worth no more than its price. Dense: as in the paper, every object
 * may be bid on, those out of reach at utility 0, until no person is alone; this needs at least as many objects as persons.
 */
export type AuctionForm = "list" | "dense";

/** The same problem as a LAP of costs −a_ij, in which everybody may stay alone at 0. */
export function lapOf({ persons, objects, start, object, utility }: AuctionProblem): LapProblem {
  return {
    rows: persons,
    columns: objects,
    rowStart: start,
    column: object,
    cost: utility.map((worth) => -worth),
    rowUnassigned: new Float64Array(persons),
    columnUnassigned: new Float64Array(objects),
  };
}

/** The same problem with persons and objects exchanged. */
export function transposed({ persons, objects, start, object, utility }: AuctionProblem): AuctionProblem {
  const entries = start[persons] - start[0];
  const turned = new Uint32Array(objects + 1);
  for (let k = start[0]; k < start[persons]; k++) turned[object[k] + 1]++;
  for (let j = 0; j < objects; j++) turned[j + 1] += turned[j];
  const next = turned.slice(0, objects);
  const person = new Uint32Array(entries);
  const worth = new Float64Array(entries);
  for (let i = 0; i < persons; i++) {
    for (let k = start[i]; k < start[i + 1]; k++) {
      const at = next[object[k]]++;
      person[at] = i;
      worth[at] = utility[k];
    }
  }
  return { persons: objects, objects: persons, start: turned, object: person, utility: worth };
}

/** Person of each object, −1: free, from the object of each person. */
export function inverse(objectOfPerson: Int32Array, objects: number): Int32Array {
  const personOfObject = new Int32Array(objects).fill(-1);
  objectOfPerson.forEach((j, i) => {
    if (j < 0) return;
    invariant(personOfObject[j] < 0, () => `object ${j} has two persons, ${personOfObject[j]} and ${i}`);
    personOfObject[j] = i;
  });
  return personOfObject;
}
