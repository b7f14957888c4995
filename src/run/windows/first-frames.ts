import { tracksSvg } from "../../report/tracks-svg.js";
import type { InputFrame } from "./frames.js";

/** Detections that are drawn: more than can be told apart are of no use, and all are held in memory. */
const DRAWN = 10_000;

/** The first frames of a recording with their tracks, for a picture; whole frames, and at least two. */
export class FirstFrames {
  readonly #frameStart = [0];
  readonly #x: number[] = [];
  readonly #y: number[] = [];
  readonly #z: number[] = [];
  readonly #track: number[] = [];
  /** Mothers by their daughters. */
  readonly #parents = new Map<number, number>();
  readonly #target: number[] = [];
  readonly #numbers = new Map<string, number>();
  #full = false;

  /** The next frame. */
  add({ x, y, z, target = [] }: InputFrame, track: readonly number[], parent: readonly number[]): void {
    this.#full ||= this.#frameStart.length > 2 && this.#x.length + x.length > DRAWN;
    if (this.#full) return;
    for (let d = 0; d < x.length; d++) {
      this.#x.push(x[d]);
      this.#y.push(y[d]);
      if (z !== undefined) this.#z.push(z[d]);
      this.#track.push(track[d]);
      if (parent[d] >= 0) this.#parents.set(track[d], parent[d]);
      this.#target.push(this.#numberOf(target[d] ?? null));
    }
    this.#frameStart.push(this.#x.length);
  }

  /**
   * The picture, which says how many of `frames` it shows.
   * @param scored whether links are marked that are wrong
   */
  svg(title: string, frames: number, scored: boolean, unit: string | undefined): string {
    const shown = this.#frameStart.length - 1;
    const left = shown < frames ? `\nthe first ${shown} of ${frames} frames` : "";
    return tracksSvg({
      title: `${title}${left}`,
      frameStart: Uint32Array.from(this.#frameStart),
      x: Float64Array.from(this.#x),
      y: Float64Array.from(this.#y),
      z: this.#z.length > 0 ? Float64Array.from(this.#z) : undefined,
      track: Int32Array.from(this.#track),
      parents: this.#parents,
      target: scored ? Int32Array.from(this.#target) : null,
      unit,
    });
  }

  #numberOf(name: string | null): number {
    if (name === null) return -1;
    const number = this.#numbers.get(name) ?? this.#numbers.size;
    this.#numbers.set(name, number);
    return number;
  }
}
