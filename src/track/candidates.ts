/** The measurements of a frame that each track may be linked to, in compressed rows. */
export interface Candidates {
  readonly tracks: number;
  readonly measurements: number;
  /** Offsets of each track's candidates, length tracks + 1. */
  readonly rowStart: Uint32Array;
  /** Measurement of each candidate, increasing within a track. */
  readonly measurement: Uint32Array;
  /** Worth of each candidate, above 0; a track without a measurement is worth 0. */
  readonly utility: Float64Array;
}
