import { uploadUniform } from "../../gpu/buffers.js";
import { strideOver } from "../../gpu/dispatch.js";
import type { Recorder } from "../../gpu/recorder.js";
import type { GpuSession } from "../../gpu/session.js";
import type { Kernel, Resources } from "../../gpu/wgsl/kernel.js";
import type { StepTimes } from "../dual/steps.js";
import { type KernelName, PHASE } from "./gpu-kernels.js";
import type { Range } from "./gpu-lists.js";
import type { GpuMemory } from "./gpu-memory.js";

/** Uniforms kept. */
const MOST_UNIFORMS = 1000;

/** The arguments of a kernel besides its buffers: a range of a list, a number and a flag. */
export interface RunArguments extends Range {
  readonly argument?: number;
  readonly flag?: number;
}

/** Buffers in place of those of the instance, and a name that tells them apart. */
export interface OtherBuffers {
  readonly buffers: Resources;
  readonly name: string;
}

/** Records the ascent's kernels; their bind groups and uniforms are made once. */
export class KernelRuns {
  /** The instance's buffers, which a kernel binds by the names that it declares. */
  readonly pool;
  readonly #groups = new Map<string, GPUBindGroup>();
  readonly #uniforms = new Map<string, GPUBuffer>();

  constructor(
    private readonly session: GpuSession,
    private readonly memory: GpuMemory,
    private readonly kernels: ReadonlyMap<KernelName, Kernel>,
    readonly recorder: Recorder<keyof StepTimes>,
  ) {
    this.pool = { ...memory.buffers, ...memory.stored?.buffers };
  }

  /** Records a kernel with a workgroup to each item of a range. */
  overRange(name: KernelName, run: RunArguments, other?: OtherBuffers): void {
    this.#record(name, (_kernel) => Math.min(run.count, this.session.mostGroups), run, other);
  }

  /** Records a kernel with a thread to each of `count` elements. */
  overElements(name: KernelName, count: number, run: RunArguments | null = null, other?: OtherBuffers): void {
    this.#record(name, (kernel) => strideOver(kernel, count), run, other);
  }

  /** Runs what is recorded; resolves to the buffers' content. */
  readBack(buffers: readonly GPUBuffer[]): Promise<ArrayBuffer[]> {
    const parts = this.recorder.readBack(buffers);
    this.#tidy();
    return parts;
  }

  destroy(): void {
    for (const buffer of this.#uniforms.values()) buffer.destroy();
    this.recorder.destroy();
  }

  #record(
    name: KernelName,
    groupsOf: (kernel: Kernel) => number,
    run: RunArguments | null,
    other: OtherBuffers | undefined,
  ): void {
    const kernel = this.kernels.get(name);
    if (kernel === undefined) throw new Error(`kernel ${name} is not loaded`);
    const workgroups = groupsOf(kernel);
    if (workgroups === 0) return;
    const key = `${name} ${run?.first} ${run?.count} ${run?.argument} ${run?.flag} ${other?.name}`;
    let group = this.#groups.get(key);
    if (group === undefined) {
      const buffers = other === undefined ? this.pool : { ...this.pool, ...other.buffers };
      group = kernel.bind(run ? { run: this.#uniformOf(run) } : {}, buffers);
      this.#groups.set(key, group);
    }
    this.recorder.kernel(PHASE[name], (pass) => kernel.dispatch(pass, group, workgroups));
  }

  /** The uniform that holds these arguments; most recur in every iteration, so it is made once and never written again. */
  #uniformOf({ first, count, argument = 0, flag = 0 }: RunArguments): GPUBuffer {
    const key = `${first} ${count} ${argument} ${flag}`;
    let buffer = this.#uniforms.get(key);
    if (buffer === undefined) {
      const record = this.memory.layout.struct("Run").pack([{ first, count, argument, flag }]);
      buffer = uploadUniform(this.session, "run", record);
      this.#uniforms.set(key, buffer);
    }
    return buffer;
  }

  /** Forgets uniforms when steps of changing length have left too many; only between recordings. */
  #tidy(): void {
    if (this.#uniforms.size < MOST_UNIFORMS) return;
    for (const buffer of this.#uniforms.values()) buffer.destroy();
    this.#uniforms.clear();
    this.#groups.clear();
  }
}
