/** A target found in images before it is tracked: a place, mostly with a velocity. */
export interface FoundTarget {
  /** Pixels; centres at integers, y downwards. */
  readonly x: number;
  readonly y: number;
  /** Pixels a frame; NaN where none was measured. */
  readonly vx: number;
  readonly vy: number;
  /** Its strength, in standard deviations of the noise. */
  readonly score: number;
}

/** Where a target truly is in one frame. */
export interface TrueTarget {
  /** Of the image, counted from 0. */
  readonly frame: number;
  readonly x: number;
  readonly y: number;
  readonly vx: number;
  readonly vy: number;
  readonly target: number;
  /** Peak amplitude over the noise of a pixel, or null where not known. */
  readonly snr: number | null;
}
