/** Detections of all frames, numbered from 0 over all frames: those of frame p are frameStart[p] … frameStart[p + 1] − 1. */
export interface Detections {
  /** Number of frames T, empty ones included. */
  readonly frames: number;
  /** Length frames + 1. */
  readonly frameStart: Uint32Array;
  /** Positions, in the input's length unit. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Measured velocities (length unit per time unit), NaN for a detection that has none; null where the input has none. */
  readonly vx: Float64Array | null;
  readonly vy: Float64Array | null;
  /** True identity of each detection (any non-negative integer; −1 for a false detection), or null when unknown. */
  readonly target: Int32Array | null;
  /** Further numbers of each detection by name (area, brightness, …), which costs may read; each array has one number per detection. */
  readonly attributes?: ReadonlyMap<string, Float64Array>;
  /** Time between consecutive frames, δt. */
  readonly timeStep: number;
}
