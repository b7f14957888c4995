/**
 * The recursion on one thread, in f32, as the twin of the kernels. Every product and every sum is rounded to f32, as numpy does, so
 * that P has the bits of lab/tbd/reference.py and does not depend on the decimation.
 */

import { convolveSeparable } from "../gaussian.js";
import type { GreyImage, Size } from "../image.js";
import { bestOf, type FrameValues, findPeaks, inOwnNoise, type Peaks, type TbdFrame, type TbdSteps } from "./detect.js";
import { median } from "./noise.js";
import { couplesVectors, type RecursionOptions } from "./options.js";
import { nearestVectors, offsetsBack } from "./vectors.js";

export function createCpuTbd(): TbdSteps {
  return new CpuTbd();
}

/** Its state is open to twins that keep it in other numbers. */
export class CpuTbd implements TbdSteps {
  readonly device = "cpu";
  #size: Size = { width: 0, height: 0 };
  #options!: RecursionOptions;
  protected planes: Float32Array[] = [];
  /** Planes that the next pass writes. */
  #next: Float32Array[] = [];
  #near: number[][] = [];

  async begin(size: Size, options: RecursionOptions): Promise<void> {
    const plane = () => new Float32Array(size.width * size.height);
    this.#size = size;
    this.#options = options;
    this.planes = options.vectors.map(plane);
    const coupled = couplesVectors(options);
    this.#near = coupled ? nearestVectors(options.vectors) : [];
    this.#next = coupled ? options.vectors.map(plane) : [plane()];
  }

