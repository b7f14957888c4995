/** The iterations of one warp on the CPU: two half stencils (Romera et al. 2023, Algorithm 1), in the formats of FLOW_PRECISIONS. */
import { toHalf, toSnorm16 } from "../half.js";
import type { FlowOptions, FlowPrecision } from "./options.js";
import type { Linearization } from "./warp.js";

/** The arrays that the iterations of a warp work on; each has one number per pixel. */
export interface Unknowns {
  readonly width: number;
  readonly height: number;
  /** u⁰ in the format's precision. */
  readonly baseU: Float32Array;
  readonly baseV: Float32Array;
  /** u − u⁰. */
  readonly du: Float32Array;
  readonly dv: Float32Array;
  /** The dual field p: of u along x, of u along y, of v along x, of v along y; |p| ≤ 1. */
  readonly dual: readonly [Float32Array, Float32Array, Float32Array, Float32Array];
}

/** Below it |∇I1|² counts as 0, since there is no slope to follow. f16 cannot tell smaller values apart. */
const LEAST_SLOPE: Readonly<Record<FlowPrecision, number>> = { f32: 1e-10, f16s: 1e-10, f16: 1e-6 };

/** The linearization as the format stores it. */
export function stored(from: Linearization, precision: FlowPrecision): Linearization {
  if (precision === "f32") return from;
  return {
    residual: from.residual.map(toHalf),
    gradientX: from.gradientX.map(toHalf),
    gradientY: from.gradientY.map(toHalf),
  };
}

/**
 * Runs `count` iterations in place.
 * The printed third branch of the thresholding, [R23] (3), has the wrong sign: the step is −ρ ∇I / |∇I|² there as in Zach et al. 2007.
 */
export function iterate(
  unknowns: Unknowns,
  linear: Linearization,
  options: FlowOptions,
  precision: FlowPrecision,
  count: number,
): void {
  if (precision === "f16") {
    for (let k = 0; k < count; k++) {
      halfPrimal(unknowns, linear, options);
      halfDual(unknowns, options);
    }
    return;
  }
  const [ofU, ofP] = precision === "f32" ? [null, null] : [toHalf, toSnorm16];
  const { height, baseU, baseV, du, dv, dual: p } = unknowns;
  for (let k = 0; k < count; k++) {
    // A row of p needs u of that row and the next one, which is then still in a cache.
    for (let y = 0; y <= height; y++) {
      if (y < height) primalRow(unknowns, linear, options, y, ofU);
      if (y === 0) continue;
      dualRow(unknowns, options, y - 1, du, baseU, p[0], p[1], ofP);
      dualRow(unknowns, options, y - 1, dv, baseV, p[2], p[3], ofP);
    }
  }
}

type Rounding = ((x: number) => number) | null;

/** −λθ, the step to ρ = 0, λθ. */
const steps = new Float64Array(3);

/** u ← u + step along ∇I1 + θ div p in row y, from p of the last iteration. */
function primalRow(
  { width, du, dv, dual: [p11, p12, p21, p22] }: Unknowns,
  { residual, gradientX, gradientY }: Linearization,
  { lambda, theta }: FlowOptions,
  y: number,
  round: Rounding,
): void {
  const limit = lambda * theta;
  steps[0] = -limit;
  steps[2] = limit;
  const end = (y + 1) * width;
  let left11 = 0;
  let left21 = 0;
  for (let i = y * width; i < end; i++) {
    const gx = gradientX[i];
    const gy = gradientY[i];
    const square = gx * gx + gy * gy;
    let step = 0;
    if (square >= LEAST_SLOPE.f32) {
      const newton = -(residual[i] + gx * du[i] + gy * dv[i]) / square;
      // Which of the three it is changes from pixel to pixel: half the time of a row would go to mispredicted branches, which Math.min and Math.max have too.
      steps[1] = newton;
      step = steps[1 + Number(newton > limit) - Number(newton < -limit)];
    }
    let div1 = p11[i] - left11 + p12[i];
    let div2 = p21[i] - left21 + p22[i];
    if (y > 0) {
      div1 -= p12[i - width];
      div2 -= p22[i - width];
    }
    left11 = p11[i];
    left21 = p21[i];
    const u = du[i] + step * gx + theta * div1;
    const v = dv[i] + step * gy + theta * div2;
    du[i] = round === null ? u : round(u);
    dv[i] = round === null ? v : round(v);
  }
}

