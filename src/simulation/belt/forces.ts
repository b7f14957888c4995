/** The forces on bodies: gravity, and springs and dampers where spheres touch the belt, the walls and each other. */
import type { Bodies } from "./bodies.js";
import { TANGENTIAL_DAMPING, TANGENTIAL_STIFFNESS } from "./contact.js";
import type { Physics } from "./physics.js";

/** Below this spin, radians a second, rolling friction falls in proportion, so that the body comes to rest and does not oscillate. */
const SPIN_AT_REST = 2;

/** Sets the forces to those of gravity, and the torques to 0. */
export function fall(all: Bodies, { gravity }: Physics): void {
  const { bodies, force } = all;
  for (let b = 0; b < bodies; b++) {
    force[3 * b] = 0;
    force[3 * b + 1] = 0;
    force[3 * b + 2] = -gravity * all.mass[b];
  }
  all.torque.fill(0, 0, 3 * bodies);
}

/**
 * The belt's contact with spheres that are bodies by themselves: contact() without the terms that are 0, equal to the last bit. Nearly all contacts of a
 * belt full of spheres are of this kind, in every step.
 */
export function rollOnBelt(all: Bodies, physics: Physics): void {
  const { spheres, velocity, spin } = all;
  const { beltSpeed, beltFriction, rollingFriction, stiffness, timeStep } = physics;
  const spring = TANGENTIAL_STIFFNESS * stiffness;
  const { force, torque, centre, radius, alone, bodyOf } = all;
  const slip = all.wallSlip;
  const touched = all.wallTouched;
  const { wallDamper } = all;
  let { deepest } = all;
  for (let s = 0; s < spheres; s++) {
    if (alone[s] === 0) continue;
    const z = centre[3 * s + 2];
    const r = radius[s];
    const at = 9 * s;
    const overlap = r - z;
    if (!(overlap > 0)) {
      if (touched[3 * s] === 1) {
        slip[at] = 0;
        slip[at + 1] = 0;
        touched[3 * s] = 0;
      }
      continue;
    }
    touched[3 * s] = 1;
    if (overlap > deepest * r) deepest = overlap / r;
    const b = bodyOf[s];
    const a = 3 * b;
    // Down to the point of contact, as contact() rounds it.
    const arm = z - r - z;
    const wx = spin[a];
    const wy = spin[a + 1];
    const wz = spin[a + 2];
    const ux = velocity[a] + wy * arm - beltSpeed;
    const uy = velocity[a + 1] - wx * arm;
    const damper = wallDamper[b];
    const normal = Math.max(0, stiffness * overlap - damper * velocity[a + 2]);
    let hx = slip[at] + ux * timeStep;
    let hy = slip[at + 1] + uy * timeStep;
    const drag = TANGENTIAL_DAMPING * damper;
    let fx = -spring * hx - drag * ux;
    let fy = -spring * hy - drag * uy;
    const most = beltFriction * normal;
    const square = fx * fx + fy * fy;
    if (square > most * most) {
      const scale = most / Math.sqrt(square);
      fx *= scale;
      fy *= scale;
      hx = -fx / spring;
      hy = -fy / spring;
    }
    slip[at] = hx;
    slip[at + 1] = hy;
    force[a] += fx;
    force[a + 1] += fy;
    force[a + 2] += normal;
    const scale = (rollingFriction * r * normal) / Math.max(SPIN_AT_REST, Math.sqrt(wx * wx + wy * wy + wz * wz));
    torque[a] += -arm * fy - scale * wx;
    torque[a + 1] += arm * fx - scale * wy;
    torque[a + 2] -= scale * wz;
  }
  all.deepest = deepest;
}

/** All other contacts: of bodies with each other, with the walls, and of bodies of several spheres with the belt. */
export function touch(all: Bodies, physics: Physics): void {
  const { spheres, centre, radius, alone } = all;
  const slip = all.wallSlip;
  const touched = all.wallTouched;
  const { pairStart, pairOther, pairSlip, pairTouched } = all;
  const { width, beltSpeed, beltFriction, friction } = physics;
  for (let s = 0; s < spheres; s++) {
    const x = centre[3 * s];
    const y = centre[3 * s + 1];
    const z = centre[3 * s + 2];
    const r = radius[s];
    if (alone[s] === 0) {
      if (z < r) contact(all, physics, s, -1, 0, 0, -1, r - z, beltSpeed, beltFriction, slip, 9 * s);
      else if (touched[3 * s]) slip.fill(0, 9 * s, 9 * s + 3);
      touched[3 * s] = z < r ? 1 : 0;
    }
    if (y < r) contact(all, physics, s, -1, 0, -1, 0, r - y, 0, friction, slip, 9 * s + 3);
    else if (touched[3 * s + 1]) slip.fill(0, 9 * s + 3, 9 * s + 6);
    touched[3 * s + 1] = y < r ? 1 : 0;
    const beyond = y - width + r;
    if (beyond > 0) contact(all, physics, s, -1, 0, 1, 0, beyond, 0, friction, slip, 9 * s + 6);
    else if (touched[3 * s + 2]) slip.fill(0, 9 * s + 6, 9 * s + 9);
    touched[3 * s + 2] = beyond > 0 ? 1 : 0;
    for (let pair = pairStart[s]; pair < pairStart[s + 1]; pair++) {
      const t = pairOther[pair];
      const dx = centre[3 * t] - x;
      const dy = centre[3 * t + 1] - y;
      const dz = centre[3 * t + 2] - z;
      const square = dx * dx + dy * dy + dz * dz;
      const sum = r + radius[t];
      if (square < sum * sum) {
        const distance = Math.sqrt(square);
        const inverse = 1 / distance;
        contact(
          all,
          physics,
          s,
          t,
          dx * inverse,
          dy * inverse,
          dz * inverse,
          sum - distance,
          0,
          friction,
          pairSlip,
          3 * pair,
        );
        pairTouched[pair] = 1;
      } else if (pairTouched[pair]) {
        pairTouched[pair] = 0;
        pairSlip.fill(0, 3 * pair, 3 * pair + 3);
      }
    }
  }
}

