/** min c·z, lower ≤ A z ≤ upper, of z that are 0 or 1. */
export interface IntegerProgram {
  readonly cost: Float64Array;
  /** Row n has `index[rowStart[n]] …`. */
  readonly rowStart: Int32Array;
  readonly index: Int32Array;
  readonly value: Float64Array;
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

/** Σ value · z ≤ upper. */
export interface Cut {
  readonly upper: number;
  readonly index: readonly number[];
  readonly value: readonly number[];
}

/**
 * The solver of integer programs is an argument, since it is optional: it returns a solution that is better than a known one, null where there is none or it fails. `cuts` finds rows that all
 * solutions satisfy and a point of the relaxation does not. Once it is `late`, the search ends with what it has.
 */
export type SolveInteger = (
  program: IntegerProgram,
  known: Float64Array,
  cuts: (point: Float64Array) => readonly Cut[],
  late: () => boolean,
) => Float64Array | null;
