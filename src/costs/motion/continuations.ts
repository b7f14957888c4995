import { rowStarts } from "../../core/rows.js";
import type { Links, TrackCosts } from "./links.js";
import { times } from "./matrix.js";
import type { MotionModel } from "./model.js";
import { bindStudentT, falloff } from "./student.js";

/** Calls `visit` with each link f that may follow link e, in order, and with D_ef. */
export type Continuations = (e: number, visit: (f: number, cost: number) => void) => void;

/** The most that a continuation may cost to be of interest, by its earlier and by its later link: the sum of both [0]. */
export interface Limits {
  readonly byEarlier?: Float64Array;
  readonly byLater?: Float64Array;
}

/** Rounding of a limit never leaves out what is within it. */
const MARGIN = 1 + 1e-9;

/**
 * How links follow one another (docs/explanation/motion.md §1):
 *
 *     D_ef = −ln step(z_f − R z_e) + ln prior(z_f) − the saving of a single at the detection between.
 *
 * Where limits are given, those that cost more may be left out. That spares the logarithm of nearly all.
 */
export function continuationsOf(
  earlier: Links,
  later: Links,
  { step, persistence }: MotionModel,
  { single }: TrackCosts,
  limits: Limits | null = null,
): Continuations {
  const densities = step.map((row) => row.map(bindStudentT));
  // Of one law all slopes are equal; the least of others only leaves out less.
  const least = Math.min(...densities.flat().map(({ slope }) => slope));
  const rowStart = rowStarts(later.tail, single.length);
  const offset = later.prior.map((prior, f) => prior + single[later.tail[f]]);
  const farthest = limits && offset.map((value, f) => Math.exp((value + (limits.byLater?.[f] ?? 0)) / least));
  const { span, zx, zy, zz } = later;
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
      const [ax, bx, bb, cx, cy, cz] = [density.a, density.b, density.c, density.d, density.e, density.f];
      let expectedX = ax * xx * earlier.zx[e] + ax * xy * earlier.zy[e];
      let expectedY = (bx * xx + bb * xy) * earlier.zx[e] + (bx * xy + bb * yy) * earlier.zy[e];
      let expectedZ = 0;
      if (earlier.zz !== undefined) {
        const [x, y, z] = times(persistence[a][b], [earlier.zx[e], earlier.zy[e], earlier.zz[e]]);
        [expectedX, expectedY, expectedZ] = [ax * x, bx * x + bb * y, cx * x + cy * y + cz * z];
      }
      const within = limits && MARGIN * Math.exp(((limits.byEarlier?.[e] ?? 0) - peak) / least);
      for (; f < end && span[f] === b + 1; f++) {
        const u = ax * zx[f] - expectedX;
        const w = bx * zx[f] + bb * zy[f] - expectedY;
        const v = zz === undefined ? 0 : cx * zx[f] + cy * zy[f] + cz * zz[f] - expectedZ;
        const fallen = falloff(density, u * u + w * w + v * v);
        // Where a factor is 0, being below the range of numbers, the product is below 1, or no number and then nothing is left out.
        if (within !== null && farthest !== null && fallen > within * farthest[f]) continue;
        visit(f, peak + slope * Math.log(fallen) - offset[f]);
      }
    }
  };
}

/** The number of pairs of links of which one may follow the other. */
export function countOf({ tail, head }: Links, detections: number): number {
  const rowStart = rowStarts(tail, detections);
  return head.reduce((count, k) => count + rowStart[k + 1] - rowStart[k], 0);
}
