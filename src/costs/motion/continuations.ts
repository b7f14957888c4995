import { rowStarts } from "../../core/rows.js";
import type { Links, TrackCosts } from "./links.js";
import type { MotionModel } from "./model.js";
import { bindStudentT, falloff } from "./student.js";

/** Calls `visit` with each link f that may follow link e, in order, and with D_ef. */
export type Continuations = (e: number, visit: (f: number, cost: number) => void) => void;

/**
 * How links follow one another (docs/explanation/motion.md §1):
 *
 *     D_ef = −ln step(z_f − R z_e) + ln prior(z_f) − the saving of a single at the detection between.
 */
export function continuationsOf(
  earlier: Links,
  later: Links,
  { step, persistence }: MotionModel,
  { single }: TrackCosts,
): Continuations {
  const densities = step.map((row) => row.map(bindStudentT));
  const rowStart = rowStarts(later.tail, single.length);
  const offset = later.prior.map((prior, f) => prior + single[later.tail[f]]);
  const { span, zx, zy } = later;
  return (e, visit) => {
    const [a, end] = [earlier.span[e] - 1, rowStart[earlier.head[e] + 1]];
    let f = rowStart[earlier.head[e]];
    // Links out of a detection come in order of their spans.
    while (f < end) {
      const b = span[f] - 1;
      const density = densities[a][b];
      const { peak, slope } = density;
      const { xx, xy, yy } = persistence[a][b];
      // Whitened: what is expected, here, and each later link.
      const [ax, bx, bb] = [density.a, density.b, density.c];
      const expectedX = ax * xx * earlier.zx[e] + ax * xy * earlier.zy[e];
      const expectedY = (bx * xx + bb * xy) * earlier.zx[e] + (bx * xy + bb * yy) * earlier.zy[e];
      for (; f < end && span[f] === b + 1; f++) {
        const u = ax * zx[f] - expectedX;
        const w = bx * zx[f] + bb * zy[f] - expectedY;
        visit(f, peak + slope * Math.log(falloff(density, u * u + w * w)) - offset[f]);
      }
    }
  };
}

/** The number of pairs of links of which one may follow the other. */
export function countOf({ tail, head }: Links, detections: number): number {
  const rowStart = rowStarts(tail, detections);
  return head.reduce((count, k) => count + rowStart[k + 1] - rowStart[k], 0);
}
