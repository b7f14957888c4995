import { copied } from "../../gpu/buffers.js";
import { strideOver } from "../../gpu/dispatch.js";
import type { Recorder } from "../../gpu/recorder.js";
import type { Kernel } from "../../gpu/wgsl/kernel.js";
import type { Bound } from "../../gpu/workspace.js";
import type { StepTimes } from "../dual/steps.js";
import { type KernelArguments, type KernelName, PHASE } from "./gpu-kernels.js";
import type { Range } from "./gpu-lists.js";
import type { GpuMemory } from "./gpu-memory.js";

/** Uniforms kept: most recur in every iteration, and those of a frame pair in every search for tracks, but steps change in length. */
const MOST_UNIFORMS = { all: 1000, pair: 6 } as const;

/** Kernels with a thread to each of some elements. */
type ElementKernel = "limits" | "choose-births" | "choose" | "subgradient" | "stand" | "between" | "begin-tracks";
/** Those with a workgroup to each item of a range. */
type RangeKernel = Exclude<KernelName, ElementKernel>;

/** Records the ascent's kernels over the buffers of an instance. */
export class KernelRuns {
  constructor(
    private readonly memory: GpuMemory,
    private readonly kernels: ReadonlyMap<KernelName, Kernel>,
    readonly recorder: Recorder<keyof StepTimes>,
  ) {}

  /** Records a kernel with a workgroup to each item of a range. */
  overRange<Name extends RangeKernel>(name: Name, run: KernelArguments[Name] & Range, bound?: Bound): void {
    this.#record(name, (kernel) => Math.min(run.count, kernel.session.mostGroups), run, bound);
  }

  /** Records a kernel with a thread to each of `count` elements. */
  overElements<Name extends ElementKernel>(name: Name, count: number, run: KernelArguments[Name], bound?: Bound): void {
    this.#record(name, (kernel) => strideOver(kernel, count), run, bound);
  }

  /** Runs what is recorded; resolves to the buffers' content. */
  readBack(buffers: readonly GPUBuffer[]): Promise<ArrayBuffer[]> {
    return this.decoded(buffers, copied);
  }

  /** The same; resolves to what `decode` makes of the buffers' words, which are gone when it returns. */
  decoded<Result>(
    buffers: readonly GPUBuffer[],
    decode: (words: readonly Uint32Array<ArrayBuffer>[]) => Result,
  ): Promise<Result> {
    const result = this.recorder.decoded(buffers, decode);
    const { work, graph } = this.memory;
    work.forgetConstants(MOST_UNIFORMS.all + MOST_UNIFORMS.pair * graph.frames);
    return result;
  }

  /** @param bound other buffers than those of the names that the kernel declares, by these; names that it does not declare are left out */
  #record(name: KernelName, groupsOf: (kernel: Kernel) => number, run: KernelArguments[KernelName], bound: Bound = {}) {
    const kernel = this.kernels.get(name);
    if (kernel === undefined) throw new Error(`kernel ${name} is not loaded`);
    const groups = groupsOf(kernel);
    if (groups === 0) return;
    const { work } = this.memory;
    const { bindings } = kernel.shader.declarations;
    const others = Object.entries(bound).filter(([declared]) => bindings.has(declared));
    const step = {
      kernel,
      groups: [groups] as const,
      bound: { ...Object.fromEntries(others), ...(run && { run: work.constant(kernel.struct("Run"), { ...run }) }) },
    };
    this.recorder.kernel(PHASE[name], (pass) => work.dispatch(pass, step));
  }
}
