import type { FlowField } from "../../../core/flow-field.js";
import { createStorage, uploadStorage, uploadUniform, writeStorage } from "../../../gpu/buffers.js";
import { DeviceError } from "../../../gpu/device-error.js";
import { Recorder } from "../../../gpu/recorder.js";
import type { GpuSession } from "../../../gpu/session.js";
import type { Kernel, Resources } from "../../../gpu/wgsl/kernel.js";
import { gaussianWeights } from "../../gaussian.js";
import type { Size } from "../../image.js";
import { zoomSigma } from "../../pyramid.js";
import type { FlowOptions, FlowPrecision, FlowScheme } from "../options.js";
import type { FlowSteps, ImagePair } from "../steps.js";
import { type FlowKernels, loadFlowKernels } from "./kernels.js";
import { planScheme, type SchemeChoice, type SchemePlan } from "./scheme.js";

/** The scheme where none is asked for. */
export const DEFAULT_SCHEME: FlowScheme = "tiled";

export type FlowPhase = "pyramid" | "warp" | "iterations";

/** The recorder of the kernels: gpu/recorder.ts, or that of a benchmark. */
export type FlowRecorder = Pick<Recorder<FlowPhase>, "kernel" | "copy" | "readBack" | "destroy">;

export interface GpuFlowOptions extends Partial<SchemeChoice> {
  readonly precision?: FlowPrecision;
  /** Time every kernel by the device's clock. */
  readonly profile?: boolean;
  /** Seconds since some fixed time. */
  readonly now: () => number;
  readonly recorder?: FlowRecorder;
}

/**
 * The steps of the flow on a device. All images, fields and states stay there; the fields come back at the end.
 * @throws DeviceError where f16 arithmetic is asked for and the device has none
 */
export function createGpuFlow(session: GpuSession, options: GpuFlowOptions): FlowSteps {
  const { precision = "f32" } = options;
  if (precision === "f16" && !session.device.features.has("shader-f16")) {
    throw new DeviceError(
      `${session.description.name} has no shader-f16: choose --precision f16s, which stores in f16 on any device, or --device cpu`,
    );
  }
  return new GpuFlow(session, precision, options);
}

/** Two buffers of the same kind: kernels that read their neighbours' values write to the other one, which becomes the newest. */
class Twofold {
  constructor(
    public newest: GPUBuffer,
    private readonly both: readonly [GPUBuffer, GPUBuffer],
  ) {}

  get other(): GPUBuffer {
    return this.newest === this.both[0] ? this.both[1] : this.both[0];
  }

  turn(): void {
    this.newest = this.other;
  }
}

/** Numbers of 4 bytes that a pixel's u and p take. */
const PAIR_WORDS: Readonly<Record<FlowPrecision, number>> = { f32: 2, f16s: 1, f16: 1 };

const ceilDivide = (a: number, b: number) => Math.ceil(a / b);

class GpuFlow implements FlowSteps {
  readonly device: string;
  readonly #times: Record<FlowPhase | "readback", number> = { pyramid: 0, warp: 0, iterations: 0, readback: 0 };
  readonly #recorder: FlowRecorder;
  readonly #choice: SchemeChoice;
  #made: Buffers | null = null;
  #level = 0;
  #isFresh = true;

  constructor(
    private readonly session: GpuSession,
    readonly precision: FlowPrecision,
    options: GpuFlowOptions,
  ) {
    this.device = session.description.name;
    this.#choice = { ...options, scheme: options.scheme ?? DEFAULT_SCHEME };
    const { now, profile = false } = options;
    this.#recorder = options.recorder ?? new Recorder<FlowPhase>(session, this.#times, { now, profile });
  }

  get schemes(): readonly string[] {
    return this.#made?.plans.map(({ name }) => name) ?? [];
  }

