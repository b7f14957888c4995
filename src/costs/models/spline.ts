import { type CostModel, RESOLUTION } from "../cost.js";
import { hermiteLength } from "./arc-length.js";

/**
 * [K23]'s cost. With V_i the measured speed of i and ℓ_ij the arc length of the clamped cubic from i to j whose end
 * derivatives are the two measured velocities,
 *
 *     C_ij  = | |p_i p_j| − V_i δt |
 *     D_ijk = | ℓ_ij − ℓ_jk |
 */
export const spline: CostModel = {
  width: 1,
  rule: "absolute",
  plausible: (_, step) => ({ link: RESOLUTION * step, triplet: RESOLUTION * step }),
  inSpace: "same",
  bind: ({ x, y, z, vx, vy, vz, timeStep }) => ({
    link: (i, j, perLink, at) => {
      const dx = x[j] - x[i];
      const dy = y[j] - y[i];
      const dz = z === undefined ? 0 : z[j] - z[i];
      const wi = vz === undefined ? 0 : vz[i];
      const wj = vz === undefined ? 0 : vz[j];
      const dt = timeStep;
      perLink[at] = hermiteLength(dx, dy, vx[i] * dt, vy[i] * dt, vx[j] * dt, vy[j] * dt, dz, wi * dt, wj * dt);
      const speed = Math.sqrt(vx[i] * vx[i] + vy[i] * vy[i] + wi * wi);
      return Math.abs(Math.sqrt(dx * dx + dy * dy + dz * dz) - speed * timeStep);
    },
  }),
  wgsl: {
    pair: "abs(hypot(link.dx, link.dy) - hypot(link.vx_i, link.vy_i) * link.dt)",
    numbers: [
      "arc(link.dx, link.dy, link.vx_i * link.dt, link.vy_i * link.dt, link.vx_j * link.dt, link.vy_j * link.dt)",
    ],
  },
};
