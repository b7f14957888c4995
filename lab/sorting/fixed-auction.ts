import type { FixedAnswer, FixedProblem } from "../../dist/lap/auction/fixed-point.js";
import { bidInRounds } from "../../dist/lap/auction/forward.js";

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

/** Utility of a pair in steps. */
export function utilityOf({ person, object, reach }: FixedProblem, i: number, j: number): number {
  const dx = person[2 * i] - object[2 * j];
  const dy = person[2 * i + 1] - object[2 * j + 1];
  if (Math.abs(dx) >= reach || Math.abs(dy) >= reach) return 0;
  return Math.max(0, reach - Math.floor(Math.sqrt(dx * dx + dy * dy)));
}
