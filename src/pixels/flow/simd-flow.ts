import type { FlowField } from "../../core/flow-field.js";
import { tapsAlong } from "../bicubic.js";
import { gaussianWeights } from "../gaussian.js";
import type { Plane, Size } from "../image.js";
import { zoomSigma } from "../pyramid.js";
import { type FlowSteps, type ScaledPair, scaled } from "./flow.js";
import type { FlowOptions } from "./options.js";
import {
  BAND,
  DEPTH,
  FILTER_BAND,
  type FlowMemory,
  imageAt,
  iterationRoom,
  layOut,
  medianRoom,
  STATE,
  strideOf,
} from "./simd-memory.js";

export interface SimdFlowOptions {
  readonly threads: number;
  /** Seconds since some fixed time. */
  readonly now: () => number;
}

/** The steps of the flow in f32 on all cores, four pixels at a time. The twin that says what they compute is cpu-flow.ts; they differ by the rounding of sums. */
export function createSimdFlow(options: SimdFlowOptions): FlowSteps {
  return new SimdFlow(options);
}

class SimdFlow implements FlowSteps {
  readonly device = "cpu";
  readonly precision = "f32";
  schemes: readonly string[] = [];
  #memory: FlowMemory | null = null;
  #sizes: readonly Size[] = [];
  #options!: FlowOptions;
  #level = 0;
  #times = { pyramid: 0, warp: 0, iterations: 0 };

  constructor(private readonly setting: SimdFlowOptions) {}

