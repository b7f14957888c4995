/**
 * Pair costs and numbers per link as gpu.js kernels. gpu.js translates their source text: no names from outside but Math and
 * `this`, and nothing shared between them. Each is the twin of a line in a cost's BoundCost.link.
 *
 * `at[i]` is detection i in cells of 2^20 units and offsets in units, both exact in f32: [cell x, cell y, offset x, offset y,
 * velocity x · δt, velocity y · δt] (gpu-pricing.ts). A displacement is (difference of cells) · factors[0] + (difference of
 * offsets): however far off or wide the scene is, it is good to f32 digits of itself. The cells are scaled by an argument, not by
 * a constant, so that no compiler may add a cell to its offset first.
 */
import type { IKernelFunctionThis } from "gpu.js";

/** rule: weight, chord, start and end factor of each node of the arc length's rule. */
export type LinkThread = IKernelFunctionThis<{ readonly rule: number[][] }>;

/** | |p_i p_j| − V_i δt | · factors[1]. */
export function speedMismatch(this: LinkThread, at: number[][], tail: number[], head: number[], factors: number[]) {
  const i = tail[this.thread.x];
  const j = head[this.thread.x];
  const dx = (at[j][0] - at[i][0]) * factors[0] + (at[j][2] - at[i][2]);
  const dy = (at[j][1] - at[i][1]) * factors[0] + (at[j][3] - at[i][3]);
  const step = Math.sqrt(at[i][4] * at[i][4] + at[i][5] * at[i][5]);
  return Math.abs(Math.sqrt(dx * dx + dy * dy) - step) * factors[1];
}

/** |p_i p_j| · factors[1]. */
export function chord(this: LinkThread, at: number[][], tail: number[], head: number[], factors: number[]) {
  const i = tail[this.thread.x];
  const j = head[this.thread.x];
  const dx = (at[j][0] - at[i][0]) * factors[0] + (at[j][2] - at[i][2]);
  const dy = (at[j][1] - at[i][1]) * factors[0] + (at[j][3] - at[i][3]);
  return Math.sqrt(dx * dx + dy * dy) * factors[1];
}

/** hermiteLength of the link · factors[1]. */
export function arc(this: LinkThread, at: number[][], tail: number[], head: number[], factors: number[]) {
  const i = tail[this.thread.x];
  const j = head[this.thread.x];
  const dx = (at[j][0] - at[i][0]) * factors[0] + (at[j][2] - at[i][2]);
  const dy = (at[j][1] - at[i][1]) * factors[0] + (at[j][3] - at[i][3]);
  let length = 0;
  for (let q = 0; q < 24; q++) {
    const chordFactor = this.constants.rule[q][1];
    const startFactor = this.constants.rule[q][2];
    const endFactor = this.constants.rule[q][3];
    const sx = chordFactor * dx + startFactor * at[i][4] + endFactor * at[j][4];
    const sy = chordFactor * dy + startFactor * at[i][5] + endFactor * at[j][5];
    length += this.constants.rule[q][0] * Math.sqrt(sx * sx + sy * sy);
  }
  return length * factors[1];
}

/** |r_ij · factors[1]|², r the residual of the trapezoid step. */
export function residualSquare(this: LinkThread, at: number[][], tail: number[], head: number[], factors: number[]) {
  const i = tail[this.thread.x];
  const j = head[this.thread.x];
  const dx = (at[j][0] - at[i][0]) * factors[0] + (at[j][2] - at[i][2]);
  const dy = (at[j][1] - at[i][1]) * factors[0] + (at[j][3] - at[i][3]);
  const rx = (dx - 0.5 * (at[i][4] + at[j][4])) * factors[1];
  const ry = (dy - 0.5 * (at[i][5] + at[j][5])) * factors[1];
  return rx * rx + ry * ry;
}

/** (p_j − p_i) · factors[2]. */
export function displacement(
  this: LinkThread,
  at: number[][],
  tail: number[],
  head: number[],
  factors: number[],
): [number, number] {
  const i = tail[this.thread.x];
  const j = head[this.thread.x];
  const dx = (at[j][0] - at[i][0]) * factors[0] + (at[j][2] - at[i][2]);
  const dy = (at[j][1] - at[i][1]) * factors[0] + (at[j][3] - at[i][3]);
  return [dx * factors[2], dy * factors[2]];
}
