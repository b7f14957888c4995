/** Motion of every pixel from one frame to the next: pixel (x, y) is found at (x + u, y + v). */
export interface FlowField {
  readonly width: number;
  readonly height: number;
  /** Pixels per frame to the right; row by row from the top left. */
  readonly u: Float32Array;
  /** Pixels per frame downwards. */
  readonly v: Float32Array;
}

/** A component above this means that the motion is not known (the convention of .flo files). */
export const LARGEST_KNOWN_FLOW = 1e9;