  async begin(pairs: readonly ScaledPair[], sizes: readonly Size[], options: FlowOptions): Promise<void> {
    this.#times = { pyramid: 0, warp: 0, iterations: 0 };
    this.#sizes = sizes;
    this.#options = options;
    this.schemes = sizes.map(() => `simd, up to ${this.setting.threads} threads`);
    const key = JSON.stringify([pairs.length, sizes, options]);
    if (this.#memory?.key !== key) {
      this.destroy();
      this.#memory = layOut(key, pairs.length, sizes, options, this.setting);
    }
    await this.#timed("pyramid", async () => {
      for (const [k, { first, second, scale }] of pairs.entries()) {
        const pair = this.#ready().pairs[k];
        await this.#pyramid(scaled(first, scale), pair.first, pair.other);
        await this.#pyramid(scaled(second, scale), pair.second, pair.other);
      }
    });
  }

  enter(level: number): Promise<void> {
    this.#level = level;
    const { kernels, plane } = this.#ready();
    const size = this.#sizes[level];
    const coarser: Size | undefined = this.#sizes[level + 1];
    return this.#timed("warp", async () => {
      for (const pair of this.#ready().pairs) {
        for (const [at, difference] of [
          [pair.u, pair.state],
          [pair.v, pair.state + plane],
        ]) {
          if (coarser === undefined) {
            kernels.floats.fill(0, at / 4, (at + plane) / 4);
            continue;
          }
          await this.#add(coarser, at, difference, at);
          await this.#resample(coarser, at, size, pair.other, 1 / this.#options.zoom);
          kernels.floats.copyWithin(at / 4, pair.other / 4, (pair.other + plane) / 4);
        }
        kernels.floats.fill(0, pair.state / 4, (pair.state + STATE * plane) / 4);
      }
    });
  }

  warp(): Promise<void> {
    const { kernels, plane, scratch } = this.#ready();
    const size = this.#sizes[this.#level];
    const { width, height } = size;
    const stride = strideOf(size);
    const side = this.#options.median;
    return this.#timed("warp", async () => {
      for (const pair of this.#ready().pairs) {
        const { u, v, state, other, residual, gradientX, gradientY, first, second } = pair;
        for (const [at, difference] of [
          [u, state],
          [v, state + plane],
        ]) {
          await this.#add(size, at, difference, side === 0 ? at : other);
          const places = [other, at, width, height, stride, side, scratch, medianRoom(size), FILTER_BAND];
          if (side > 0) await kernels.run("median", height, FILTER_BAND, places);
          kernels.floats.fill(0, difference / 4, (difference + plane) / 4);
        }
        const images = [first[this.#level], second[this.#level]];
        const made = [residual, gradientX, gradientY];
        await kernels.run("linearize", height, FILTER_BAND, [...images, u, v, ...made, width, height, stride]);
      }
    });
  }

  iterate(count: number): Promise<void> {
    return this.#timed("iterations", async () => {
      // In rounds of about as many each: the halo's cost grows with their length.
      for (let left = count, rounds = Math.ceil(count / DEPTH); rounds > 0; rounds--) {
        const now = Math.ceil(left / rounds);
        await this.#advance(now);
        left -= now;
      }
    });
  }

  async iterateMeasured(): Promise<number> {
    const { pairs, plane, kernels } = this.#ready();
    const changes = () =>
      pairs.map(({ state }) => [state, state + plane].map((at) => imageAt(kernels, at, this.#sizes[this.#level])));
    const before = changes();
    await this.iterate(1);
    const means = changes().map((after, k) => {
      let sum = 0;
      after.forEach((pixels, c) => {
        for (let i = 0; i < pixels.length; i++) sum += (pixels[i] - before[k][c][i]) ** 2;
      });
      return sum / after[0].length;
    });
    return Math.max(...means);
  }

  async finish(): Promise<FlowField[]> {
    const { kernels, plane, pairs } = this.#ready();
    const size = this.#sizes[this.#level];
    const fields: FlowField[] = [];
    for (const { u, v, state, other } of pairs) {
      await this.#add(size, u, state, other);
      await this.#add(size, v, state + plane, other + plane);
      fields.push({ ...size, u: imageAt(kernels, other, size), v: imageAt(kernels, other + plane, size) });
    }
    return fields;
  }

  times(): Readonly<Record<string, number>> {
    return this.#times;
  }

  destroy(): void {
    this.#memory?.kernels.close();
    this.#memory = null;
  }

  async #advance(count: number): Promise<void> {
    const { kernels, plane, scratch, pairs } = this.#ready();
    const size = this.#sizes[this.#level];
    const { width, height } = size;
    const { lambda, theta, tau } = this.#options;
    const constants = [lambda * theta, theta, tau / theta, scratch, iterationRoom(size), BAND];
    for (const pair of pairs) {
      const { state, other, u, v, residual, gradientX, gradientY } = pair;
      const planes = [state, other, plane, u, v, residual, gradientX, gradientY];
      await kernels.run("iterate", height, BAND, [count, ...planes, width, height, strideOf(size), ...constants]);
      pair.state = other;
      pair.other = state;
    }
  }

  /** Levels of an image, by way of the planes from `work` on. */
  async #pyramid(image: Plane, levels: readonly number[], work: number): Promise<void> {
    const { kernels, plane } = this.#ready();
    const { zoom, presmooth } = this.#options;
    const [finest] = this.#sizes;
    const stride = strideOf(finest);
    const to = presmooth === 0 ? levels[0] : work;
    for (let y = 0; y < finest.height; y++) {
      const row = image.pixels.subarray(y * finest.width, (y + 1) * finest.width);
      kernels.floats.set(row, to / 4 + y * stride);
    }
    if (presmooth > 0) await this.#blur(finest, presmooth, work, work + plane, levels[0]);
    for (let level = 1; level < levels.length; level++) {
      const finer = this.#sizes[level - 1];
      await this.#blur(finer, zoomSigma(zoom), levels[level - 1], work, work + plane);
      await this.#resample(finer, work + plane, this.#sizes[level], levels[level], 1, 1 / zoom);
    }
  }

  async #blur(size: Size, sigma: number, from: number, between: number, to: number): Promise<void> {
    const { kernels, taps } = this.#ready();
    const weights = gaussianWeights(sigma);
    const radius = (weights.length - 1) / 2;
    kernels.floats.set(weights.subarray(radius), taps / 4);
    const { width, height } = size;
    const stride = strideOf(size);
    await kernels.run("blurAcross", height, FILTER_BAND, [from, between, width, stride, taps, radius]);
    await kernels.run("blurDown", height, FILTER_BAND, [between, to, height, stride, taps, radius]);
  }

  /** @param step from one pixel to the next, in pixels of the plane that is sampled [that of both sizes] */
  async #resample(from: Size, at: number, size: Size, to: number, scale: number, step?: number): Promise<void> {
    const { kernels, taps } = this.#ready();
    const addresses: number[] = [];
    let next = taps;
    for (const side of ["width", "height"] as const) {
      const { places, weights } = tapsAlong(size[side], Math.fround(step ?? from[side] / size[side]), from[side]);
      kernels.integers.set(places, next / 4);
      kernels.floats.set(weights, next / 4 + places.length);
      addresses.push(next, next + 4 * places.length);
      next += 8 * places.length;
    }
    const places = [at, strideOf(from), to, size.width, strideOf(size), ...addresses, scale];
    await kernels.run("resample", size.height, FILTER_BAND, places);
  }

  #add(size: Size, a: number, b: number, to: number): Promise<void> {
    return this.#ready().kernels.run("add", size.height, size.height, [a, b, to, strideOf(size)]);
  }

  #ready(): FlowMemory {
    if (this.#memory === null) throw new Error("the flow has not begun");
    return this.#memory;
  }

  async #timed(part: "pyramid" | "warp" | "iterations", work: () => Promise<void>): Promise<void> {
    const from = this.setting.now();
    await work();
    this.#times[part] += this.setting.now() - from;
  }
}
