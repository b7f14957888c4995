/**
 * Constant-velocity Kalman filters of many tracks (Maier et al. 2019, §4; Y. Bar-Shalom et al., Estimation with Applications to Tracking and
 * Navigation, 2001, §6.3). Both axes have the same 2 × 2 covariance, since their noise is the same; the update of the four states is written out.
 * Time is counted in frames.
 */

import { longer } from "../core/growing-array.js";

/** Standard deviations, in the detections' length unit. */
export interface MotionNoise {
  /** Of an acceleration that is constant within a frame: Q = q² [¼ ½; ½ 1]. */
  readonly q: number;
  /** Of a measured position, per axis: R = r². */
  readonly r: number;
}

/** The filters, one per index; the arrays are longer than the number in use. */
export class Filters {
  x: Float64Array = new Float64Array(0);
  y: Float64Array = new Float64Array(0);
  vx: Float64Array = new Float64Array(0);
  vy: Float64Array = new Float64Array(0);
  /** Covariance of position and velocity along either axis: of position, of both, of velocity. */
  positionVariance: Float64Array = new Float64Array(0);
  covariance: Float64Array = new Float64Array(0);
  velocityVariance: Float64Array = new Float64Array(0);

  /** Begins filter i at a first measurement, with a velocity known to within `sigma`. */
  begin(i: number, x: number, y: number, velocity: readonly [number, number], sigma: number, r: number): void {
    this.x[i] = x;
    this.y[i] = y;
    this.vx[i] = velocity[0];
    this.vy[i] = velocity[1];
    this.positionVariance[i] = r * r;
    this.covariance[i] = 0;
    this.velocityVariance[i] = sigma * sigma;
  }

  /** Predicts the first `count` filters one frame ahead. */
  predict(count: number, q: number): void {
    const { x, y, vx, vy, positionVariance: a, covariance: b, velocityVariance: c } = this;
    const q2 = q * q;
    for (let i = 0; i < count; i++) {
      x[i] += vx[i];
      y[i] += vy[i];
      a[i] += 2 * b[i] + c[i] + q2 / 4;
      b[i] += c[i] + q2 / 2;
      c[i] += q2;
    }
  }

  /** Updates filter i with its measurement. */
  update(i: number, measuredX: number, measuredY: number, r: number): void {
    const { x, y, vx, vy, positionVariance: a, covariance: b, velocityVariance: c } = this;
    const innovation = a[i] + r * r;
    const gain = a[i] / innovation;
    const velocityGain = b[i] / innovation;
    const ex = measuredX - x[i];
    const ey = measuredY - y[i];
    x[i] += gain * ex;
    y[i] += gain * ey;
    vx[i] += velocityGain * ex;
    vy[i] += velocityGain * ey;
    c[i] -= velocityGain * b[i];
    a[i] *= 1 - gain;
    b[i] *= 1 - gain;
  }

  /** Updates filter i with a measured velocity, with standard deviation `sigma` per axis. */
  updateVelocity(i: number, measuredVx: number, measuredVy: number, sigma: number): void {
    const { x, y, vx, vy, positionVariance: a, covariance: b, velocityVariance: c } = this;
    const innovation = c[i] + sigma * sigma;
    const positionGain = b[i] / innovation;
    const gain = c[i] / innovation;
    const ex = measuredVx - vx[i];
    const ey = measuredVy - vy[i];
    x[i] += positionGain * ex;
    y[i] += positionGain * ey;
    vx[i] += gain * ex;
    vy[i] += gain * ey;
    a[i] -= positionGain * b[i];
    b[i] *= 1 - gain;
    c[i] *= 1 - gain;
  }

  /** Copies filter `from` to index `to`. */
  move(from: number, to: number): void {
    for (const array of this.arrays()) array[to] = array[from];
  }

  arrays(): Float64Array[] {
    return [this.x, this.y, this.vx, this.vy, this.positionVariance, this.covariance, this.velocityVariance];
  }

  grow(capacity: number): void {
    [this.x, this.y, this.vx, this.vy, this.positionVariance, this.covariance, this.velocityVariance] =
      this.arrays().map((array) => longer(array, capacity));
  }
}
