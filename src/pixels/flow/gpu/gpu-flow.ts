import type { FlowField } from "../../../core/flow-field.js";
import { DeviceError } from "../../../gpu/device-error.js";
import { tilesOf } from "../../../gpu/dispatch.js";
import { Recorder } from "../../../gpu/recorder.js";
import type { GpuSession } from "../../../gpu/session.js";
import type { Kernel } from "../../../gpu/wgsl/kernel.js";
import type { Bound } from "../../../gpu/workspace.js";
import { filterStep } from "../../gpu-planes.js";
import type { Size } from "../../image.js";
import type { FlowSteps, ScaledPair } from "../flow.js";
import type { FlowOptions, FlowPrecision } from "../options.js";
import { type FlowBatch, makeBatch, runOf } from "./flow-batch.js";
import type { FlowScheme } from "./scheme.js";
import { tiled } from "./tiled.js";

export interface GpuFlowOptions {
  readonly precision?: FlowPrecision;
  /** How the iterations run; in tiles of the usual shape unless given. */
  readonly scheme?: FlowScheme;
  /** Time every kernel by the device's clock. */
  readonly profile?: boolean;
  /** Seconds since some fixed time. */
  readonly now: () => number;
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

type Phase = "pyramid" | "warp" | "iterations";

/** Pairs of buffers: kernels read one and write the other, which then is the newest. */
type Turned = "unknown" | "base" | "dual";

class GpuFlow implements FlowSteps {
  readonly device: string;
  readonly #times: Record<Phase | "readback", number> = { pyramid: 0, warp: 0, iterations: 0, readback: 0 };
  readonly #recorder: Recorder<Phase>;
  readonly #scheme: FlowScheme;
  #batch: FlowBatch | null = null;
  #level = 0;
  #isFresh = true;
  /** Which of two buffers holds the newest u, u⁰ and p; "zero" where u is 0 everywhere. */
  readonly #newest: Record<Turned, 0 | 1 | "zero"> = { unknown: "zero", base: "zero", dual: 0 };

  constructor(
    private readonly session: GpuSession,
    readonly precision: FlowPrecision,
    { scheme = tiled(), now, profile = false }: GpuFlowOptions,
  ) {
    this.device = session.description.name;
    this.#scheme = scheme;
    this.#recorder = new Recorder<Phase>(session, this.#times, { now, profile });
  }

  get schemes(): readonly string[] {
    return this.#batch?.plans.map(({ name }) => name) ?? [];
  }

