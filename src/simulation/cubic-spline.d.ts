/** The package ships no types. */
declare module "cubic-spline" {
  /** The natural cubic spline through (xs, ys). */
  export default class Spline {
    constructor(xs: number[], ys: number[]);
    /** Slope at each knot. */
    readonly ks: Float64Array;
  }
}
