import { invariant } from "../../core/errors.js";
import { longestRow, rowStarts } from "../../core/rows.js";
import type { Links, TrackCosts } from "./links.js";
import { times } from "./matrix.js";
import type { MotionModel } from "./model.js";
import { type BoundStudentT, bindStudentT, falloff, hasFallen } from "./student.js";

/** The links that may follow others, and D_ef of each. */
export interface Continuations {
  /** Puts the links f that may follow link e, in order, into `next`, and D_ef into `cost`; returns their number. */
  after(e: number): number;
  readonly next: Uint32Array;
  readonly cost: Float64Array;
}

/** Rounding of a limit never leaves out what is within it. */
export const MARGIN = 1 + 1e-9;

/**
 * How links follow one another (docs/explanation/motion.md §1):
 *
 *     D_ef = −ln step(z_f − R z_e) + ln prior(z_f) − the saving of a single at the detection between = peak + slope · ln falloff − offset_f.
 *
 * The falloff is compared with a limit before anyone needs its logarithm.
 */
export interface Pairs {
  /** The same for all spans, by one law. */
  readonly slope: number;
  /** What the later link saves, −ln prior and the single. */
  readonly offset: Float64Array;
  /** Squared whitened deviations of the links of the run that is visited, from its first one on. */
  readonly squares: Float64Array;
  /** Visits the links that may follow link e, in runs f … end − 1 of the same density. */
  eachRun(e: number, visit: (density: BoundStudentT, f: number, end: number) => void): void;
}

export function pairsOf(
  earlier: Links,
  later: Links,
  { step, persistence }: MotionModel,
  { single }: TrackCosts,
): Pairs {
  const densities = step.map((row) => row.map(bindStudentT));
  const { slope } = densities[0][0];
  invariant(
    densities.flat().every((density) => density.slope === slope),
    () => "steps of several tails",
  );
  const rowStart = rowStarts(later.tail, single.length);
  const offset = later.prior.map((prior, f) => prior + single[later.tail[f]]);
  const squares = new Float64Array(longestRow(rowStart));
  const { span, zx, zy, zz } = later;
  const eachRun = (e: number, visit: (density: BoundStudentT, f: number, end: number) => void): void => {
    const [a, end] = [earlier.span[e] - 1, rowStart[earlier.head[e] + 1]];
    let f = rowStart[earlier.head[e]];
    // Links out of a detection come in order of their spans.
    while (f < end) {
      const b = span[f] - 1;
      const density = densities[a][b];
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
      const begin = f;
      for (; f < end && span[f] === b + 1; f++) {
        const u = ax * zx[f] - expectedX;
        const w = bx * zx[f] + bb * zy[f] - expectedY;
        const v = zz === undefined ? 0 : cx * zx[f] + cy * zy[f] + cz * zz[f] - expectedZ;
        squares[f - begin] = u * u + w * w + v * v;
      }
      visit(density, begin, f);
    }
  };
  return { slope, offset, squares, eachRun };
}

/** The continuations that cost at most what their earlier and their later link allow. */
export function continuationsOf(
  links: Links,
  model: MotionModel,
  costs: TrackCosts,
  mostOfEarlier: Float64Array,
  mostOfLater: Float64Array,
): Continuations {
  const { slope, offset, squares, eachRun } = pairsOf(links, links, model, costs);
  const factor = offset.map((value) => Math.exp(value / slope));
  const farthest = offset.map((value, f) => Math.exp((value + mostOfLater[f]) / slope));
  const [next, cost] = [new Uint32Array(squares.length), new Float64Array(squares.length)];
  const after = (e: number): number => {
    const most = mostOfEarlier[e];
    const reach = Math.exp(most / slope);
    let count = 0;
    eachRun(e, (density, begin, end) => {
      const { peak } = density;
      const within = MARGIN * Math.exp(-peak / slope);
      for (let f = begin; f < end; f++) {
        const square = squares[f - begin];
        if (hasFallen(density, square, within * Math.min(farthest[f], factor[f] * reach))) continue;
        const value = peak + slope * Math.log(falloff(density, square)) - offset[f];
        if (!(value <= most && value <= mostOfLater[f])) continue;
        next[count] = f;
        cost[count++] = value;
      }
    });
    return count;
  };
  return { after, next, cost };
}

/** The number of pairs of links of which one may follow the other. */
export function countOf({ tail, head }: Links, detections: number): number {
  const rowStart = rowStarts(tail, detections);
  return head.reduce((count, k) => count + rowStart[k + 1] - rowStart[k], 0);
}