  async begin(pairs: readonly ScaledPair[], sizes: readonly Size[], options: FlowOptions): Promise<void> {
    Object.assign(this.#times, { pyramid: 0, warp: 0, iterations: 0, readback: 0 });
    const key = JSON.stringify([pairs.length, sizes, options]);
    if (this.#batch?.key !== key) {
      this.#batch?.work.destroy();
      this.#batch = null;
      this.#batch = await this.session.scoped("flow", () =>
        makeBatch(this.session, this.#scheme, key, pairs.length, sizes, options, this.precision),
      );
    }
    const { work, upload, kernels } = this.#batch;
    const pixels = sizes[0].width * sizes[0].height;
    // Kernels recorded so far must not read the new images.
    this.#recorder.submit();
    for (const [k, { first, second, scale }] of pairs.entries()) {
      const send = async (encoder: GPUCommandEncoder) => {
        await upload.send(encoder, first, "frames", { first: 2 * k * pixels, ...scale });
        await upload.send(encoder, second, "frames", { first: (2 * k + 1) * pixels, ...scale });
      };
      await work.submit(send);
    }
    sizes.forEach((size, level) => {
      const finer = sizes[Math.max(level - 1, 0)];
      const step = level === 0 ? 1 : 1 / options.zoom;
      const weights = level === 0 ? "presmoothing" : "smoothing of levels";
      const image = level === 0 ? "frames" : `level ${level - 1}`;
      const radius = (work.buffer(weights).size / 4 - 1) / 2;
      const bound = { image, taps: weights, other: "no other image", result: "blurred" };
      const planes = 2 * pairs.length;
      const rows = filterStep(work, kernels.fixed.blur, finer, bound, { alongX: 1, radius, planes });
      this.#recorder.kernel("pyramid", (pass) => work.dispatch(pass, rows));
      const run = runOf(this.#ready(), size, { source: finer, step: [step, step] });
      const { shrink } = kernels.fixed;
      this.#record("pyramid", shrink, tilesOf(shrink, size, planes), { run, weights, image: `level ${level}` });
    });
  }

  async enter(level: number): Promise<void> {
    const { sizes, options, kernels } = this.#ready();
    const coarser = sizes[level + 1];
    this.#level = level;
    this.#isFresh = true;
    if (coarser === undefined) {
      Object.assign(this.#newest, { unknown: "zero", base: "zero" });
      return;
    }
    const size = sizes[level];
    const step = [coarser.width / size.width, coarser.height / size.height] as const;
    const run = runOf(this.#ready(), size, { source: coarser, step, scale: 1 / options.zoom });
    this.#perPixel("warp", kernels.fixed.upsample, { run });
    this.#turn("unknown", "base");
  }

  async warp(): Promise<void> {
    const { sizes, kernels } = this.#ready();
    const run = runOf(this.#ready(), sizes[this.#level], { fresh: this.#isFresh ? 1 : 0 });
    this.#perPixel("warp", kernels.fixed.linearize, { run, images: `level ${this.#level}` });
    this.#isFresh = false;
    this.#turn("unknown", "base");
  }

  async iterate(count: number): Promise<void> {
    const { depth } = this.#ready().plans[this.#level];
    // In rounds of about as many each: the halo's cost grows faster than their length.
    for (let left = count, rounds = Math.ceil(count / depth); rounds > 0; rounds--) {
      const now = Math.ceil(left / rounds);
      this.#advance(now);
      left -= now;
    }
  }

  async iterateMeasured(): Promise<number> {
    const { work, kernels, pairs, sizes } = this.#ready();
    const size = sizes[this.#level];
    this.#recorder.copy(work.buffer(this.#state().unknown), work.buffer("before"));
    this.#advance(1);
    const { change } = kernels.fixed;
    this.#perPixel("iterations", change, { run: runOf(this.#ready(), size, {}) });
    const [bytes] = await this.#recorder.readBack([work.buffer("sums")]);
    const [x, y] = tilesOf(change, size);
    const sums = new Float32Array(bytes);
    let most = 0;
    for (let pair = 0; pair < pairs; pair++) {
      const sum = sums.subarray(pair * x * y, (pair + 1) * x * y).reduce((total, part) => total + part, 0);
      most = Math.max(most, sum / (size.width * size.height));
    }
    return most;
  }

  async finish(): Promise<FlowField[]> {
    const { work, kernels, pairs, sizes } = this.#ready();
    const { width, height } = sizes[this.#level];
    this.#perPixel("warp", kernels.fixed.settle, { run: runOf(this.#ready(), { width, height }, {}) });
    const [bytes] = await this.#recorder.readBack([work.buffer("flow")]);
    const plane = (n: number) => new Float32Array(bytes, 4 * n * width * height, width * height);
    return Array.from({ length: pairs }, (_, pair) => ({ width, height, u: plane(2 * pair), v: plane(2 * pair + 1) }));
  }

  times(): Readonly<Record<string, number>> {
    return { ...this.#times };
  }

  destroy(): void {
    this.#batch?.work.destroy();
    this.#batch = null;
    this.#recorder.destroy();
  }

  /** One round of `count` iterations. */
  #advance(count: number): void {
    const { plans, kernels, sizes } = this.#ready();
    const plan = plans[this.#level];
    const run = runOf(this.#ready(), sizes[this.#level], { iterations: count });
    for (const [name, groups] of plan.round(count)) {
      this.#record("iterations", kernels.iterations[this.#level][name], groups, { run });
    }
    if (!plan.inPlace) this.#turn("unknown", "dual");
  }

  #turn(...turned: readonly Turned[]): void {
    for (const name of turned) this.#newest[name] = otherOf(this.#newest[name]);
  }

  /** The buffers of the state, by the names that kernels give them. */
  #state(): Record<"unknown" | "unknownOut" | "base" | "baseOut" | "dual" | "dualIn" | "dualOut", string> {
    const { unknown, base, dual } = this.#newest;
    const isInPlace = this.#ready().plans[this.#level]?.inPlace === true;
    return {
      unknown: `unknown ${unknown}`,
      unknownOut: `unknown ${otherOf(unknown)}`,
      base: `base ${base}`,
      baseOut: `base ${otherOf(base)}`,
      dual: `dual ${dual}`,
      dualIn: `dual ${dual}`,
      dualOut: `dual ${isInPlace ? dual : otherOf(dual)}`,
    };
  }

  #perPixel(phase: Phase, kernel: Kernel, bound: Bound): void {
    const { sizes, pairs } = this.#ready();
    this.#record(phase, kernel, tilesOf(kernel, sizes[this.#level], pairs), bound);
  }

  /** Records a kernel, bound to the buffers given and to those of the state that it declares. */
  #record(phase: Phase, kernel: Kernel, groups: readonly [number, number, number], bound: Bound): void {
    const { work } = this.#ready();
    const declared = kernel.shader.declarations.bindings;
    const state = Object.entries(this.#state()).filter(([name]) => declared.has(name));
    const step = { kernel, groups, bound: { ...Object.fromEntries(state), ...bound } };
    this.#recorder.kernel(phase, (pass) => work.dispatch(pass, step));
  }

  #ready(): FlowBatch {
    if (this.#batch === null) throw new DeviceError("flow: begin() comes first");
    return this.#batch;
  }
}

const otherOf = (one: 0 | 1 | "zero"): 0 | 1 => (one === 0 ? 1 : 0);
