import type { Detections } from "../../core/detections.js";

/** The detections of one frame as they stand in the input; velocities are NaN where there are none. */
export interface InputFrame {
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly vx: readonly number[];
  readonly vy: readonly number[];
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
  #held = 0;

  add(frame: InputFrame): void {
    this.#frames.push(frame);
    this.#before.push(this.#held);
    this.#held += frame.x.length;
    this.end++;
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
    this.first += count;
  }

  /** Frames `from` … `to` − 1. */
  detections(
    from: number,
    to: number,
    timeStep: number,
    velocities: boolean,
  ): Omit<Detections, "target" | "attributes"> {
    const frames = this.#frames.slice(from - this.first, to - this.first);
    const frameStart = new Uint32Array(frames.length + 1);
    frames.forEach(({ x }, p) => {
      frameStart[p + 1] = frameStart[p] + x.length;
    });
    const joined = (key: "x" | "y" | "vx" | "vy") => {
      const all = new Float64Array(frameStart[frames.length]);
      frames.forEach((frame, p) => {
        all.set(frame[key], frameStart[p]);
      });
      return all;
    };
    return {
      frames: frames.length,
      frameStart,
      x: joined("x"),
      y: joined("y"),
      vx: velocities ? joined("vx") : null,
      vy: velocities ? joined("vy") : null,
      timeStep,
    };
  }
}
