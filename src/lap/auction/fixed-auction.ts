import { type FixedAnswer, type FixedProblem, utilityOf } from "./fixed-point.js";

/**
 * The kernels' twin on the CPU: Bertsekas' forward auction in whole numbers, in rounds. A person who is not settled bids on the best object, the
 * one with the lowest number among equal ones. The highest bid wins, among equal ones that of the person with the greatest number. A bid is a price: utility less the
 * second best value (or 0 if that value is negative), plus ε.
 */
export function fixedAuction(problem: FixedProblem, mostRounds: number): FixedAnswer {
  const { persons, objects, epsilon, start, candidate } = problem;
  const price = new Uint32Array(objects);
  const owner = new Int32Array(objects).fill(-1);
  const objectOfPerson = new Int32Array(persons).fill(-1);
  const highest = new Uint32Array(objects);
  const bidder = new Int32Array(objects).fill(-1);
  let unsettled = Array.from({ length: persons }, (_, i) => i);
  let rounds = 0;
  while (unsettled.length > 0) {
    if (rounds === mostRounds) return { status: "capped", objectOfPerson, price, rounds };
    rounds++;
    const next: number[] = [];
    const wanted = new Set<number>();
    for (const i of unsettled) {
      let v = 0;
      let w = 0;
      let best = -1;
      for (let k = start[i]; k < start[i + 1]; k++) {
        const j = candidate[k];
        const value = utilityOf(problem, i, j) - price[j];
        if (value > v) {
          w = v;
          v = value;
          best = j;
        } else if (value > w) w = value;
      }
      // Prices only rise, so a person who finds nothing worth its price stays alone for good.
      if (best < 0) continue;
      const raised = price[best] + v - w + epsilon;
      const rival = bidder[best];
      if (rival < 0 || raised >= highest[best]) {
        if (rival >= 0 && (raised > highest[best] || i > rival)) next.push(rival);
        highest[best] = raised;
        bidder[best] = i;
        wanted.add(best);
      } else next.push(i);
    }
    for (const j of wanted) {
      if (owner[j] >= 0) {
        objectOfPerson[owner[j]] = -1;
        next.push(owner[j]);
      }
      owner[j] = bidder[j];
      objectOfPerson[owner[j]] = j;
      price[j] = highest[j];
      bidder[j] = -1;
    }
    // Persons bid in order, so that of equal bids that of the greatest number comes last.
    unsettled = next.sort((a, b) => a - b);
  }
  return { status: "done", objectOfPerson, price, rounds };
}
