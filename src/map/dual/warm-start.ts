import type { AscentControl } from "./ascent.js";
import type { AscentSteps } from "./steps.js";

/** Rounds of coordinate ascent that fit multipliers of a similar problem to this one's costs. */
const ROUNDS = 2;

/** Share of the reduced costs that goes back into the triplets afterwards: with all of it the ties would be in the X-LAPs. */
const RETURNED = 0.5;

/** Iterations that it counts, where nothing stops it. */
export const WARM_ITERATIONS = ROUNDS + 1;

/**
 * Begins at multipliers of a similar problem, or at the present ones, and fits them to this one's costs (docs/explanation/mathematics.md §3.6): L ends at or above L(v).
 * Coordinate ascent leaves many triplets without slack, and among their ties the bundle hardly moves: so half of the reduced costs goes back there.
 */
export async function startWarm(
  steps: AscentSteps,
  v: Float64Array | null,
  { iterated }: Pick<AscentControl, "iterated">,
): Promise<void> {
  if (v !== null) await steps.setMultipliers(v);
  for (let round = 0; round < ROUNDS; round++) {
    await steps.visit(0);
    await steps.visit(1);
    if (await iterated()) return;
  }
  await steps.assign();
  await steps.pushReducedCosts(RETURNED);
  await iterated();
}
