/** Rounds and step sizes of the bundle, with cuts and without. */

/** Planes kept for each frame pair (docs/explanation/mathematics.md §3.4): enough for a good model, few enough that a round over them is cheap. */
export const PLANES = 10;

/** Passes of the oracle between two evaluations, and rounds over the kept planes before each. */
export const PASSES = 2;
export const ROUNDS = 3;

/** First τ in units of Polyak's step (UB − L) / ‖g‖². */
export const FIRST_STEP = 5;

/** A step that gains less than ACCEPT of the model's promise is a null step; after PATIENCE of them τ shrinks. */
const ACCEPT = 0.05;
const GOOD = 0.5;
const PATIENCE = 3;
const SHRINK = 0.7;
const GROW = 1.5;

/** τ, which shrinks when the actual gain is far below the model's promise and grows when it is close to it. */
export class ProximalStep {
  #nulls = 0;

  constructor(public tau: number) {}

  /** After a step from a centre, with its gain and the model's promise. */
  took(gain: number, promised: number): void {
    if (gain > ACCEPT * promised) {
      this.#nulls = 0;
      if (gain > GOOD * promised) this.tau *= GROW;
    } else if (++this.#nulls >= PATIENCE) {
      this.#nulls = 0;
      this.tau *= SHRINK;
    }
  }
}
