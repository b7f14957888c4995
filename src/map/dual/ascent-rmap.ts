import type { Ascent } from "./ascent.js";

/** Relative rise of the bound below which a monotone ascent is at its fixed point. */
const STILL = 1e-10;

/**
 * [K23] Algorithm 1, one-directional: every X-LAP's reduced costs r ≥ 0 go into the triplets before, v −= r, all at once.
 * L never falls: the X-LAPs keep their values, since only slack leaves them, and Δ of the pairs before can only rise. The ascent stalls far
 * from the LP optimum and serves as the faithful baseline.
 */
export const rmap: Ascent = async (steps, control) => {
  let last = Number.NEGATIVE_INFINITY;
  for (let k = 0; ; k++) {
    if (k % steps.boundEvery === 0) {
      const bound = await steps.evaluate();
      if (await control.bounded(bound)) return;
      if (bound - last <= STILL * Math.abs(bound)) return;
      last = bound;
    } else await steps.assign();
    if (await control.iterated()) return;
    await steps.pushReducedCosts(1);
  }
};
