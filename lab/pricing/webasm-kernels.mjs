/**
 * Pair costs and numbers per link as gpu.js kernels. gpu.js translates their source text: no names from outside but Math and
 * `this`, and nothing shared between them. Each is the twin of a line in a cost's BoundCost.link, and factors[1] the
 * unit of length.
 *
 * `at[i]` is detection i in cells of 2^20 units and offsets in units, both exact in f32: [cell x, cell y, offset x, offset y,
 * velocity x · δt, velocity y · δt] (inUnits of src/costs/gpu-pricing.ts). A displacement is (difference of cells) · factors[0] + (difference of
 * offsets): however far off or wide the scene is, it is good to f32 digits of itself. The cells are scaled by an argument, not by
 * a constant, so that no compiler may add a cell to its offset first.
 */
/** | |p_i p_j| − V_i δt | · factors[1]. */
function speedMismatch(at, tail, head, factors) {
  const i = tail[this.thread.x];
  const j = head[this.thread.x];
  const dx = (at[j][0] - at[i][0]) * factors[0] + (at[j][2] - at[i][2]);
  const dy = (at[j][1] - at[i][1]) * factors[0] + (at[j][3] - at[i][3]);
  const step = Math.sqrt(at[i][4] * at[i][4] + at[i][5] * at[i][5]);
  return Math.abs(Math.sqrt(dx * dx + dy * dy) - step) * factors[1];
}

/** |p_i p_j| · factors[1]. */
function chord(at, tail, head, factors) {
  const i = tail[this.thread.x];
  const j = head[this.thread.x];
  const dx = (at[j][0] - at[i][0]) * factors[0] + (at[j][2] - at[i][2]);
  const dy = (at[j][1] - at[i][1]) * factors[0] + (at[j][3] - at[i][3]);
  return Math.sqrt(dx * dx + dy * dy) * factors[1];
}

/** hermiteLength of the link · factors[1]. */
function arc(at, tail, head, factors) {
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

/** By cost: C of a link, and the number that it keeps. */
export const WEBASM_KERNELS = {
  spline: { pair: speedMismatch, perLink: arc },
  euclidean: { pair: speedMismatch, perLink: chord },
};
