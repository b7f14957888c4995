import type { AscentSteps } from "./steps.js";

/** Rounds of coordinate ascent that fit multipliers of a similar problem to this one's costs. */
const ROUNDS = 2;

/** Share of the reduced costs that goes back into the triplets afterwards. */
const RETURNED = 0.5;

/** Rounds in which every X-LAP is solved once, as an ascent counts them. */
export const WARM_ITERATIONS = ROUNDS + 1;

/**
 * Begins at multipliers of a similar problem, or at 0, and fits them to this one's costs (docs/algorithm.md §3.6): L ends at or above L(v).
 * Coordinate ascent leaves no slack in the triplets, and among so many ties the bundle hardly moves: so half of the reduced costs goes back there.
 */
export async function startWarm(steps: AscentSteps, v: Float64Array): Promise<void> {
  await steps.setMultipliers(v);
  for (let round = 0; round < ROUNDS; round++) {
    await steps.visit(0);
    await steps.visit(1);
  }
  await steps.assign();
  await steps.pushReducedCosts(RETURNED);
}
