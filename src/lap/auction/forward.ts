/**
 * Bertsekas' forward auction in f64, in rounds as on a GPU: all who are alone bid at once (D. P. Bertsekas, "The auction algorithm: a
 * distributed relaxation method for the assignment problem", Annals of Operations Research 14, 1988; Maier et al. 2019, §2).
 */
import { InputError } from "../../core/errors.js";
import type { AuctionAnswer, AuctionProblem } from "./problem.js";

export interface ForwardOptions {
  /** ε > 0: the matching's utility is within persons · ε of the greatest. */
  readonly epsilon: number;
  /** Rounds after which it gives up [1e6]. */
  readonly mostRounds?: number;
}

/**
 * Prices start at 0: an object that nobody takes must cost 0 at the end, or else the matching may be far from the greatest although no person would
 * change. After an auction from other prices (bidInRounds) a reverse one must follow.
 *
 * Each person who is alone chooses its best object, worth v = max_j a_ij − p_j to it (the second best is worth w), and bids v − max(w, 0) + ε on top of its price.
 * The highest bid wins, among equal ones that of the person with the greater number; among equal objects the one with the lowest number is the best. With w
 * clamped at 0 no price is above max a + ε; without (the paper's Eq. 2) the bid can be ε higher than its Eq. 4 says.
 */
export function forwardAuction(problem: AuctionProblem, options: ForwardOptions): AuctionAnswer {
  const { epsilon, mostRounds = 1e6 } = options;
  if (!(epsilon > 0)) throw new InputError(`auction: ε is ${epsilon}; give a number above 0`);
  return bidInRounds(problem, new Float64Array(problem.objects), epsilon, mostRounds);
}

/** Runs the rounds, which raise the given prices. */
export function bidInRounds(
  problem: AuctionProblem,
  price: Float64Array,
  epsilon: number,
  mostRounds: number,
): AuctionAnswer {
  const { persons, objects, rowStart, object, utility } = problem;
  const objectOfPerson = new Int32Array(persons).fill(-1);
  const owner = new Int32Array(objects).fill(-1);
  const highest = new Float64Array(objects);
  const bidder = new Int32Array(objects).fill(-1);
  const wanted = new Int32Array(objects);
  /** Persons who are neither in a pair nor alone for good. Prices only rise, so a person who finds nothing worth its price never will. */
  let unsettled = Array.from({ length: persons }, (_, i) => i);
  let rounds = 0;
  let bids = 0;
  while (unsettled.length > 0) {
    if (rounds === mostRounds) return { status: "capped", objectOfPerson, price, rounds, bids };
    rounds++;
    let count = 0;
    const next: number[] = [];
    for (const i of unsettled) {
      let v = 0;
      let w = 0;
      let best = -1;
      for (let k = rowStart[i]; k < rowStart[i + 1]; k++) {
        const value = utility[k] - price[object[k]];
        if (value > v) {
          w = v;
          v = value;
          best = object[k];
        } else if (value > w) w = value;
      }
      if (best < 0) continue;
      bids++;
      const raised = price[best] + (v - w + epsilon);
      const rival = bidder[best];
      if (rival < 0) wanted[count++] = best;
      const wins = rival < 0 || raised > highest[best] || (raised === highest[best] && i > rival);
      if (wins) {
        highest[best] = raised;
        bidder[best] = i;
      }
      if (rival >= 0 || !wins) next.push(wins ? rival : i);
    }
    for (let n = 0; n < count; n++) {
      const j = wanted[n];
      const i = bidder[j];
      if (!(highest[j] > price[j])) {
        throw new InputError(`auction: ε = ${epsilon} does not raise the price ${price[j]} in f64; give a larger one`);
      }
      if (owner[j] >= 0) {
        objectOfPerson[owner[j]] = -1;
        next.push(owner[j]);
      }
      owner[j] = i;
      objectOfPerson[i] = j;
      price[j] = highest[j];
      bidder[j] = -1;
    }
    unsettled = next;
  }
  return { status: "done", objectOfPerson, price, rounds, bids };
}