/** p ← (p + (τ/θ) ∇u) / (1 + (τ/θ) |∇u|) in row y for one component of u = base + d, from u of this iteration. */
function dualRow(
  { width, height }: Unknowns,
  { tau, theta }: FlowOptions,
  y: number,
  d: Float32Array,
  base: Float32Array,
  px: Float32Array,
  py: Float32Array,
  round: Rounding,
) {
  const rate = tau / theta;
  const first = y * width;
  const last = first + width - 1;
  // In the last row, where there is no row below, a pixel is compared with itself.
  const down = y < height - 1 ? width : 0;
  let here = d[first];
  let baseHere = base[first];
  for (let i = first; i <= last; i++) {
    const next = i < last ? d[i + 1] : here;
    const baseNext = i < last ? base[i + 1] : baseHere;
    const ax = next - here + (baseNext - baseHere);
    const ay = d[i + down] - here + (base[i + down] - baseHere);
    here = next;
    baseHere = baseNext;
    const scale = 1 / (1 + rate * Math.sqrt(ax * ax + ay * ay));
    const newX = (px[i] + rate * ax) * scale;
    const newY = (py[i] + rate * ay) * scale;
    px[i] = round === null ? newX : round(newX);
    py[i] = round === null ? newY : round(newY);
  }
}

/** The first half stencil with every operation rounded to f16, in the order of the kernels. */
function halfPrimal(
  { width, height, du, dv, dual: [p11, p12, p21, p22] }: Unknowns,
  { residual, gradientX, gradientY }: Linearization,
  { lambda, theta }: FlowOptions,
): void {
  const R = toHalf;
  const limit = R(lambda * theta);
  const coupling = R(theta);
  for (let i = 0, y = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i++) {
      const gx = gradientX[i];
      const gy = gradientY[i];
      const square = R(R(gx * gx) + R(gy * gy));
      const rho = R(residual[i] + R(R(gx * du[i]) + R(gy * dv[i])));
      let step = 0;
      if (square >= LEAST_SLOPE.f16) {
        step = Math.min(Math.max(R(-rho / square), -limit), limit);
      }
      const left = x > 0;
      const above = y > 0;
      const div1 = R(R(p11[i] - (left ? p11[i - 1] : 0)) + R(p12[i] - (above ? p12[i - width] : 0)));
      const div2 = R(R(p21[i] - (left ? p21[i - 1] : 0)) + R(p22[i] - (above ? p22[i - width] : 0)));
      du[i] = R(du[i] + R(R(step * gx) + R(coupling * div1)));
      dv[i] = R(dv[i] + R(R(step * gy) + R(coupling * div2)));
    }
  }
}

/** The second half stencil with every operation rounded to f16. */
function halfDual({ width, height, baseU, baseV, du, dv, dual: p }: Unknowns, { tau, theta }: FlowOptions): void {
  const R = toHalf;
  const rate = R(tau / theta);
  for (const [d, base, px, py] of [
    [du, baseU, p[0], p[1]],
    [dv, baseV, p[2], p[3]],
  ]) {
    for (let i = 0, y = 0; y < height; y++) {
      for (let x = 0; x < width; x++, i++) {
        const ax = x < width - 1 ? R(R(d[i + 1] - d[i]) + R(base[i + 1] - base[i])) : 0;
        const ay = y < height - 1 ? R(R(d[i + width] - d[i]) + R(base[i + width] - base[i])) : 0;
        const size = R(Math.sqrt(R(R(ax * ax) + R(ay * ay))));
        const scale = R(1 / R(1 + R(rate * size)));
        px[i] = R(R(px[i] + R(rate * ax)) * scale);
        py[i] = R(R(py[i] + R(rate * ay)) * scale);
      }
    }
  }
}