  async advance(frames: readonly FrameValues[], k0: number): Promise<void> {
    const { alpha, vectors } = this.#options;
    const [a, b] = weights(alpha);
    const scaled = frames.map((frame) => valuesOf(frame).map((value) => b * value));
    if (couplesVectors(this.#options)) {
      scaled.forEach((frame, j) => {
        this.#mix();
        this.#shiftAll([frame], offsetsBack(vectors, k0 + j, 1), a);
      });
    } else this.#shiftAll(scaled, offsetsBack(vectors, k0, frames.length), a);
  }

  async peaks(least: number, radius: number): Promise<Peaks> {
    const planes = couplesVectors(this.#options) ? inOwnNoise(this.planes, this.#options) : this.planes;
    return findPeaks(bestOf(planes), this.#size, least, radius);
  }

  async state(): Promise<Float32Array> {
    const all = new Float32Array(this.planes.length * this.#size.width * this.#size.height);
    this.planes.forEach((plane, v) => {
      all.set(plane, v * plane.length);
    });
    return all;
  }

  destroy(): void {
    this.planes = [];
    this.#next = [];
  }

  /** The Markov matrix: the share of each state in itself and in its neighbours, before the motion. */
  #mix(): void {
    const { combine, switching } = this.#options;
    const share = Float32Array.from(this.#near, (near) => (near.length === 0 ? 0 : switching / near.length));
    this.#near.forEach((near, v) => {
      const [plane, into] = [this.planes[v], this.#next[v]];
      if (combine === "max") {
        into.set(plane);
        for (const u of near) {
          const other = this.planes[u];
          for (let i = 0; i < into.length; i++) if (other[i] > into[i]) into[i] = other[i];
        }
        return;
      }
      const kept = Math.fround(near.length === 0 ? 1 : 1 - switching);
      into.fill(0);
      for (const u of near) {
        const [other, weight] = [this.planes[u], share[u]];
        for (let i = 0; i < into.length; i++) into[i] += Math.fround(weight * other[i]);
      }
      for (let i = 0; i < into.length; i++) into[i] += Math.fround(kept * plane[i]);
    });
    [this.planes, this.#next] = [this.#next, this.planes];
  }

  /** Runs every vector over the frames, into a free plane that takes its place. */
  #shiftAll(scaled: readonly Float32Array[], offsets: Int32Array, a: number): void {
    const stride = 2 * (scaled.length + 1);
    this.planes.forEach((plane, v) => {
      const into = this.#next[this.#next.length === 1 ? 0 : v];
      shiftPlane(plane, scaled, offsets.subarray(stride * v, stride * (v + 1)), a, this.#size, into);
      this.#next[this.#next.length === 1 ? 0 : v] = plane;
      this.planes[v] = into;
    });
  }
}

/** α and 1 − α in f32. */
export function weights(alpha: number): readonly [a: number, b: number] {
  const a = Math.fround(alpha);
  return [a, Math.fround(1 - a)];
}

/**
 * One vector over the frames of a pass: into(x) is P(x − Σ d) carried along the trajectory that ends at x, row by row; where the
 * trajectory lies outside it is 0, so that it starts anew where it enters.
 * @param scaled (1 − α) X of each frame
 * @param offsets of the vector, as offsetsBack gives them
 */
function shiftPlane(
  plane: Float32Array,
  scaled: readonly Float32Array[],
  offsets: Int32Array,
  a: number,
  { width, height }: Size,
  into: Float32Array,
): void {
  for (let y = 0; y < height; y++) {
    const row = y * width;
    copyRow(plane, width, height, y - offsets[1], offsets[0], into, row);
    for (let j = 1; j <= scaled.length; j++) {
      const source = y - offsets[2 * j + 1];
      if (source < 0 || source >= height) into.fill(0, row, row + width);
      else addRow(scaled[j - 1], width, source * width, offsets[2 * j], a, into, row);
    }
  }
}

/** into(x) = plane(x − dx) of a row, 0 where that lies outside. */
function copyRow(
  plane: Float32Array,
  width: number,
  height: number,
  source: number,
  dx: number,
  into: Float32Array,
  row: number,
): void {
  into.fill(0, row, row + width);
  const [from, to] = [Math.max(0, dx), Math.min(width, width + dx)];
  if (source < 0 || source >= height || from >= to) return;
  into.set(plane.subarray(source * width + from - dx, source * width + to - dx), row + from);
}

/** into(x) = a · into(x) + frame(x − dx) of a row, 0 where that lies outside. */
function addRow(
  frame: Float32Array,
  width: number,
  source: number,
  dx: number,
  a: number,
  into: Float32Array,
  row: number,
): void {
  const from = Math.min(width, Math.max(0, dx));
  const to = Math.max(from, Math.min(width, width + dx));
  if (from > 0) into.fill(0, row, row + from);
  const shift = source - dx - row;
  for (let i = row + from; i < row + to; i++) into[i] = Math.fround(a * into[i]) + frame[i + shift];
  if (to < width) into.fill(0, row + to, row + width);
}

/** The background that is subtracted: nothing, the median of each frame, or also what stands still under the light of each frame. */
export const BACKGROUNDS = ["none", "frame", "pixel"] as const;
export type Background = (typeof BACKGROUNDS)[number];

export function withoutMedian({ width, height, pixels }: TbdFrame): TbdFrame {
  return { width, height, pixels, minus: Math.fround(median(pixels)) };
}

/**
 * The image filtered by a Gaussian of standard deviation `sigma` px, cut at 4 σ, whose squares add up to 1: white noise keeps its
 * variance per pixel, and a spot of that shape gains the most that a linear filter can give. Outside, the image is 0.
 */
export function matchedFilter(image: GreyImage, sigma: number): GreyImage {
  if (sigma === 0) return image;
  const radius = Math.ceil(4 * sigma);
  const shape = Float64Array.from({ length: 2 * radius + 1 }, (_, n) =>
    Math.exp(-((n - radius) ** 2) / (2 * sigma * sigma)),
  );
  const energy = Math.sqrt(shape.reduce((sum, value) => sum + value * value, 0));
  const weights = shape.map((value) => value / energy);
  return convolveSeparable(image, weights, "zero");
}

/** X itself. */
export function valuesOf({ pixels, minus = 0 }: FrameValues): Float32Array {
  if (pixels instanceof Float32Array && minus === 0) return pixels;
  const values = new Float32Array(pixels.length);
  for (let i = 0; i < values.length; i++) values[i] = pixels[i] - minus;
  return values;
}
