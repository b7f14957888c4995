import type { Ascent } from "./ascent.js";
import { FIRST_STEP, PASSES, ProximalStep, ROUNDS } from "./proximal-step.js";

/** Stalled when the gap has closed by less than the fraction STILL in WINDOW evaluations. */
const STILL = 0.002;
const WINDOW = 25;

/** Evaluations between two searches for rows of cliques, whose first ones are many and slow; those of divisions, without which the bound stalls, are looked for at each. */
const SEPARATE_EVERY = 20;

/** Rounds over the kept planes where there may be rows: these make a round dearer, beside an oracle as before. */
const ROUNDS_WITH_ROWS = 1;

/** Replaces the upper bound while no tracks are known, relative to the bound. */
const ASSUMED_GAP = 0.05;

/**
 * Proximal bundle ascent, whose quadratic programs are solved by block-coordinate Frank–Wolfe steps with kept planes (after Shah,
 * Kolmogorov, Lampert 2015 and Swoboda, Kolmogorov 2019).
 *
 * Around a centre c it raises Σ_p min over planes of pair p − ‖v − c‖² / 2τ pair by pair: solve the pair's subproblem at
 * the present v, move the pair's convex combination towards the new plane by an exact line search, and v with it. Now and
 * then all subproblems are solved at the same v; a bound that beats the centre's makes v the new centre. There is no step
 * size to schedule except τ, which shrinks when the actual gain is far below the promise of the model and grows when it is close to it.
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
  await steps.beginBundle();
  const step = new ProximalStep((FIRST_STEP * Math.max(gapTo(best), 0)) / first);
  const history: number[] = [];
  const rounds = steps.separate === undefined ? ROUNDS : ROUNDS_WITH_ROWS;

  for (;;) {
    const { tau } = step;
    await steps.stand(tau);
    for (let pass = 0; pass < PASSES; pass++) {
      for (let round = 0; round < rounds; round++) await steps.refineKept(tau);
      await steps.refine(tau);
      if (await control.iterated()) return finish();
    }
    for (let round = 0; round < rounds; round++) await steps.refineKept(tau);
    const { bound, model } = await steps.evaluateBundle();
    await steps.collectPlanes();

    const gain = bound - best;
    step.took(gain, model - best);
    if (gain > 0) {
      best = bound;
      await steps.keep();
    }
    if ((await control.bounded(bound)) || (await control.iterated())) return finish();
    history.push(best);
    const past = history.length - 1 - WINDOW;
    const still = past >= 0 && best - history[past] <= STILL * gapTo(best);
    const every = still || history.length % SEPARATE_EVERY === 0;
    const found = (await steps.separate?.(every ? 1 : 0)) ?? 0;
    if (still && found === 0) return finish();
  }

  async function finish(): Promise<void> {
    await steps.restore();
    await steps.evaluate();
  }
};
