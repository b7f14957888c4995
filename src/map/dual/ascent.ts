import type { AscentSteps } from "./steps.js";

/** What an ascent reports to its caller, and learns from it, while it runs. */
export interface AscentControl {
  /** Cost of the best tracks so far, Infinity when there are none. */
  upperBound(): number;
  /** Counts one iteration, a round in which every X-LAP was solved once; resolves to true when the ascent must stop. */
  iterated(): Promise<boolean>;
  /** Called with a bound L(v) at the present multipliers, those of the last evaluation; returns true when the ascent must stop. */
  bounded(bound: number): Promise<boolean>;
}

/**
 * Moves the multipliers from their present values until `control` stops it or it can do no better, and leaves the best ones it
 * evaluated in place.
 */
export type Ascent = (steps: AscentSteps, control: AscentControl) => Promise<void>;
