import type { FlowField } from "../../core/flow-field.js";
import { select } from "../../core/select.js";
import { resample } from "../bicubic.js";
import { toHalf } from "../half.js";
import type { GreyImage, Size } from "../image.js";
import { buildPyramid } from "../pyramid.js";
import { type FlowSteps, type ScaledPair, scaled } from "./flow.js";
import { iterate, stored, type Unknowns } from "./iterate.js";
import type { FlowOptions, FlowPrecision } from "./options.js";
import { type Linearization, linearize } from "./warp.js";

export interface CpuFlowOptions {
  readonly precision?: FlowPrecision;
  /** Seconds since some fixed time. */
  readonly now: () => number;
}

/** The steps of the flow on one thread: stored as f32 and computed in f64, or in the formats of `precision`. */
export function createCpuFlow({ precision = "f32", now }: CpuFlowOptions): FlowSteps {
  return new CpuFlow(precision, now);
}

interface Flow {
  u: Float32Array;
  v: Float32Array;
  dual: [Float32Array, Float32Array, Float32Array, Float32Array];
  pyramid: { readonly first: GreyImage[]; readonly second: GreyImage[] };
  unknowns: Unknowns | null;
  linear: Linearization | null;
}

class CpuFlow implements FlowSteps {
  readonly device = "cpu";
  schemes: readonly string[] = [];
  #flows: Flow[] = [];
  #sizes: readonly Size[] = [];
  #options!: FlowOptions;
  #level = 0;
  #times = { pyramid: 0, warp: 0, iterations: 0 };

  constructor(
    readonly precision: FlowPrecision,
    private readonly now: () => number,
  ) {}

  async begin(pairs: readonly ScaledPair[], sizes: readonly Size[], options: FlowOptions): Promise<void> {
    this.#times = { pyramid: 0, warp: 0, iterations: 0 };
    this.#sizes = sizes;
    this.#options = options;
    this.schemes = sizes.map(() => "global");
    const { zoom, presmooth } = options;
    const none = new Float32Array(0);
    this.#timed("pyramid", () => {
      this.#flows = pairs.map(({ first, second, scale }) => ({
        u: none,
        v: none,
        dual: [none, none, none, none],
        pyramid: {
          first: buildPyramid(scaled(first, scale), sizes, zoom, presmooth),
          second: buildPyramid(scaled(second, scale), sizes, zoom, presmooth),
        },
        unknowns: null,
        linear: null,
      }));
    });
  }

  async enter(level: number): Promise<void> {
    this.#level = level;
    const { width, height } = this.#sizes[level];
    const coarser: Size | undefined = this.#sizes[level + 1];
    const zeros = () => new Float32Array(width * height);
    this.#timed("warp", () => {
      for (const flow of this.#flows) {
        flow.dual = [zeros(), zeros(), zeros(), zeros()];
        if (coarser === undefined) {
          flow.u = zeros();
          flow.v = zeros();
          continue;
        }
        this.#settle(flow);
        const steps = [coarser.width / width, coarser.height / height] as const;
        const finer = (pixels: Float32Array) =>
          resample({ ...coarser, pixels }, width, height, steps, 1 / this.#options.zoom).pixels;
        flow.u = finer(flow.u);
        flow.v = finer(flow.v);
      }
    });
  }

  async warp(): Promise<void> {
    const { width, height } = this.#sizes[this.#level];
    this.#timed("warp", () => {
      for (const flow of this.#flows) {
        this.#settle(flow);
        const side = this.#options.median;
        flow.u = median(flow.u, width, height, side);
        flow.v = median(flow.v, width, height, side);
        if (this.precision !== "f32") {
          flow.u = flow.u.map(toHalf);
          flow.v = flow.v.map(toHalf);
        }
        const { first, second } = flow.pyramid;
        flow.linear = stored(linearize(first[this.#level], second[this.#level], flow.u, flow.v), this.precision);
        const zeros = () => new Float32Array(width * height);
        flow.unknowns = { width, height, baseU: flow.u, baseV: flow.v, du: zeros(), dv: zeros(), dual: flow.dual };
      }
    });
  }

  async iterate(count: number): Promise<void> {
    this.#timed("iterations", () => {
      for (const { unknowns, linear } of this.#flows) {
        if (unknowns !== null && linear !== null) iterate(unknowns, linear, this.#options, this.precision, count);
      }
    });
  }

  async iterateMeasured(): Promise<number> {
    const before = this.#flows.map(({ unknowns }) => unknowns && [unknowns.du.slice(), unknowns.dv.slice()]);
    await this.iterate(1);
    return this.#flows.reduce((most, { unknowns }, k) => {
      const [du, dv] = before[k] ?? [];
      if (unknowns === null || du === undefined) return most;
      let sum = 0;
      for (let i = 0; i < du.length; i++) sum += (unknowns.du[i] - du[i]) ** 2 + (unknowns.dv[i] - dv[i]) ** 2;
      return Math.max(most, sum / du.length);
    }, 0);
  }

  async finish(): Promise<FlowField[]> {
    const { width, height } = this.#sizes[this.#level];
    return this.#flows.map((flow) => {
      this.#settle(flow);
      return { width, height, u: flow.u, v: flow.v };
    });
  }

  times(): Readonly<Record<string, number>> {
    return this.#times;
  }

  destroy(): void {
    this.#flows = [];
  }

  /** u = u⁰ + (u − u⁰), where a warp has run. */
  #settle(flow: Flow): void {
    const { unknowns } = flow;
    if (unknowns === null) return;
    flow.u = flow.u.map((base, i) => base + unknowns.du[i]);
    flow.v = flow.v.map((base, i) => base + unknowns.dv[i]);
    flow.unknowns = null;
  }

  #timed(part: "pyramid" | "warp" | "iterations", work: () => void): void {
    const from = this.now();
    work();
    this.#times[part] += this.now() - from;
  }
}

/** The median over a side × side window (side odd), borders repeated; the image itself for side 0. */
export function median(pixels: Float32Array, width: number, height: number, side: number): Float32Array {
  if (side === 0) return pixels;
  const radius = (side - 1) / 2;
  const out = new Float32Array(pixels.length);
  const window = new Float32Array(side * side);
  const middle = (window.length - 1) / 2;
  const columns = new Int32Array(side);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let k = 0; k < side; k++) columns[k] = Math.min(Math.max(x + k - radius, 0), width - 1);
      let count = 0;
      for (let k = -radius; k <= radius; k++) {
        const row = width * Math.min(Math.max(y + k, 0), height - 1);
        for (let m = 0; m < side; m++) window[count++] = pixels[row + columns[m]];
      }
      out[y * width + x] = select(window, middle);
    }
  }
  return out;
}
