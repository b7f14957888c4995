import { type FixedAnswer, type FixedProblem, utilityOf } from "./fixed-point.js";
import { bidInRounds } from "./forward.js";

/**
 * The kernels' twin on the CPU: the rounds of the forward auction on whole numbers of steps, which f64 computes exactly. Of equal bids that of the person with the
 * greatest number wins, and of equally good objects the one with the lowest number gets the bid.
 */
export function fixedAuction(problem: FixedProblem, mostRounds: number): FixedAnswer {
  const { persons, objects, epsilon, rowStart, candidate } = problem;
  const utility = new Float64Array(candidate.length);
  for (let i = 0; i < persons; i++) {
    for (let k = rowStart[i]; k < rowStart[i + 1]; k++) utility[k] = utilityOf(problem, i, candidate[k]);
  }
  const scene = { persons, objects, rowStart, object: candidate, utility };
  const { price, bids: _, ...answer } = bidInRounds(scene, new Float64Array(objects), epsilon, mostRounds);
  return { ...answer, price: Uint32Array.from(price) };
}
