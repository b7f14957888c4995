import { createHash } from "node:crypto";
import { type Detections, varies } from "../../core/detections.js";
import { InputError } from "../../core/errors.js";
import { startsOf } from "../../core/rows.js";

/** The detections of one frame as they stand in the input; velocities are NaN where there are none. */
export interface InputFrame {
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly vx: readonly number[];
  readonly vy: readonly number[];
  /** In all frames or in none. */
  readonly z?: readonly number[];
  readonly vz?: readonly number[];
  /** True identities, and cells that are handed on: not looked at here. */
  readonly target?: readonly (string | null)[];
  readonly carried?: readonly string[];
}

/** The latest frames of a recording: those before `first` are forgotten. */
export class FrameStore {
  /** Number of the first frame that is still there, and of the first that has not come. */
  first = 0;
  end = 0;
  readonly #frames: InputFrame[] = [];
  /** Detections of the recording before each of them, and in all. */
  readonly #before: number[] = [];
  readonly #digests: (Buffer | undefined)[] = [];
  #held = 0;
  /** The depth of all detections; null where depths vary, or are not there. */
  #plane: number | null = null;

  /** @throws InputError for a depth off the plane in which all detections were when that was settled */
  add(frame: InputFrame): void {
    const other = this.#plane === null ? undefined : frame.z?.find((z) => z !== this.#plane);
    if (other !== undefined) {
      const problem = `${other} in frame ${this.end}, and ${this.#plane} in all frames that the costs are learned from`;
      throw new InputError(`z: is ${problem}; learn from more of them (--learn), or leave z out (--z-scale 0)`);
    }
    this.#frames.push(frame);
    this.#before.push(this.#held);
    this.#digests.push(undefined);
    this.#held += frame.x.length;
    this.end++;
  }

  /**
   * Begins at a frame that is not the recording's first.
   * @param held detections before those that come
   * @param plane as `plane` was in a store of the beginning
   */
  resume(frame: number, held: number, plane: number | null): void {
    this.first = frame;
    this.end = frame;
    this.#held = held;
    this.#plane = plane;
  }

  /** The depth of all detections where costs were learned in a plane; null elsewhere. */
  get plane(): number | null {
    return this.#plane;
  }

  /** Where all detections so far are in one plane, positions are those in it. */
  settleDepths(): void {
    const depths = this.#frames.flatMap(({ z = [] }) => z);
    if (!varies(depths)) this.#plane = depths[0] ?? null;
  }

  /** Detections of the recording so far. */
  get held(): number {
    return this.#held;
  }

  /** Detections of the recording before a frame. */
  before(frame: number): number {
    return this.#before[frame - this.first];
  }

  at(frame: number): InputFrame {
    return this.#frames[frame - this.first];
  }

  forgetBefore(frame: number): void {
    const count = Math.max(0, Math.min(frame, this.end) - this.first);
    this.#frames.splice(0, count);
    this.#before.splice(0, count);
    this.#digests.splice(0, count);
    this.first += count;
  }

  /** Of all that costs and tracks of frames `from` … `to` depend on. */
  digest(from: number, to: number): string {
    const hash = createHash("sha256").update(`${this.#plane}`);
    for (let frame = from; frame <= to; frame++) hash.update(this.#digestOf(frame - this.first));
    return hash.digest("hex");
  }

  #digestOf(at: number): Buffer {
    const known = this.#digests[at];
    if (known !== undefined) return known;
    const { x, y, vx, vy, z = [], vz = [] } = this.#frames[at];
    const numbers = new Float64Array(4 * x.length + z.length + vz.length);
    let before = 0;
    for (const some of [x, y, vx, vy, z, vz]) {
      numbers.set(some, before);
      before += some.length;
    }
    const digest = createHash("sha256").update(`${x.length} `).update(numbers).digest();
    this.#digests[at] = digest;
    return digest;
  }

  /** Frames `from` … `to` − 1. */
  detections(
    from: number,
    to: number,
    timeStep: number,
    velocities: boolean,
  ): Omit<Detections, "target" | "attributes"> {
    const frames = this.#frames.slice(from - this.first, to - this.first);
    const frameStart = startsOf(frames.map(({ x }) => x.length));
    const joined = (key: "x" | "y" | "z" | "vx" | "vy" | "vz") => {
      const all = new Float64Array(frameStart[frames.length]);
      frames.forEach((frame, p) => {
        all.set(frame[key] ?? [], frameStart[p]);
      });
      return all;
    };
    const isDeep = this.#plane === null && frames[0].z !== undefined;
    const vz = isDeep && velocities ? joined("vz") : null;
    // A velocity in space needs all three.
    const measured = (key: "vx" | "vy") =>
      joined(key).map((value, d) => (vz !== null && Number.isNaN(vz[d]) ? Number.NaN : value));
    return {
      frames: frames.length,
      frameStart,
      x: joined("x"),
      y: joined("y"),
      ...(isDeep && { z: joined("z") }),
      vx: velocities ? measured("vx") : null,
      vy: velocities ? measured("vy") : null,
      ...(vz && { vz }),
      timeStep,
    };
  }
}
