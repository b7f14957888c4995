/**
 * Auctions from prices that are not 0: those of the last frame, or of a coarser ε (D. P. Bertsekas, D. A. Castañón, "A forward/reverse
 * auction algorithm for asymmetric assignment problems", Computational Optimization and Applications 1, 1992), with the option to stay
 * alone on both sides. A forward auction alone is wrong there: an object that nobody takes keeps its old price, as if it were taken.
 */
import { InputError, invariant } from "../../dist/core/errors.js";
import { bidInRounds } from "../../dist/lap/auction/forward.js";
import type { AuctionAnswer, AuctionProblem } from "../../dist/lap/auction/problem.js";

export interface ForwardReverseOptions {
  /** The last ε > 0: the matching's utility is within persons · ε of the greatest. */
  readonly epsilon: number;
  /** Larger values of ε to go through first, falling [none]. */
  readonly scaling?: readonly number[];
  /** Prices to start from, ≥ 0 [all 0]. */
  readonly price?: Float64Array;
  /** Rounds of all phases, reverse steps apart, after which it gives up [1e6]. */
  readonly mostRounds?: number;
}

export interface ForwardReverseAnswer extends AuctionAnswer {
  /** Reverse steps, in which a free object with a price sought a person. */
  readonly reversed: number;
}

/**
 * Runs a forward auction over the list of candidates at each ε, from the prices before it. Then, while an object is free at a price above 0, it lowers its price
 * to what its second best person would pay and takes the best person from that person's present object, or goes down to 0 and stays free. A taken person's
 * profit rises by ε or more each time, so this ends.
 */
export function forwardReverseAuction(problem: AuctionProblem, options: ForwardReverseOptions): ForwardReverseAnswer {
  const { epsilon, scaling = [], mostRounds = 1e6 } = options;
  const ladder = [...scaling, epsilon];
  if (!ladder.every((value, k) => value > 0 && (k === 0 || value <= ladder[k - 1]))) {
    throw new InputError(`auction: ε goes through ${ladder.join(", ")}; give falling numbers above 0`);
  }
  const price = Float64Array.from({ length: problem.objects }, (_, j) => Math.max(0, options.price?.[j] ?? 0));
  let rounds = 0;
  let bids = 0;
  let answer: AuctionAnswer | null = null;
  for (const value of ladder) {
    answer = bidInRounds(problem, price, value, mostRounds - rounds);
    rounds += answer.rounds;
    bids += answer.bids;
    if (answer.status === "capped") return { ...answer, rounds, bids, reversed: 0 };
  }
  const { objectOfPerson } = answer as AuctionAnswer;
  const reversed = reverse(problem, objectOfPerson, price, epsilon);
  return { status: "done", objectOfPerson, price, rounds, bids, reversed };
}

/** The reverse part; returns its steps. */
function reverse(problem: AuctionProblem, objectOfPerson: Int32Array, price: Float64Array, epsilon: number): number {
  const { persons, objects, rowStart, object, utility } = problem;
  const offers = transposed(problem);
  const personOfObject = inverse(objectOfPerson, objects);
  const profit = new Float64Array(persons);
  for (let i = 0; i < persons; i++) {
    for (let k = rowStart[i]; k < rowStart[i + 1]; k++) {
      if (object[k] === objectOfPerson[i]) profit[i] = Math.max(0, utility[k] - price[object[k]]);
    }
  }
  const waiting = Array.from({ length: objects }, (_, j) => j).filter((j) => personOfObject[j] < 0 && price[j] > 0);
  let steps = 0;
  for (let j = waiting.pop(); j !== undefined; j = waiting.pop()) {
    steps++;
    let best = -1;
    let first = -Infinity;
    let second = 0;
    let worth = 0;
    for (let k = offers.rowStart[j]; k < offers.rowStart[j + 1]; k++) {
      const left = offers.utility[k] - profit[offers.object[k]];
      if (left > first) {
        second = Math.max(0, first);
        first = left;
        best = offers.object[k];
        worth = offers.utility[k];
      } else if (left > second) second = left;
    }
    if (first <= epsilon) {
      price[j] = 0;
      continue;
    }
    price[j] = Math.max(0, second - epsilon);
    profit[best] = worth - price[j];
    const before = objectOfPerson[best];
    objectOfPerson[best] = j;
    personOfObject[j] = best;
    if (before < 0) continue;
    personOfObject[before] = -1;
    if (price[before] > 0) waiting.push(before);
  }
  return steps;
}

/** The same problem with persons and objects exchanged. */
export function transposed({ persons, objects, rowStart, object, utility }: AuctionProblem): AuctionProblem {
  const entries = rowStart[persons] - rowStart[0];
  const turned = new Uint32Array(objects + 1);
  for (let k = rowStart[0]; k < rowStart[persons]; k++) turned[object[k] + 1]++;
  for (let j = 0; j < objects; j++) turned[j + 1] += turned[j];
  const next = turned.slice(0, objects);
  const person = new Uint32Array(entries);
  const worth = new Float64Array(entries);
  for (let i = 0; i < persons; i++) {
    for (let k = rowStart[i]; k < rowStart[i + 1]; k++) {
      const at = next[object[k]]++;
      person[at] = i;
      worth[at] = utility[k];
    }
  }
  return { persons: objects, objects: persons, rowStart: turned, object: person, utility: worth };
}

/** Person of each object, −1: free, from the object of each person. */
function inverse(objectOfPerson: Int32Array, objects: number): Int32Array {
  const personOfObject = new Int32Array(objects).fill(-1);
  objectOfPerson.forEach((j, i) => {
    if (j < 0) return;
    invariant(personOfObject[j] < 0, () => `object ${j} has two persons, ${personOfObject[j]} and ${i}`);
    personOfObject[j] = i;
  });
  return personOfObject;
}
