/**
 * Bodies on a moving belt by the discrete element method: Newton and Euler's equations (G. Maier et al., J. Real-Time Image
 * Processing 16, 2019, §6.1, (6) and (7)) with semi-implicit Euler steps. The belt is the plane z = 0 and moves along x; walls stand
 * at y = 0 and y = width. SI units. Vectors of body b are at 3 b, of sphere s at 3 s.
 */
import { invariant } from "../../core/errors.js";
import { TANGENTIAL_DAMPING, TANGENTIAL_STIFFNESS } from "./contact.js";
import type { Body } from "./shapes.js";

export interface Physics {
  /** Metres a second. */
  readonly beltSpeed: number;
  readonly width: number;
  /** Of the normal spring, N/m. */
  readonly stiffness: number;
  readonly dampingRatio: number;
  /** Coulomb's coefficients: bodies on the belt, and bodies on walls and on each other. */
  readonly beltFriction: number;
  readonly friction: number;
  /** μ_r of spheres on the belt: the torque μ_r r F against their spin. */
  readonly rollingFriction: number;
  /** Metres per second squared, downwards. */
  readonly gravity: number;
  /** Seconds. */
  readonly timeStep: number;
}

/** Below this spin, radians a second, rolling friction falls in proportion, so that the body comes to rest and does not oscillate. */
const SPIN_AT_REST = 2;

/** Share of the skin that spheres may move within the belt's frame before neighbours are searched for again. */
const MOVED = 0.4;

/** Most of the skin that two spheres can come nearer before that, if one of them was there and the other is new. */
const REACH_OF_NEW = 1.5;

export class World {
  bodies = 0;
  spheres = 0;
  /** Of bodies. */
  position = new Float64Array(0);
  velocity = new Float64Array(0);
  spin = new Float64Array(0);
  /** Number each body keeps for life. */
  identity = new Int32Array(0);
  /** Deepest overlap so far, of the smaller radius. */
  deepest = 0;
  /** Seconds. */
  time = 0;

  #force = new Float64Array(0);
  #torque = new Float64Array(0);
  /** Four numbers a body: w, x, y, z of the turn from its own axes. */
  #turn = new Float64Array(0);
  /** That turn of one body as a matrix. */
  readonly #axes = new Float64Array(9);
  #mass = new Float64Array(0);
  #inertia = new Float64Array(0);
  /** Of the contact with belt or wall, N s/m. */
  #wallDamper = new Float64Array(0);
  /** First sphere of each body, and one past the last. */
  #firstSphere = new Uint32Array(1);

  /** Of spheres: where they are, in their body's axes, and in the belt's frame when neighbours were last looked for. */
  #centre = new Float64Array(0);
  #own = new Float64Array(0);
  #reference = new Float64Array(0);
  #radius = new Float64Array(0);
  #bodyOf = new Uint32Array(0);
  /** Whether a sphere is a body by itself. */
  #alone = new Uint8Array(0);
  /** Slip of the springs to belt and walls, nine numbers a sphere, and whether each is touched. */
  #wallSlip = new Float64Array(0);
  #wallTouched = new Uint8Array(0);

  /** Pairs near enough to touch soon, listed under the sphere of the higher number. */
  #pairStart = new Uint32Array(1);
  #pairOther = new Uint32Array(0);
  #pairSlip = new Float64Array(0);
  #pairTouched = new Uint8Array(0);

  #nextIdentity = 0;
  #largest = 0;
  #steps = 0;

  constructor(readonly physics: Physics) {}

