import type { Ascent } from "./ascent.js";

/** λ shrinks by SHRINK after PATIENCE evaluations without a new best bound; the ascent ends when λ is below LEAST. */
const SHRINK = 0.85;
const PATIENCE = 20;
const LEAST = 1e-3;

/** Replaces the upper bound while no tracks are known, relative to the bound. */
const ASSUMED_GAP = 0.05;

/**
 * Subgradient ascent with Polyak's step: v += λ (UB − L) / ‖g‖² · g, with g = x − Σ y and λ = 1 at first. It is not monotone and converges to the
 * LP optimum. After PATIENCE evaluations without progress it goes back to the best multipliers with a smaller λ.
 */
export const polyak: Ascent = async (steps, control) => {
  let lambda = 1;
  let best = Number.NEGATIVE_INFINITY;
  let since = 0;
  while (lambda >= LEAST) {
    const bound = await steps.evaluate();
    if (bound > best) {
      best = bound;
      since = 0;
      await steps.keep();
    } else since++;
    const stopped = (await control.bounded(bound)) || (await control.iterated());
    const norm = await steps.subgradient();
    if (stopped || norm === 0) break;
    if (since >= PATIENCE) {
      lambda *= SHRINK;
      since = 0;
      await steps.restore();
      continue;
    }
    const upper = control.upperBound();
    const target = Number.isFinite(upper) ? upper : best + ASSUMED_GAP * Math.abs(best);
    await steps.follow((lambda * Math.max(target - bound, 0)) / norm);
  }
  await steps.restore();
  await steps.evaluate();
};
