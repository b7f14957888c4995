import { invariant } from "../../core/errors.js";
import { longestRow, rowStarts } from "../../core/rows.js";
import { type BoundStudentT, bindStudentT, falloff, times } from "../density/student.js";
import type { Links, TrackCosts } from "./links.js";
import type { MotionModel } from "./model.js";

/**
 * How links follow one another (docs/explanation/motion.md §1):
 *
 *     D_ef = −ln step(z_f − R z_e) + ln prior(z_f) − the saving of a single at the detection between
 *          = peak + slope · ln falloff − offset_f .
 */
export interface Pairs {
  /** The links f that may follow e are those from rowStart[head of e] to before rowStart[head of e + 1]. */
  readonly rowStart: Uint32Array;
  /** Leaves the falloff of links first … end − 1, of those that may follow e, in `fallen`, in order. */
  measure(e: number, first: number, end: number): void;
  readonly fallen: Float64Array;
  /** By the spans of e and of f, less 1. */
  readonly steps: readonly (readonly BoundStudentT[])[];
  /** Of all steps, which are one density as wide as one law says. */
  readonly slope: number;
  readonly offset: Float64Array;
}

export function pairsOf(
  earlier: Links,
  later: Links,
  { step, persistence }: Pick<MotionModel, "step" | "persistence">,
  { single }: Pick<TrackCosts, "single">,
): Pairs {
  const steps = step.map((row) => row.map(bindStudentT));
  const { slope } = steps[0][0];
  invariant(
    steps.every((row) => row.every((one) => one.slope === slope)),
    () => "steps of several tails",
  );
  const rowStart = rowStarts(later.tail, single.length);
  const offset = later.prior.map((prior, f) => prior + single[later.tail[f]]);
  const fallen = new Float64Array(longestRow(rowStart));
  const { span, zx, zy, zz } = later;
  const measure = (e: number, first: number, end: number): void => {
    const a = earlier.span[e] - 1;
    let f = first;
    // Links out of a detection come in order of their spans.
    while (f < end) {
      const b = span[f] - 1;
      const density = steps[a][b];
      const { xx, xy, yy } = persistence[a][b];
      // Whitened: what is expected, here, and each later link.
      const { a: ax, b: bx, c: bb, d: cx, e: cy, f: cz } = density;
      let expectedX = ax * xx * earlier.zx[e] + ax * xy * earlier.zy[e];
      let expectedY = (bx * xx + bb * xy) * earlier.zx[e] + (bx * xy + bb * yy) * earlier.zy[e];
      let expectedZ = 0;
      if (earlier.zz !== undefined) {
        const [x, y, z] = times(persistence[a][b], [earlier.zx[e], earlier.zy[e], earlier.zz[e]]);
        [expectedX, expectedY, expectedZ] = [ax * x, bx * x + bb * y, cx * x + cy * y + cz * z];
      }
      for (; f < end && span[f] === b + 1; f++) {
        const u = ax * zx[f] - expectedX;
        const w = bx * zx[f] + bb * zy[f] - expectedY;
        const v = zz === undefined ? 0 : cx * zx[f] + cy * zy[f] + cz * zz[f] - expectedZ;
        fallen[f - first] = falloff(density, u * u + w * w + v * v);
      }
    }
  };
  return { rowStart, measure, fallen, steps, slope, offset };
}

/** The number of pairs of links of which one may follow the other. */
export function countOf({ tail, head }: Links, detections: number): number {
  const rowStart = rowStarts(tail, detections);
  return head.reduce((count, k) => count + rowStart[k + 1] - rowStart[k], 0);
}