  /**
   * Puts a body at rest in the turn of `angle` about z; false, and nothing done, where it would overlap another body, the belt or a wall.
   */
  add(body: Body, at: readonly number[], velocity: readonly number[], angle: number): boolean {
    const count = body.centres.length / 3;
    this.#grow(count);
    const { radius, centres } = body;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const first = 3 * this.spheres;
    const centre = this.#centre;
    for (let k = 0; k < count; k++) {
      const [x, y, z] = centres.subarray(3 * k, 3 * k + 3);
      centre[first + 3 * k] = at[0] + cos * x - sin * y;
      centre[first + 3 * k + 1] = at[1] + sin * x + cos * y;
      centre[first + 3 * k + 2] = at[2] + z;
    }
    this.#largest = Math.max(this.#largest, radius);
    const skin = this.#skin();
    const near: number[][] = [];
    for (let k = first; k < first + 3 * count; k += 3) {
      const [x, y, z] = centre.subarray(k, k + 3);
      if (y < radius || y > this.physics.width - radius || z < radius) return false;
      const others: number[] = [];
      for (let s = 0; s < this.spheres; s++) {
        const touch = radius + this.#radius[s];
        const reach = touch + REACH_OF_NEW * skin;
        const dx = centre[3 * s] - x;
        if (dx > reach || dx < -reach) continue;
        const dy = centre[3 * s + 1] - y;
        const dz = centre[3 * s + 2] - z;
        const square = dx * dx + dy * dy + dz * dz;
        if (square < touch * touch) return false;
        if (square < reach * reach) others.push(s);
      }
      near.push(others);
    }
    const b = this.bodies++;
    this.position.set(at, 3 * b);
    this.velocity.set(velocity, 3 * b);
    this.spin.fill(0, 3 * b, 3 * b + 3);
    this.#turn.set([Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)], 4 * b);
    this.#mass[b] = body.mass;
    this.#wallDamper[b] = 2 * this.physics.dampingRatio * Math.sqrt(body.mass * this.physics.stiffness);
    this.#inertia.set(body.inertia, 3 * b);
    this.identity[b] = this.#nextIdentity++;
    for (let k = 0; k < count; k++) this.#addSphere(b, body, k, near[k]);
    this.#firstSphere[b + 1] = this.spheres;
    return true;
  }

