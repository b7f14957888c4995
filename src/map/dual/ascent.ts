import type { AscentSteps } from "./steps.js";

/** What an ascent hears from outside while it runs. */
export interface AscentControl {
  /** Cost of the best tracks so far, Infinity when there are none. */
  upperBound(): number;
  /** Counts one iteration, a round in which every X-LAP was solved once; resolves to true when the ascent must stop. */
  iterated(): Promise<boolean>;
  /** Hears of a bound L(v) at the present multipliers, of which the last evaluation is part; true when it must stop. */
  bounded(bound: number): Promise<boolean>;
}

/**
 * Moves the multipliers from where they are until `control` says stop or it can do no better, and leaves the best ones it
 * evaluated in place.
 */
export type Ascent = (steps: AscentSteps, control: AscentControl) => Promise<void>;
