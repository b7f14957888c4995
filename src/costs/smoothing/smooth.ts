import { type Path, transition, type VelocityLaw } from "./law.js";

/** A track in every frame from its first detection to its last one. */
export interface SmoothPath {
  /** Number of the first frame; entry n is of frame first + n. */
  readonly first: number;
  /** Positions by axis. */
  readonly axes: readonly Float64Array[];
  /** Standard deviation of the position on an axis, given all detections of the track. */
  readonly deviation: Float64Array;
  /** 1 where the frame has a detection. */
  readonly measured: Uint8Array;
}

/** Covariances of place and velocity by frame: filtered, and as predicted from the frame before. */
type Covariances = Readonly<Record<"xx" | "xv" | "vv" | "pxx" | "pxv" | "pvv", Float64Array>>;

/**
 * The mean position of a track in each of its frames given all its detections, by the filter of Kalman (1960) and the smoother of Rauch, Tung and
 * Striebel (1965). It is the conditional mean of the law, so it goes through missed frames too.
 */
export function smoothPath(law: VelocityLaw, { frame, axes }: Path): SmoothPath {
  const count = frame[frame.length - 1] - frame[0] + 1;
  const measured = new Uint8Array(count);
  const at = new Int32Array(count).fill(-1);
  for (let d = 0; d < frame.length; d++) {
    measured[frame[d] - frame[0]] = 1;
    at[frame[d] - frame[0]] = d;
  }
  // In units of V, which the means do not depend on; where nothing moves there is nothing to smooth.
  const noise = law.variance > 0 ? law.noise / law.variance : 0;
  const { carry, keep } = transition(law.memory, 1);
  const covariances = filterCovariances(law.memory, noise, measured);
  const [means, variance] = smoother(covariances, carry, keep);
  const smooth = (values: ArrayLike<number>, drift: number) => {
    const from = values[0];
    const rest = Float64Array.from(at, (d, n) => (d < 0 ? Number.NaN : values[d] - from - n * drift));
    return means(rest, noise).map((value, n) => value + from + n * drift);
  };
  const deviation = variance.map((one) => Math.sqrt(Math.max(0, one) * law.variance));
  return { first: frame[0], axes: axes.map((values, n) => smooth(values, law.drift[n])), deviation, measured };
}

function filterCovariances(memory: number, noise: number, measured: Uint8Array): Covariances {
  const step = transition(memory, 1);
  const { carry, keep } = step;
  const of = () => new Float64Array(measured.length);
  const all = { xx: of(), xv: of(), vv: of(), pxx: of(), pxv: of(), pvv: of() };
  let [xx, xv, vv] = [noise, 0, 1];
  for (let n = 0; n < measured.length; n++) {
    if (n > 0) {
      all.pxx[n] = xx + 2 * carry * xv + carry * carry * vv + step.xx;
      all.pxv[n] = keep * (xv + carry * vv) + step.xv;
      all.pvv[n] = keep * keep * vv + step.vv;
      const left = measured[n] === 1 ? noise / (all.pxx[n] + noise) : 1;
      [xx, xv, vv] = [all.pxx[n] * left, all.pxv[n] * left, all.pvv[n] - ((1 - left) * all.pxv[n] ** 2) / all.pxx[n]];
    }
    [all.xx[n], all.xv[n], all.vv[n]] = [xx, xv, vv];
  }
  return all;
}

/** What gives the smoothed means of one axis, and the smoothed variances of places, which are those of all. */
function smoother({ xx, xv, vv, pxx, pxv, pvv }: Covariances, carry: number, keep: number) {
  const count = xx.length;
  // The gain of frame n: cov(n) Fᵀ predicted(n + 1)⁻¹, row by row.
  const gains = Array.from({ length: count - 1 }, (_, n) => {
    const [a, b, c] = [pxx[n + 1], pxv[n + 1], pvv[n + 1]];
    const row = (x: number, v: number) => {
      const [fx, fv] = [x + carry * v, keep * v];
      return [(fx * c - fv * b) / (a * c - b * b), (fv * a - fx * b) / (a * c - b * b)];
    };
    return [...row(xx[n], xv[n]), ...row(xv[n], vv[n])];
  });
  const variance = xx.slice();
  let [sxx, sxv, svv] = [xx[count - 1], xv[count - 1], vv[count - 1]];
  for (let n = count - 2; n >= 0; n--) {
    const [a, b, c, d] = gains[n];
    const [dxx, dxv, dvv] = [sxx - pxx[n + 1], sxv - pxv[n + 1], svv - pvv[n + 1]];
    sxx = xx[n] + a * a * dxx + 2 * a * b * dxv + b * b * dvv;
    sxv = xv[n] + a * c * dxx + (a * d + b * c) * dxv + b * d * dvv;
    svv = vv[n] + c * c * dxx + 2 * c * d * dxv + d * d * dvv;
    variance[n] = sxx;
  }
  const means = (values: Float64Array, noise: number): Float64Array => {
    const [place, velocity] = [new Float64Array(count), new Float64Array(count)];
    for (let n = 1; n < count; n++) {
      place[n] = place[n - 1] + carry * velocity[n - 1];
      velocity[n] = keep * velocity[n - 1];
      if (Number.isNaN(values[n])) continue;
      const off = values[n] - place[n];
      place[n] += (pxx[n] / (pxx[n] + noise)) * off;
      velocity[n] += (pxv[n] / (pxx[n] + noise)) * off;
    }
    for (let n = count - 2; n >= 0; n--) {
      const [a, b, c, d] = gains[n];
      const offX = place[n + 1] - (place[n] + carry * velocity[n]);
      const offV = velocity[n + 1] - keep * velocity[n];
      place[n] += a * offX + b * offV;
      velocity[n] += c * offX + d * offV;
    }
    return place;
  };
  return [means, variance] as const;
}