  #addSphere(b: number, { centres, radius }: Body, k: number, near: readonly number[]): void {
    const s = this.spheres++;
    this.#own.set(centres.subarray(3 * k, 3 * k + 3), 3 * s);
    this.#radius[s] = radius;
    this.#bodyOf[s] = b;
    this.#alone[s] = centres.length === 3 ? 1 : 0;
    this.#wallSlip.fill(0, 9 * s, 9 * s + 9);
    this.#wallTouched.fill(0, 3 * s, 3 * s + 3);
    this.#refer(s);
    const from = this.#pairStart[s];
    this.#growPairs(from + near.length);
    this.#pairOther.set(near, from);
    this.#pairSlip.fill(0, 3 * from, 3 * (from + near.length));
    this.#pairTouched.fill(0, from, from + near.length);
    this.#pairStart[s + 1] = from + near.length;
  }

  /** Makes one time step. Bodies beyond `exit` are removed when neighbours are next searched for. */
  step(exit: number): void {
    if (this.#steps++ % 4 === 0 && this.#moved()) this.#findNeighbours(exit);
    this.#fall();
    this.#rollOnBelt();
    this.#touch();
    this.#move();
    this.time += this.physics.timeStep;
  }

  #fall(): void {
    const { bodies } = this;
    const { gravity } = this.physics;
    const force = this.#force;
    for (let b = 0; b < bodies; b++) {
      force[3 * b] = 0;
      force[3 * b + 1] = 0;
      force[3 * b + 2] = -gravity * this.#mass[b];
    }
    this.#torque.fill(0, 0, 3 * bodies);
  }

  /**
   * The belt's contact with spheres that are bodies by themselves: #contact with what is 0 left out, equal to the last bit. Nearly all contacts of a
   * belt full of spheres are of this kind, in every step.
   */
  #rollOnBelt(): void {
    const { spheres, velocity, spin } = this;
    const { beltSpeed, beltFriction, rollingFriction, stiffness, timeStep } = this.physics;
    const spring = TANGENTIAL_STIFFNESS * stiffness;
    const force = this.#force;
    const torque = this.#torque;
    const centre = this.#centre;
    const radius = this.#radius;
    const alone = this.#alone;
    const bodyOf = this.#bodyOf;
    const slip = this.#wallSlip;
    const touched = this.#wallTouched;
    const wallDamper = this.#wallDamper;
    let { deepest } = this;
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
      // Down to the point of contact, as #contact rounds it.
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
    this.deepest = deepest;
  }

  #touch(): void {
    const { spheres, physics } = this;
    const centre = this.#centre;
    const radius = this.#radius;
    const alone = this.#alone;
    const slip = this.#wallSlip;
    const touched = this.#wallTouched;
    const pairStart = this.#pairStart;
    const pairOther = this.#pairOther;
    const pairSlip = this.#pairSlip;
    const pairTouched = this.#pairTouched;
    const { width, beltSpeed, beltFriction, friction } = physics;
    for (let s = 0; s < spheres; s++) {
      const x = centre[3 * s];
      const y = centre[3 * s + 1];
      const z = centre[3 * s + 2];
      const r = radius[s];
      if (alone[s] === 0) {
        if (z < r) this.#contact(s, -1, 0, 0, -1, r - z, beltSpeed, beltFriction, slip, 9 * s);
        else if (touched[3 * s]) slip.fill(0, 9 * s, 9 * s + 3);
        touched[3 * s] = z < r ? 1 : 0;
      }
      if (y < r) this.#contact(s, -1, 0, -1, 0, r - y, 0, friction, slip, 9 * s + 3);
      else if (touched[3 * s + 1]) slip.fill(0, 9 * s + 3, 9 * s + 6);
      touched[3 * s + 1] = y < r ? 1 : 0;
      const beyond = y - width + r;
      if (beyond > 0) this.#contact(s, -1, 0, 1, 0, beyond, 0, friction, slip, 9 * s + 6);
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
          this.#contact(
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
  #contact(
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
    const { stiffness, dampingRatio, timeStep } = this.physics;
    const { position, velocity, spin } = this;
    const centre = this.#centre;
    const force = this.#force;
    const torque = this.#torque;
    const a = 3 * this.#bodyOf[s];
    const r = this.#radius[s];
    // From the body's centre of mass to the point of contact, and the velocity of the surface there.
    const ax = centre[3 * s] + nx * r - position[a];
    const ay = centre[3 * s + 1] + ny * r - position[a + 1];
    const az = centre[3 * s + 2] + nz * r - position[a + 2];
    let ux = velocity[a] + spin[a + 1] * az - spin[a + 2] * ay;
    let uy = velocity[a + 1] + spin[a + 2] * ax - spin[a] * az;
    let uz = velocity[a + 2] + spin[a] * ay - spin[a + 1] * ax;
    let mass = this.#mass[this.#bodyOf[s]];
    let depth = overlap / r;
    let b = -1;
    let bx = 0;
    let by = 0;
    let bz = 0;
    if (t < 0) {
      ux -= wallSpeed;
    } else {
      b = 3 * this.#bodyOf[t];
      const other = this.#radius[t];
      bx = centre[3 * t] - nx * other - position[b];
      by = centre[3 * t + 1] - ny * other - position[b + 1];
      bz = centre[3 * t + 2] - nz * other - position[b + 2];
      ux -= velocity[b] + spin[b + 1] * bz - spin[b + 2] * by;
      uy -= velocity[b + 1] + spin[b + 2] * bx - spin[b] * bz;
      uz -= velocity[b + 2] + spin[b] * by - spin[b + 1] * bx;
      const otherMass = this.#mass[this.#bodyOf[t]];
      mass = (mass * otherMass) / (mass + otherMass);
      depth = overlap / Math.min(r, other);
    }
    if (depth > this.deepest) this.deepest = depth;
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

  #move(): void {
    const { bodies, position, velocity, spin } = this;
    const { timeStep } = this.physics;
    const force = this.#force;
    const torque = this.#torque;
    const inertia = this.#inertia;
    const centre = this.#centre;
    for (let b = 0; b < bodies; b++) {
      const perMass = timeStep / this.#mass[b];
      for (let axis = 3 * b; axis < 3 * b + 3; axis++) {
        velocity[axis] += force[axis] * perMass;
        position[axis] += velocity[axis] * timeStep;
      }
      const first = this.#firstSphere[b];
      if (this.#firstSphere[b + 1] === first + 1) {
        const perInertia = timeStep / inertia[3 * b];
        for (let axis = 3 * b; axis < 3 * b + 3; axis++) spin[axis] += torque[axis] * perInertia;
        centre[3 * first] = position[3 * b];
        centre[3 * first + 1] = position[3 * b + 1];
        centre[3 * first + 2] = position[3 * b + 2];
      } else this.#turnBody(b);
    }
  }

  /** Euler's equations in the body's own axes, (7) of the paper; then its spheres are where the turn puts them. */
  #turnBody(b: number): void {
    const { spin, position } = this;
    const { timeStep } = this.physics;
    const turn = this.#turn;
    const centre = this.#centre;
    const own = this.#own;
    const m = matrixOf(turn[4 * b], turn[4 * b + 1], turn[4 * b + 2], turn[4 * b + 3], this.#axes);
    const at = 3 * b;
    const ix = this.#inertia[at];
    const iy = this.#inertia[at + 1];
    const iz = this.#inertia[at + 2];
    const wx = alongAxis(m, 0, spin, at);
    const wy = alongAxis(m, 1, spin, at);
    const wz = alongAxis(m, 2, spin, at);
    const vx = wx + ((alongAxis(m, 0, this.#torque, at) - wy * wz * (iz - iy)) / ix) * timeStep;
    const vy = wy + ((alongAxis(m, 1, this.#torque, at) - wz * wx * (ix - iz)) / iy) * timeStep;
    const vz = wz + ((alongAxis(m, 2, this.#torque, at) - wx * wy * (iy - ix)) / iz) * timeStep;
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
    const n = matrixOf(w * scale, x * scale, y * scale, z * scale, this.#axes);
    for (let s = 3 * this.#firstSphere[b]; s < 3 * this.#firstSphere[b + 1]; s += 3) {
      for (let k = 0; k < 3; k++) {
        centre[s + k] = position[at + k] + n[3 * k] * own[s] + n[3 * k + 1] * own[s + 1] + n[3 * k + 2] * own[s + 2];
      }
    }
  }

  #skin(): number {
    return this.#largest / 2;
  }

  /** How far the frame has moved that follows the bodies a little slower than the belt. */
  #drift(): number {
    return 0.9 * this.physics.beltSpeed * this.time;
  }

  #refer(s: number): void {
    this.#reference[3 * s] = this.#centre[3 * s] - this.#drift();
    this.#reference[3 * s + 1] = this.#centre[3 * s + 1];
    this.#reference[3 * s + 2] = this.#centre[3 * s + 2];
  }

  #moved(): boolean {
    const drift = this.#drift();
    const most = (MOVED * this.#skin()) ** 2;
    const centre = this.#centre;
    const reference = this.#reference;
    for (let s = 0; s < 3 * this.spheres; s += 3) {
      const dx = centre[s] - drift - reference[s];
      const dy = centre[s + 1] - reference[s + 1];
      const dz = centre[s + 2] - reference[s + 2];
      if (dx * dx + dy * dy + dz * dz > most) return true;
    }
    return false;
  }

  #findNeighbours(exit: number): void {
    const was = this.#removeBeyond(exit);
    const [oldStart, oldOther, oldSlip, oldTouched] = [
      this.#pairStart.slice(),
      this.#pairOther.slice(),
      this.#pairSlip.slice(),
      this.#pairTouched.slice(),
    ];
    const { spheres } = this;
    const centre = this.#centre;
    const radius = this.#radius;
    const skin = this.#skin();
    const cell = 2 * this.#largest + skin;
    let left = Infinity;
    let right = -Infinity;
    for (let s = 0; s < spheres; s++) {
      left = Math.min(left, centre[3 * s]);
      right = Math.max(right, centre[3 * s]);
    }
    const rows = Math.floor(this.physics.width / cell) + 1;
    const columns = spheres === 0 ? 0 : Math.floor((right - left) / cell) + 1;
    invariant(columns * rows < 1e7, () => `belt: bodies from x = ${left} to ${right}`);
    const head = new Int32Array(columns * rows).fill(-1);
    const next = new Int32Array(spheres);
    let pair = 0;
    for (let s = 0; s < spheres; s++) {
      this.#refer(s);
      this.#pairStart[s] = pair;
      const x = centre[3 * s];
      const y = centre[3 * s + 1];
      const z = centre[3 * s + 2];
      const column = Math.floor((x - left) / cell);
      const row = Math.min(Math.max(Math.floor(y / cell), 0), rows - 1);
      for (let u = Math.max(0, column - 1); u <= Math.min(columns - 1, column + 1); u++) {
        for (let v = Math.max(0, row - 1); v <= Math.min(rows - 1, row + 1); v++) {
          for (let t = head[u * rows + v]; t >= 0; t = next[t]) {
            if (this.#bodyOf[t] === this.#bodyOf[s]) continue;
            const reach = radius[s] + radius[t] + skin;
            const dx = centre[3 * t] - x;
            const dy = centre[3 * t + 1] - y;
            const dz = centre[3 * t + 2] - z;
            if (dx * dx + dy * dy + dz * dz >= reach * reach) continue;
            this.#growPairs(pair + 1);
            this.#pairOther[pair] = t;
            let old = oldStart[was[s]];
            while (old < oldStart[was[s] + 1] && oldOther[old] !== was[t]) old++;
            const known = old < oldStart[was[s] + 1];
            for (let k = 0; k < 3; k++) this.#pairSlip[3 * pair + k] = known ? oldSlip[3 * old + k] : 0;
            this.#pairTouched[pair++] = known ? oldTouched[old] : 0;
          }
        }
      }
      next[s] = head[column * rows + row];
      head[column * rows + row] = s;
    }
    this.#pairStart[spheres] = pair;
  }

  /** Removes bodies beyond `exit`; returns the number that each sphere left had. */
  #removeBeyond(exit: number): Uint32Array {
    const was = new Uint32Array(this.spheres);
    let kept = 0;
    let sphere = 0;
    const perBody: [Float64Array | Int32Array, number][] = [
      [this.position, 3],
      [this.velocity, 3],
      [this.spin, 3],
      [this.#turn, 4],
      [this.#mass, 1],
      [this.#inertia, 3],
      [this.#wallDamper, 1],
      [this.identity, 1],
    ];
    const perSphere: [Float64Array | Uint8Array, number][] = [
      [this.#centre, 3],
      [this.#own, 3],
      [this.#reference, 3],
      [this.#radius, 1],
      [this.#alone, 1],
      [this.#wallSlip, 9],
      [this.#wallTouched, 3],
    ];
    for (let b = 0; b < this.bodies; b++) {
      const [from, to] = [this.#firstSphere[b], this.#firstSphere[b + 1]];
      const x = this.position[3 * b];
      const z = this.position[3 * b + 2];
      invariant(
        z > -0.01 && z < 1,
        () => `belt: body ${this.identity[b]} is at height ${z} m; the time step is too long`,
      );
      if (x > exit) continue;
      if (kept < b) {
        for (const [array, width] of perBody) array.copyWithin(kept * width, b * width, (b + 1) * width);
        for (const [array, width] of perSphere) array.copyWithin(sphere * width, from * width, to * width);
        this.#firstSphere[kept] = sphere;
        this.#bodyOf.fill(kept, sphere, sphere + to - from);
      }
      for (let s = from; s < to; s++) was[sphere++] = s;
      kept++;
    }
    this.#firstSphere[kept] = sphere;
    this.bodies = kept;
    this.spheres = sphere;
    return was;
  }

  #grow(spheres: number): void {
    const capacity = this.#radius.length;
    if (this.spheres + spheres <= capacity) return;
    const to = Math.max(64, 2 * capacity, this.spheres + spheres);
    this.position = longer(this.position, 3 * to);
    this.velocity = longer(this.velocity, 3 * to);
    this.spin = longer(this.spin, 3 * to);
    this.identity = longer(this.identity, to);
    this.#force = longer(this.#force, 3 * to);
    this.#torque = longer(this.#torque, 3 * to);
    this.#turn = longer(this.#turn, 4 * to);
    this.#mass = longer(this.#mass, to);
    this.#inertia = longer(this.#inertia, 3 * to);
    this.#wallDamper = longer(this.#wallDamper, to);
    this.#firstSphere = longer(this.#firstSphere, to + 1);
    this.#centre = longer(this.#centre, 3 * to);
    this.#own = longer(this.#own, 3 * to);
    this.#reference = longer(this.#reference, 3 * to);
    this.#radius = longer(this.#radius, to);
    this.#bodyOf = longer(this.#bodyOf, to);
    this.#alone = longer(this.#alone, to);
    this.#wallSlip = longer(this.#wallSlip, 9 * to);
    this.#wallTouched = longer(this.#wallTouched, 3 * to);
    this.#pairStart = longer(this.#pairStart, to + 1);
  }

  #growPairs(pairs: number): void {
    if (pairs <= this.#pairOther.length) return;
    const to = Math.max(256, 2 * pairs);
    this.#pairOther = longer(this.#pairOther, to);
    this.#pairSlip = longer(this.#pairSlip, 3 * to);
    this.#pairTouched = longer(this.#pairTouched, to);
  }
}

function longer<Numbers extends Float64Array | Int32Array | Uint32Array | Uint8Array>(
  array: Numbers,
  to: number,
): Numbers {
  const grown = new (array.constructor as new (length: number) => Numbers)(to);
  grown.set(array);
  return grown;
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