/**
 * Forces of one contact of sphere s with sphere t, or with a wall (t < 0) that moves along x at `wallSpeed`. (nx, ny, nz) points from s to the
 * other; the slip of the spring across is at `at` of `slip`.
 */
function contact(
  all: Bodies,
  physics: Physics,
  s: number,
  t: number,
  nx: number,
  ny: number,
  nz: number,
  overlap: number,
  wallSpeed: number,
  friction: number,
  slip: Float64Array,
  at: number,
): void {
  const { stiffness, dampingRatio, timeStep } = physics;
  const { position, velocity, spin, centre, force, torque } = all;
  const a = 3 * all.bodyOf[s];
  const r = all.radius[s];
  // From the body's centre of mass to the point of contact, and the velocity of the surface there.
  const ax = centre[3 * s] + nx * r - position[a];
  const ay = centre[3 * s + 1] + ny * r - position[a + 1];
  const az = centre[3 * s + 2] + nz * r - position[a + 2];
  let ux = velocity[a] + spin[a + 1] * az - spin[a + 2] * ay;
  let uy = velocity[a + 1] + spin[a + 2] * ax - spin[a] * az;
  let uz = velocity[a + 2] + spin[a] * ay - spin[a + 1] * ax;
  let mass = all.mass[all.bodyOf[s]];
  let depth = overlap / r;
  let b = -1;
  let bx = 0;
  let by = 0;
  let bz = 0;
  if (t < 0) {
    ux -= wallSpeed;
  } else {
    b = 3 * all.bodyOf[t];
    const other = all.radius[t];
    bx = centre[3 * t] - nx * other - position[b];
    by = centre[3 * t + 1] - ny * other - position[b + 1];
    bz = centre[3 * t + 2] - nz * other - position[b + 2];
    ux -= velocity[b] + spin[b + 1] * bz - spin[b + 2] * by;
    uy -= velocity[b + 1] + spin[b + 2] * bx - spin[b] * bz;
    uz -= velocity[b + 2] + spin[b] * by - spin[b + 1] * bx;
    const otherMass = all.mass[all.bodyOf[t]];
    mass = (mass * otherMass) / (mass + otherMass);
    depth = overlap / Math.min(r, other);
  }
  if (depth > all.deepest) all.deepest = depth;
  const approach = ux * nx + uy * ny + uz * nz;
  const damper = 2 * dampingRatio * Math.sqrt(mass * stiffness);
  const normal = Math.max(0, stiffness * overlap + damper * approach);

  // Across: the spring's slip turns with the contact's plane, and is cut where the spring would hold more than friction can.
  ux -= approach * nx;
  uy -= approach * ny;
  uz -= approach * nz;
  let hx = slip[at] + ux * timeStep;
  let hy = slip[at + 1] + uy * timeStep;
  let hz = slip[at + 2] + uz * timeStep;
  const along = hx * nx + hy * ny + hz * nz;
  hx -= along * nx;
  hy -= along * ny;
  hz -= along * nz;
  const spring = TANGENTIAL_STIFFNESS * stiffness;
  const drag = TANGENTIAL_DAMPING * damper;
  let fx = -spring * hx - drag * ux;
  let fy = -spring * hy - drag * uy;
  let fz = -spring * hz - drag * uz;
  const most = friction * normal;
  const square = fx * fx + fy * fy + fz * fz;
  if (square > most * most) {
    const scale = most / Math.sqrt(square);
    fx *= scale;
    fy *= scale;
    fz *= scale;
    hx = -fx / spring;
    hy = -fy / spring;
    hz = -fz / spring;
  }
  slip[at] = hx;
  slip[at + 1] = hy;
  slip[at + 2] = hz;

  fx -= normal * nx;
  fy -= normal * ny;
  fz -= normal * nz;
  force[a] += fx;
  force[a + 1] += fy;
  force[a + 2] += fz;
  torque[a] += ay * fz - az * fy;
  torque[a + 1] += az * fx - ax * fz;
  torque[a + 2] += ax * fy - ay * fx;
  if (b >= 0) {
    force[b] -= fx;
    force[b + 1] -= fy;
    force[b + 2] -= fz;
    torque[b] -= by * fz - bz * fy;
    torque[b + 1] -= bz * fx - bx * fz;
    torque[b + 2] -= bx * fy - by * fx;
  }
}
