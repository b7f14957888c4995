/** Bodies of spheres on a belt: the state of each, and the pairs near each other. SI units. Vectors of body b are at 3 b, of sphere s at 3 s. */
import { invariant } from "../../core/errors.js";
import { longer } from "../../core/growing-array.js";
import type { Physics } from "./physics.js";
import type { Body } from "./shapes.js";

/** Most of the skin that two spheres can come nearer before neighbours are searched for again, if one of them was there and the other is new. */
const REACH_OF_NEW = 1.5;

type Numbers = Float64Array | Int32Array | Uint32Array | Uint8Array;

/** The arrays of numbers by body, and by sphere, with the count of numbers for each. */
const PER_BODY = {
  position: 3,
  velocity: 3,
  spin: 3,
  identity: 1,
  force: 3,
  torque: 3,
  turn: 4,
  mass: 1,
  inertia: 3,
  wallDamper: 1,
} as const satisfies Partial<Record<keyof Bodies, number>>;
const PER_SPHERE = {
  centre: 3,
  inBody: 3,
  reference: 3,
  radius: 1,
  bodyOf: 1,
  alone: 1,
  wallSlip: 9,
  wallTouched: 3,
} as const satisfies Partial<Record<keyof Bodies, number>>;

export class Bodies {
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

  force = new Float64Array(0);
  torque = new Float64Array(0);
  /** Four numbers a body: w, x, y, z of the turn from its own axes. */
  turn = new Float64Array(0);
  mass = new Float64Array(0);
  inertia = new Float64Array(0);
  /** Of the contact with belt or wall, N s/m. */
  wallDamper = new Float64Array(0);
  /** First sphere of each body, and one past the last. */
  firstSphere = new Uint32Array(1);

  /** Of spheres: where they are, in their body's axes, and in the belt's frame when neighbours were last looked for. */
  centre = new Float64Array(0);
  inBody = new Float64Array(0);
  reference = new Float64Array(0);
  radius = new Float64Array(0);
  bodyOf = new Uint32Array(0);
  /** Whether a sphere is a body by itself. */
  alone = new Uint8Array(0);
  /** Slip of the springs to belt and walls, nine numbers a sphere, and whether each is touched. */
  wallSlip = new Float64Array(0);
  wallTouched = new Uint8Array(0);

  /** Pairs near enough to touch soon, listed under the sphere of the higher number. */
  pairStart = new Uint32Array(1);
  pairOther = new Uint32Array(0);
  pairSlip = new Float64Array(0);
  pairTouched = new Uint8Array(0);

  #nextIdentity = 0;
  /** The largest radius so far. */
  largest = 0;

  constructor(readonly physics: Physics) {}

  /** How much farther than touching two spheres may be and count as neighbours. */
  get skin(): number {
    return this.largest / 2;
  }

  /** How far the frame has moved that follows the bodies a little slower than the belt. */
  get drift(): number {
    return 0.9 * this.physics.beltSpeed * this.time;
  }

  /**
   * Puts a body at rest in the turn of `angle` about z; false, and nothing done, where it would overlap another body, the belt or a wall.
   */
  add(body: Body, at: readonly number[], velocity: readonly number[], angle: number): boolean {
    const count = body.centres.length / 3;
    this.#grow(count);
    const { radius, centres } = body;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const first = 3 * this.spheres;
    const centre = this.centre;
    for (let k = 0; k < count; k++) {
      const [x, y, z] = centres.subarray(3 * k, 3 * k + 3);
      centre[first + 3 * k] = at[0] + cos * x - sin * y;
      centre[first + 3 * k + 1] = at[1] + sin * x + cos * y;
      centre[first + 3 * k + 2] = at[2] + z;
    }
    this.largest = Math.max(this.largest, radius);
    const skin = this.skin;
    const near: number[][] = [];
    for (let k = first; k < first + 3 * count; k += 3) {
      const [x, y, z] = centre.subarray(k, k + 3);
      if (y < radius || y > this.physics.width - radius || z < radius) return false;
      const others: number[] = [];
      for (let s = 0; s < this.spheres; s++) {
        const touch = radius + this.radius[s];
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
    this.turn.set([Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)], 4 * b);
    this.mass[b] = body.mass;
    this.wallDamper[b] = 2 * this.physics.dampingRatio * Math.sqrt(body.mass * this.physics.stiffness);
    this.inertia.set(body.inertia, 3 * b);
    this.identity[b] = this.#nextIdentity++;
    for (let k = 0; k < count; k++) this.#addSphere(b, body, k, near[k]);
    this.firstSphere[b + 1] = this.spheres;
    return true;
  }

  #addSphere(b: number, { centres, radius }: Body, k: number, near: readonly number[]): void {
    const s = this.spheres++;
    this.inBody.set(centres.subarray(3 * k, 3 * k + 3), 3 * s);
    this.radius[s] = radius;
    this.bodyOf[s] = b;
    this.alone[s] = centres.length === 3 ? 1 : 0;
    this.wallSlip.fill(0, 9 * s, 9 * s + 9);
    this.wallTouched.fill(0, 3 * s, 3 * s + 3);
    this.refer(s);
    const from = this.pairStart[s];
    this.growPairs(from + near.length);
    this.pairOther.set(near, from);
    this.pairSlip.fill(0, 3 * from, 3 * (from + near.length));
    this.pairTouched.fill(0, from, from + near.length);
    this.pairStart[s + 1] = from + near.length;
  }

  /** Notes where sphere s is, in the frame that follows the bodies. */
  refer(s: number): void {
    this.reference[3 * s] = this.centre[3 * s] - this.drift;
    this.reference[3 * s + 1] = this.centre[3 * s + 1];
    this.reference[3 * s + 2] = this.centre[3 * s + 2];
  }

  /** Removes bodies beyond `exit`; returns the number that each sphere left had. */
  removeBeyond(exit: number): Uint32Array {
    const was = new Uint32Array(this.spheres);
    let kept = 0;
    let sphere = 0;
    const [perBody, perSphere] = [this.#arrays(PER_BODY), this.#arrays(PER_SPHERE)];
    for (let b = 0; b < this.bodies; b++) {
      const [from, to] = [this.firstSphere[b], this.firstSphere[b + 1]];
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
        this.firstSphere[kept] = sphere;
        this.bodyOf.fill(kept, sphere, sphere + to - from);
      }
      for (let s = from; s < to; s++) was[sphere++] = s;
      kept++;
    }
    this.firstSphere[kept] = sphere;
    this.bodies = kept;
    this.spheres = sphere;
    return was;
  }

  #grow(spheres: number): void {
    const capacity = this.radius.length;
    if (this.spheres + spheres <= capacity) return;
    const to = Math.max(64, 2 * capacity, this.spheres + spheres);
    const grown = [...this.#arrays(PER_BODY), ...this.#arrays(PER_SPHERE)].map(([array, width, name]) => [
      name,
      longer(array, width * to),
    ]);
    Object.assign(this, Object.fromEntries(grown));
    this.firstSphere = longer(this.firstSphere, to + 1);
    this.pairStart = longer(this.pairStart, to + 1);
  }

  #arrays(widths: Partial<Record<keyof Bodies, number>>): [Numbers, number, string][] {
    return Object.entries(widths).map(([name, width]) => [this[name as keyof Bodies] as Numbers, width, name]);
  }

  growPairs(pairs: number): void {
    if (pairs <= this.pairOther.length) return;
    const to = Math.max(256, 2 * pairs);
    this.pairOther = longer(this.pairOther, to);
    this.pairSlip = longer(this.pairSlip, 3 * to);
    this.pairTouched = longer(this.pairTouched, to);
  }
}
