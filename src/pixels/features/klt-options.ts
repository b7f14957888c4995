/** Options and results of trackers of points, on the CPU and on a device. */

export interface KltOptions {
  /** Odd side of the window in pixels. */
  readonly window: number;
  /** Iterations of a level at most. */
  readonly iterations: number;
  /** A level ends when a step is no longer than this, in pixels of the level. */
  readonly step: number;
  /** Least eigenvalue of A over the pixels of the window, of Scharr's sums (32 × the gradient) over 1024: OpenCV's unit. */
  readonly leastEigenvalue: number;
  /** Gradients of both images, half each (Sinha's variant), instead of those of the first. */
  readonly symmetric: boolean;
  /** Whether a window may be lighter or darker by a factor and an offset of its own. */
  readonly light: boolean;
}

export const KLT_DEFAULTS: KltOptions = {
  window: 21,
  iterations: 30,
  step: 0.01,
  leastEigenvalue: 1e-4,
  symmetric: false,
  light: false,
};
export const KLT_LEVELS = 4;

export interface KltPoints {
  readonly x: Float32Array;
  readonly y: Float32Array;
}

export const KLT_STATUS = { tracked: 0, flat: 1, outside: 2, inconsistent: 3, dissimilar: 4 } as const;

export interface KltTracks {
  /** Places in the second image, pixels; for a point that was lost, the last place that was reached. */
  readonly x: Float32Array;
  readonly y: Float32Array;
  /** One of KLT_STATUS. */
  readonly status: Uint8Array;
  /** Root mean square difference of the two windows, grey levels; with `light` of what their light leaves. */
  readonly residual: Float32Array;
  /** Length of the last step, pixels: above `step` where the iterations did not end by themselves. */
  readonly lastStep: Float32Array;
  /** Iterations of all levels. */
  readonly iterations: Uint32Array;
}
