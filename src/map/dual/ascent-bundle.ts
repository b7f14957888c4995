import type { Ascent } from "./ascent.js";

/** Passes of the oracle between two evaluations, and rounds over the kept planes before each. */
const PASSES = 2;
const ROUNDS = 3;

/** First τ in units of Polyak's step (UB − L) / ‖g‖². */
const FIRST_STEP = 5;

/** A step that gains less than ACCEPT of what the model promised is a null step; after PATIENCE of them τ shrinks. */
const ACCEPT = 0.05;
const GOOD = 0.5;
const PATIENCE = 3;
const SHRINK = 0.7;
const GROW = 1.5;

/** Stalled when the gap has closed by less than this fraction in so many evaluations. */
const STILL = 0.002;
const WINDOW = 25;

/** Replaces the upper bound while no tracks are known, relative to the bound. */
const ASSUMED_GAP = 0.05;

/**
 * Proximal bundle ascent, whose quadratic programs are solved by block-coordinate Frank–Wolfe steps with kept planes (after Shah,
 * Kolmogorov, Lampert 2015 and Swoboda, Kolmogorov 2019).
 *
 * Around a centre c it raises Σ_p min over planes of pair p − ‖v − c‖² / 2τ pair by pair: solve the pair's subproblem at
 * the present v, move the pair's convex combination towards the new plane by an exact line search, and v with it. Now and
 * then all subproblems are solved at the same v; a bound that beats the centre's makes v the new centre. There is no step
 * size to schedule except τ, which shrinks when the actual gain is far below what the model promised and grows when it is close to it.
 */
export const bundle: Ascent = async (steps, control) => {
  let best = await steps.evaluate();
  await steps.keep();
  if ((await control.bounded(best)) || (await control.iterated())) return;
  const first = await steps.subgradient();
  if (first === 0) return;
  const gapTo = (bound: number): number => {
    const upper = control.upperBound();
    return Number.isFinite(upper) ? upper - bound : ASSUMED_GAP * Math.abs(bound);
  };
  await steps.startBundle();
  let tau = (FIRST_STEP * Math.max(gapTo(best), 0)) / first;
  let nulls = 0;
  const history: number[] = [];

  for (;;) {
    await steps.stand(tau);
    for (let pass = 0; pass < PASSES; pass++) {
      for (let round = 0; round < ROUNDS; round++) await steps.refineKept(tau);
      await steps.refine(tau);
      if (await control.iterated()) return finish();
    }
    for (let round = 0; round < ROUNDS; round++) await steps.refineKept(tau);
    const { bound, model } = await steps.evaluateBundle();
    await steps.collectPlanes();

    const gain = bound - best;
    const promised = model - best;
    if (gain > ACCEPT * promised) {
      nulls = 0;
      if (gain > GOOD * promised) tau *= GROW;
    } else if (++nulls >= PATIENCE) {
      nulls = 0;
      tau *= SHRINK;
    }
    if (gain > 0) {
      best = bound;
      await steps.keep();
    }
    if ((await control.bounded(bound)) || (await control.iterated())) return finish();
    history.push(best);
    const past = history.length - 1 - WINDOW;
    if (past >= 0 && best - history[past] <= STILL * gapTo(best)) return finish();
  }

  async function finish(): Promise<void> {
    await steps.restore();
    await steps.evaluate();
  }
};
