import { type CostModel, RESOLUTION } from "../cost.js";

/**
 * The spline cost with the chord in place of the arc. With V_i the measured speed of i,
 *
 *     C_ij  = | |p_i p_j| − V_i δt |
 *     D_ijk = | |p_i p_j| − |p_j p_k| |
 */
export const euclidean: CostModel = {
  width: 1,
  rule: "absolute",
  plausible: (_, step) => ({ link: RESOLUTION * step, triplet: RESOLUTION * step }),
  inSpace: "same",
  bind: ({ x, y, z, vx, vy, vz, timeStep }) => ({
    link: (i, j, perLink, at) => {
      const dx = x[j] - x[i];
      const dy = y[j] - y[i];
      const dz = z === undefined ? 0 : z[j] - z[i];
      const chord = Math.sqrt(dx * dx + dy * dy + dz * dz);
      perLink[at] = chord;
      const w = vz?.[i] ?? 0;
      return Math.abs(chord - Math.sqrt(vx[i] * vx[i] + vy[i] * vy[i] + w * w) * timeStep);
    },
  }),
  wgsl: {
    pair: "abs(hypot(link.dx, link.dy) - hypot(link.vx_i, link.vy_i) * link.dt)",
    numbers: ["hypot(link.dx, link.dy)"],
  },
};
