/** The motion of bodies under forces and torques: Newton and Euler's equations with semi-implicit Euler steps. */
import type { Bodies } from "./bodies.js";

/** The turn of one body as a matrix. */
const AXES = new Float64Array(9);

/** Moves bodies and their spheres by the forces and torques on them. */
export function move(all: Bodies, timeStep: number): void {
  const { bodies, position, velocity, spin, force, torque, inertia, centre } = all;
  for (let b = 0; b < bodies; b++) {
    const perMass = timeStep / all.mass[b];
    for (let axis = 3 * b; axis < 3 * b + 3; axis++) {
      velocity[axis] += force[axis] * perMass;
      position[axis] += velocity[axis] * timeStep;
    }
    const first = all.firstSphere[b];
    if (all.firstSphere[b + 1] === first + 1) {
      const perInertia = timeStep / inertia[3 * b];
      for (let axis = 3 * b; axis < 3 * b + 3; axis++) spin[axis] += torque[axis] * perInertia;
      centre[3 * first] = position[3 * b];
      centre[3 * first + 1] = position[3 * b + 1];
      centre[3 * first + 2] = position[3 * b + 2];
    } else turnBody(all, b, timeStep);
  }
}

/** Euler's equations in the body's own axes, (7) of the paper; then its spheres are where the turn puts them. */
function turnBody(all: Bodies, b: number, timeStep: number): void {
  const { spin, position, turn, centre, inBody } = all;
  const m = matrixOf(turn[4 * b], turn[4 * b + 1], turn[4 * b + 2], turn[4 * b + 3], AXES);
  const at = 3 * b;
  const ix = all.inertia[at];
  const iy = all.inertia[at + 1];
  const iz = all.inertia[at + 2];
  const wx = alongAxis(m, 0, spin, at);
  const wy = alongAxis(m, 1, spin, at);
  const wz = alongAxis(m, 2, spin, at);
  const vx = wx + ((alongAxis(m, 0, all.torque, at) - wy * wz * (iz - iy)) / ix) * timeStep;
  const vy = wy + ((alongAxis(m, 1, all.torque, at) - wz * wx * (ix - iz)) / iy) * timeStep;
  const vz = wz + ((alongAxis(m, 2, all.torque, at) - wx * wy * (iy - ix)) / iz) * timeStep;
  for (let k = 0; k < 3; k++) spin[at + k] = m[3 * k] * vx + m[3 * k + 1] * vy + m[3 * k + 2] * vz;
  const half = timeStep / 2;
  const ox = spin[at] * half;
  const oy = spin[at + 1] * half;
  const oz = spin[at + 2] * half;
  const qw = turn[4 * b];
  const qx = turn[4 * b + 1];
  const qy = turn[4 * b + 2];
  const qz = turn[4 * b + 3];
  const w = qw - ox * qx - oy * qy - oz * qz;
  const x = qx + ox * qw + oy * qz - oz * qy;
  const y = qy + oy * qw + oz * qx - ox * qz;
  const z = qz + oz * qw + ox * qy - oy * qx;
  const scale = 1 / Math.sqrt(w * w + x * x + y * y + z * z);
  turn[4 * b] = w * scale;
  turn[4 * b + 1] = x * scale;
  turn[4 * b + 2] = y * scale;
  turn[4 * b + 3] = z * scale;
  const n = matrixOf(w * scale, x * scale, y * scale, z * scale, AXES);
  for (let s = 3 * all.firstSphere[b]; s < 3 * all.firstSphere[b + 1]; s += 3) {
    for (let k = 0; k < 3; k++) {
      centre[s + k] =
        position[at + k] + n[3 * k] * inBody[s] + n[3 * k + 1] * inBody[s + 1] + n[3 * k + 2] * inBody[s + 2];
    }
  }
}

/** The turn of a unit quaternion as a matrix, row by row, into `m`. */
function matrixOf(w: number, x: number, y: number, z: number, m: Float64Array): Float64Array {
  m[0] = 1 - 2 * (y * y + z * z);
  m[1] = 2 * (x * y - w * z);
  m[2] = 2 * (x * z + w * y);
  m[3] = 2 * (x * y + w * z);
  m[4] = 1 - 2 * (x * x + z * z);
  m[5] = 2 * (y * z - w * x);
  m[6] = 2 * (x * z - w * y);
  m[7] = 2 * (y * z + w * x);
  m[8] = 1 - 2 * (x * x + y * y);
  return m;
}

/** The component along a body's own axis k, whose turn is m, of the vector at `at`. */
function alongAxis(m: Float64Array, k: number, vectors: Float64Array, at: number): number {
  return m[k] * vectors[at] + m[3 + k] * vectors[at + 1] + m[6 + k] * vectors[at + 2];
}
