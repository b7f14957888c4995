import { InputError } from "../core/errors.js";
import { type FlowField, LARGEST_KNOWN_FLOW } from "../core/flow-field.js";

export interface FlowScores {
  /** Mean distance of the end points, px (AEPE). */
  readonly epe: number;
  /** Mean angle between (u, v, 1) and the true one, degrees (AAE). */
  readonly aae: number;
  /** Share of pixels whose true flow is known and that lie inside the border. */
  readonly valid: number;
  /** Share of the valid pixels whose end point is off by more than 1 px (R1.0). */
  readonly r1: number;
  /** Quantiles of the end point errors of valid pixels, in px. */
  readonly quantiles: { readonly p50: number; readonly p90: number; readonly p99: number; readonly p999: number };
}

const known = (value: number) => Math.abs(value) <= LARGEST_KNOWN_FLOW;

/**
 * Errors of a flow against the truth, over pixels where the truth is known and `border` px away from the edges.
 * Baker et al., A database and evaluation methodology for optical flow, IJCV 92 (2011), §4.
 * @throws InputError where sizes differ or no pixel is left
 */
export function scoreFlow(flow: FlowField, truth: FlowField, border = 0): FlowScores {
  const { width, height } = truth;
  if (flow.width !== width || flow.height !== height) {
    throw new InputError(
      `flow of ${flow.width} × ${flow.height} pixels against a truth of ${width} × ${height}; give fields of one size`,
    );
  }
  const errors = new Float64Array(width * height);
  let count = 0;
  let distance = 0;
  let angle = 0;
  for (let y = border; y < height - border; y++) {
    for (let x = border; x < width - border; x++) {
      const i = y * width + x;
      const [u, v, trueU, trueV] = [flow.u[i], flow.v[i], truth.u[i], truth.v[i]];
      if (!known(trueU) || !known(trueV)) continue;
      if (!known(u) || !known(v)) {
        throw new InputError(`flow at x ${x}, y ${y} is not known, but the truth is; score a flow of all pixels`);
      }
      const error = Math.hypot(u - trueU, v - trueV);
      errors[count++] = error;
      distance += error;
      const cosine = (u * trueU + v * trueV + 1) / Math.sqrt((u * u + v * v + 1) * (trueU * trueU + trueV * trueV + 1));
      angle += Math.acos(Math.min(1, Math.max(-1, cosine)));
    }
  }
  if (count === 0) throw new InputError("no pixel has a known true flow inside the border; give a narrower --border");
  const sorted = errors.subarray(0, count).sort();
  const quantile = (share: number) => sorted[Math.ceil(share * count) - 1];
  const above = sorted.reduce((sum, error) => sum + (error > 1 ? 1 : 0), 0);
  return {
    epe: distance / count,
    aae: ((angle / count) * 180) / Math.PI,
    valid: count / (width * height),
    r1: above / count,
    quantiles: { p50: quantile(0.5), p90: quantile(0.9), p99: quantile(0.99), p999: quantile(0.999) },
  };
}
