/**
 * Whether a point that KLT tracked still looks as it did: its window is fitted to the other image by an affine deformation, and the rest
 * must be small (Shi & Tomasi 1994 §4). The fit is inverse compositional (Baker & Matthews 2004 §3.2): gradients and equations are those of the first
 * image, once a point. The twin of klt-affine.wgsl.
 */
import { bilinear, type Plane } from "../image.js";
import { KLT_STATUS, type KltTracks } from "./klt-options.js";
import { forgetLight } from "./klt-window.js";
import { solveLinear } from "./solve-linear.js";

export interface FittingOptions {
  /** Odd side of the window in pixels. */
  readonly window: number;
  readonly iterations: number;
  /** The fit ends when a step moves the window's corners by no more than this, in pixels. */
  readonly step: number;
  /** Whether the windows may differ by a gain and an offset. */
  readonly light: boolean;
}

export const AFFINE_DEFAULTS: FittingOptions = {
  window: 21,
  iterations: 20,
  step: 0.03,
  light: false,
};

/** A of the window about the point, by rows, and the point's place: x goes to a (x − x₀) + place. */
export interface AffineFit {
  readonly a: readonly [number, number, number, number];
  readonly x: number;
  readonly y: number;
  /** Root mean square difference of the windows, grey levels. */
  readonly residual: number;
}

/** A point in the first image, the place in the second where its fit begins, and with which deformation. */
export interface AffineStart {
  readonly from: readonly [number, number];
  readonly to: readonly [number, number];
  readonly a: AffineFit["a"];
}

export const UNDEFORMED: AffineFit["a"] = [1, 0, 0, 1];

/** The tracks with status "dissimilar" where the fit of their windows leaves more than `residual` grey levels, or fails. */
export async function checkAffine(
  points: { readonly x: Float32Array; readonly y: Float32Array },
  tracks: KltTracks,
  residual: number,
  fitAll: (starts: readonly AffineStart[]) => (AffineFit | null)[] | Promise<(AffineFit | null)[]>,
): Promise<KltTracks> {
  const tracked = [...tracks.status.keys()].filter((k) => tracks.status[k] === KLT_STATUS.tracked);
  const starts = tracked.map((k): AffineStart => {
    return { from: [points.x[k], points.y[k]], to: [tracks.x[k], tracks.y[k]], a: UNDEFORMED };
  });
  const status = tracks.status.slice();
  for (const [n, found] of (await fitAll(starts)).entries()) {
    if (found === null || !(found.residual <= residual)) status[tracked[n]] = KLT_STATUS.dissimilar;
  }
  return { ...tracks, status };
}

/** The affine deformation that takes a point's window to the second image; null where the window has none. */
export function fitAffine(
  first: Plane,
  second: Plane,
  { from, to, a: begin }: AffineStart,
  { window, iterations, step, light }: FittingOptions,
): AffineFit | null {
  const half = (window - 1) / 2;
  const n = window * window;
  const value = new Float64Array(n);
  const slopes = Array.from({ length: 6 }, () => new Float64Array(n));
  const normal = new Float64Array(36);
  for (let k = 0; k < n; k++) {
    const [u, v] = [(k % window) - half, Math.floor(k / window) - half];
    const [x, y] = [from[0] + u, from[1] + v];
    value[k] = bilinear(first, x, y);
    const gx = (bilinear(first, x + 1, y) - bilinear(first, x - 1, y)) / 2;
    const gy = (bilinear(first, x, y + 1) - bilinear(first, x, y - 1)) / 2;
    // Offsets over half the window, so that all six unknowns are of pixels.
    const row = [(gx * u) / half, (gx * v) / half, (gy * u) / half, (gy * v) / half, gx, gy];
    for (let i = 0; i < 6; i++) slopes[i][k] = row[i];
  }
  if (light) for (const slope of slopes) forgetLight(slope, value);
  for (let k = 0; k < n; k++) {
    for (let i = 0; i < 6; i++) for (let j = 0; j < 6; j++) normal[6 * i + j] += slopes[i][k] * slopes[j][k];
  }
  let [a, b, c, d, x, y] = [...begin, ...to];
  const difference = new Float64Array(n);
  const measure = () => {
    for (let k = 0; k < n; k++) {
      const [u, v] = [(k % window) - half, Math.floor(k / window) - half];
      difference[k] = bilinear(second, x + a * u + b * v, y + c * u + d * v) - value[k];
    }
    if (light) forgetLight(difference, value);
    return Math.sqrt(difference.reduce((sum, value) => sum + value * value, 0) / n);
  };
  let residual = measure();
  for (let turn = 0; turn < iterations; turn++) {
    const right = Float64Array.from(slopes, (slope) => slope.reduce((sum, one, k) => sum + one * difference[k], 0));
    const move = solveLinear(normal, right);
    if (move === null) return null;
    // W ← W ∘ (1 + M, t)⁻¹: the point that the step takes to 0 is −(1 + M)⁻¹ t.
    const [p, q, r, s] = [1 + move[0] / half, move[1] / half, move[2] / half, 1 + move[3] / half];
    const determinant = p * s - q * r;
    if (!(Math.abs(determinant) > 1e-6)) return null;
    const [ip, iq, ir, is] = [s / determinant, -q / determinant, -r / determinant, p / determinant];
    const [tx, ty] = [-(ip * move[4] + iq * move[5]), -(ir * move[4] + is * move[5])];
    const before = [a, b, c, d, x, y];
    [x, y] = [x + a * tx + b * ty, y + c * tx + d * ty];
    [a, b, c, d] = [a * ip + b * ir, a * iq + b * is, c * ip + d * ir, c * iq + d * is];
    const next = measure();
    if (!(next < residual)) {
      // No closer: the fit before stays.
      [a, b, c, d, x, y] = before;
      break;
    }
    residual = next;
    if (Math.hypot(...move) < step) break;
  }
  return { a: [a, b, c, d], x, y, residual };
}