  async begin(pairs: readonly ImagePair[], sizes: readonly Size[], options: FlowOptions): Promise<void> {
    Object.assign(this.#times, { pyramid: 0, warp: 0, iterations: 0, readback: 0 });
    const key = JSON.stringify([pairs.length, sizes, options]);
    if (this.#made?.key !== key) {
      this.#made?.destroy();
      this.#made = null;
      this.#made = await this.session.scoped("flow", () => this.#make(key, pairs.length, sizes, options));
    }
    const made = this.#made;
    const pixels = sizes[0].width * sizes[0].height;
    pairs.forEach(({ first, second }, k) => {
      writeStorage(this.session, made.source, first.pixels, 2 * k * pixels);
      writeStorage(this.session, made.source, second.pixels, (2 * k + 1) * pixels);
    });
    sizes.forEach((size, level) => {
      const finer = sizes[Math.max(level - 1, 0)];
      const step = level === 0 ? 1 : 1 / options.zoom;
      const run = made.run(size, { source: finer, step: [step, step] });
      const weights = level === 0 ? made.presmooth : made.zoomSmooth;
      const source = level === 0 ? made.source : made.images[level - 1];
      const blurred = { run, weights, source, blurred: made.blurred };
      this.#dispatch("pyramid", made.kernels.blurRows, blurred, finer, 2 * pairs.length);
      const shrunk = { run, weights, blurred: made.blurred, image: made.images[level] };
      this.#dispatch("pyramid", made.kernels.shrink, shrunk, size, 2 * pairs.length);
    });
  }

  async #make(key: string, pairs: number, sizes: readonly Size[], options: FlowOptions): Promise<Buffers> {
    const { limits } = this.session.device;
    const workgroup = {
      threads: limits.maxComputeInvocationsPerWorkgroup,
      bytes: limits.maxComputeWorkgroupStorageSize,
    };
    const plans = sizes.map((size) => planScheme(this.#choice, size, options.iterations, this.precision, workgroup));
    const kernels = await loadFlowKernels(this.session, this.precision, plans, options.median);
    return new Buffers(this.session, key, pairs, sizes, options, this.precision, kernels, plans);
  }

  enter(level: number): void {
    const made = this.#buffers();
    const coarser = made.sizes[level + 1];
    this.#level = level;
    this.#isFresh = true;
    if (coarser === undefined) {
      // At the coarsest level the flow is 0: a buffer that nothing writes to.
      made.unknown.newest = made.zero;
      made.base.newest = made.zero;
      return;
    }
    const size = made.sizes[level];
    const step = [coarser.width / size.width, coarser.height / size.height] as const;
    const run = made.run(size, { source: coarser, step, scale: 1 / made.options.zoom });
    this.#start(made.kernels.upsample, { run });
  }

  warp(): void {
    const made = this.#buffers();
    const run = made.run(made.sizes[this.#level], { fresh: this.#isFresh ? 1 : 0 });
    const { slope, residual, dual } = made;
    this.#start(made.kernels.linearize, { run, images: made.images[this.#level], slope, residual, dual: dual.newest });
    this.#isFresh = false;
  }

  /** A kernel that reads the flow of the state and begins another state. */
  #start(kernel: Kernel, bound: Resources): void {
    const { unknown, base, sizes, pairs } = this.#buffers();
    const flow = { unknown: unknown.newest, unknown_out: unknown.other };
    const bases = { base: base.newest, base_out: base.other };
    this.#dispatch("warp", kernel, { ...bound, ...flow }, sizes[this.#level], pairs, bases);
    unknown.turn();
    base.turn();
  }

  iterate(count: number): void {
    const made = this.#buffers();
    const { depth } = made.plans[this.#level];
    // In dispatches of about as many each: the halo's cost grows faster than their length.
    for (let left = count, dispatches = ceilDivide(count, depth); dispatches > 0; dispatches--) {
      const now = ceilDivide(left, dispatches);
      this.#advance(made, now);
      left -= now;
    }
  }

  async iterateMeasured(): Promise<number> {
    const made = this.#buffers();
    const size = made.sizes[this.#level];
    this.#recorder.copy(made.unknown.newest, made.before);
    this.#advance(made, 1);
    const run = made.run(size, {});
    const bound = { run, before: made.before, unknown: made.unknown.newest, sums: made.sums };
    this.#dispatch("iterations", made.kernels.change, bound, size, made.pairs, { base: made.base.newest });
    const [bytes] = await this.#recorder.readBack([made.sums]);
    const groups = ceilDivide(size.width, TILE[0]) * ceilDivide(size.height, TILE[1]);
    const sums = new Float32Array(bytes);
    let most = 0;
    for (let pair = 0; pair < made.pairs; pair++) {
      const sum = sums.subarray(pair * groups, (pair + 1) * groups).reduce((total, part) => total + part, 0);
      most = Math.max(most, sum / (size.width * size.height));
    }
    return most;
  }

  async finish(): Promise<FlowField[]> {
    const made = this.#buffers();
    const size = made.sizes[this.#level];
    const { width, height } = size;
    const bound = { run: made.run(size, {}), unknown: made.unknown.newest, flow: made.flow };
    this.#dispatch("warp", made.kernels.settle, bound, size, made.pairs, { base: made.base.newest });
    const [bytes] = await this.#recorder.readBack([made.flow]);
    const values = new Float32Array(bytes);
    return Array.from({ length: made.pairs }, (_, pair) => {
      const u = new Float32Array(width * height);
      const v = new Float32Array(width * height);
      for (let i = 0, at = 2 * pair * u.length; i < u.length; i++, at += 2) {
        u[i] = values[at];
        v[i] = values[at + 1];
      }
      return { width, height, u, v };
    });
  }

  times(): Readonly<Record<string, number>> {
    return { ...this.#times };
  }

  destroy(): void {
    this.#made?.destroy();
    this.#made = null;
    this.#recorder.destroy();
  }

  /** `count` iterations in one dispatch, or two for scheme global. */
  #advance(made: Buffers, count: number): void {
    const { scheme, workgroup, block, rows, depth } = made.plans[this.#level];
    const size = made.sizes[this.#level];
    const run = made.run(size, { iterations: count, rows });
    const { unknown, dual, slope, residual, pairs, kernels } = made;
    const base = made.base.newest;
    const state = { run, unknown: unknown.newest };
    if (scheme === "global") {
      const bound = { ...state, dual_in: dual.newest, slope, residual };
      this.#dispatch("iterations", kernels.primal, bound, size, pairs, { base });
      this.#dispatch("iterations", kernels.dual, { ...state, dual_out: dual.newest }, size, pairs, { base });
      return;
    }
    const kernel = kernels.iterations(made.plans[this.#level], count);
    const next = { unknown_out: unknown.other, dual_out: dual.other };
    const bound = { ...state, dual_in: dual.newest, slope, residual, ...next };
    const [x, y] = workgroup;
    const { width, height } = size;
    const groups = {
      fused: () => [ceilDivide(width, x - 1), ceilDivide(height, y - 1), pairs],
      tiled: () => [ceilDivide(width, block[0] * x - 2 * count), ceilDivide(height, block[1] * y - 2 * count), pairs],
      level: () => [pairs, 1, 1],
      "shared-pipeline": () => [ceilDivide(width, x - 2 * count), ceilDivide(height, rows), pairs],
      "global-pipeline": () => [1, ceilDivide(height, rows), pairs],
    }[scheme]();
    const pool = scheme === "global-pipeline" ? { base, ...made.copies(size, rows, depth) } : { base };
    this.#record("iterations", kernel, bound, pool, groups);
    unknown.turn();
    dual.turn();
  }

  #dispatch(
    phase: FlowPhase,
    kernel: Kernel,
    bound: Resources,
    size: Size,
    planes: number,
    pool: Resources = {},
  ): void {
    const [x, y] = kernel.workgroupSize;
    this.#record(phase, kernel, bound, pool, [ceilDivide(size.width, x), ceilDivide(size.height, y), planes]);
  }

  #record(phase: FlowPhase, kernel: Kernel, bound: Resources, pool: Resources, [x, y, z]: readonly number[]): void {
    const group = this.#buffers().group(kernel, bound, pool);
    this.#recorder.kernel(phase, (pass) => kernel.dispatch(pass, group, x, y, z));
  }

  #buffers(): Buffers {
    if (this.#made === null) throw new DeviceError("flow: begin() comes first");
    return this.#made;
  }
}

interface RunFields {
  readonly source?: Size;
  readonly step?: readonly [number, number];
  readonly scale?: number;
  readonly iterations?: number;
  readonly rows?: number;
  readonly fresh?: number;
}

/** Threads of a workgroup along x and y of the kernels that have a thread a pixel. */
const TILE = [32, 8] as const;

/** All buffers of a batch of pairs of one size, made once and used for every batch like it. */
class Buffers {
  /** u, or u − u⁰ in halves; u⁰, which f32 does not need; and p. */
  readonly unknown: Twofold;
  readonly base: Twofold;
  readonly dual: Twofold;
  readonly zero: GPUBuffer;
  /** The result. */
  readonly flow: GPUBuffer;
  readonly source: GPUBuffer;
  readonly blurred: GPUBuffer;
  readonly images: readonly GPUBuffer[];
  readonly presmooth: GPUBuffer;
  readonly zoomSmooth: GPUBuffer;
  readonly slope: GPUBuffer;
  readonly residual: GPUBuffer;
  readonly before: GPUBuffer;
  readonly sums: GPUBuffer;
  readonly #all: GPUBuffer[] = [];
  readonly #runs = new Map<string, GPUBuffer>();
  readonly #groups = new Map<string, GPUBindGroup>();
  readonly #names = new Map<GPUBuffer, number>();
  #copies: { readonly copy: GPUBuffer; readonly copy_dual: GPUBuffer } | null = null;

  constructor(
    private readonly session: GpuSession,
    readonly key: string,
    readonly pairs: number,
    readonly sizes: readonly Size[],
    readonly options: FlowOptions,
    private readonly precision: FlowPrecision,
    readonly kernels: FlowKernels,
    readonly plans: readonly SchemePlan[],
  ) {
    const [finest] = sizes;
    const pixels = finest.width * finest.height;
    const words = PAIR_WORDS[precision];
    const make = (label: string, perPair: number) =>
      this.#keep(createStorage(session, `flow ${label}`, perPair * pairs));
    this.source = make("frames", 2 * pixels);
    this.blurred = make("blurred frames", 2 * pixels);
    this.images = sizes.map(({ width, height }, level) => make(`level ${level}`, 2 * width * height));
    this.presmooth = this.#keep(uploadStorage(session, "presmoothing", weightsOf(options.presmooth)));
    this.zoomSmooth = this.#keep(uploadStorage(session, "smoothing of levels", weightsOf(zoomSigma(options.zoom))));
    const coarsest = sizes[sizes.length - 1];
    this.zero = make("zero", words * coarsest.width * coarsest.height);
    this.flow = make("u", 2 * pixels);
    this.slope = make("slopes", words * pixels);
    this.residual = make("residuals", pixels);
    this.before = make("u before", words * pixels);
    this.sums = make("change", ceilDivide(finest.width, TILE[0]) * ceilDivide(finest.height, TILE[1]));
    const both = (label: string, perPair: number) => {
      const pair = [make(label, perPair), make(label, perPair)] as const;
      return new Twofold(pair[0], pair);
    };
    this.unknown = both("unknown", words * pixels);
    this.base = both("base", precision === "f32" ? 1 : pixels);
    this.dual = both("dual", 2 * words * pixels);
  }

  /** Strips of scheme global-pipeline: `rows` and `depth` more at both ends. */
  copies({ width, height }: Size, rows: number, depth: number): Resources {
    if (this.#copies === null) {
      const lines = ceilDivide(height, rows) * (rows + 2 * depth);
      const words = PAIR_WORDS[this.precision];
      // Finer levels need more: the first call may be for a coarse one.
      const [finest] = this.sizes;
      const pixels =
        Math.max(lines * width, ceilDivide(finest.height, rows) * (rows + 2 * depth) * finest.width) * this.pairs;
      this.#copies = {
        copy: this.#keep(createStorage(this.session, "flow strips", words * pixels)),
        copy_dual: this.#keep(createStorage(this.session, "flow strips of p", 2 * words * pixels)),
      };
    }
    return { ...this.#copies };
  }

  run(
    size: Size,
    { source = size, step = [1, 1], scale = 1, iterations = 0, rows = 1, fresh = 0 }: RunFields,
  ): GPUBuffer {
    const { lambda, theta, tau } = this.options;
    const record = {
      width: size.width,
      height: size.height,
      source_width: source.width,
      source_height: source.height,
      step_x: step[0],
      step_y: step[1],
      scale,
      iterations,
      rows,
      fresh,
      limit: lambda * theta,
      theta,
      rate: tau / theta,
    };
    const key = JSON.stringify(record);
    let run = this.#runs.get(key);
    if (run === undefined) {
      run = this.#keep(uploadUniform(this.session, "flow run", this.kernels.blurRows.struct("Run").pack([record])));
      this.#runs.set(key, run);
    }
    return run;
  }

  /** The bind group of a kernel and its buffers, made once. */
  group(kernel: Kernel, bound: Resources, pool: Resources): GPUBindGroup {
    const names = [...Object.values(bound), ...Object.values(pool)].map((buffer) =>
      this.#names.get(buffer as GPUBuffer),
    );
    const key = `${kernel.pipeline.label} ${names.join(" ")}`;
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = kernel.bind(bound, pool);
      this.#groups.set(key, group);
    }
    return group;
  }

  destroy(): void {
    for (const buffer of this.#all) buffer.destroy();
  }

  #keep(buffer: GPUBuffer): GPUBuffer {
    this.#all.push(buffer);
    this.#names.set(buffer, this.#all.length);
    return buffer;
  }
}

function weightsOf(sigma: number): Float32Array {
  return sigma === 0 ? Float32Array.of(1) : Float32Array.from(gaussianWeights(sigma));
}
