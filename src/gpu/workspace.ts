import { invariant } from "../core/errors.js";
import { createStorage, readBeginnings, writeStorage } from "./buffers.js";
import type { GpuSession } from "./session.js";
import { Uploads } from "./uploads.js";
import type { Kernel, Resource, Resources, Workgroups } from "./wgsl/kernel.js";
import type { FieldRecord, StructLayout } from "./wgsl/struct-layout.js";

type Numbers = Float32Array | Uint32Array | Int32Array;

/** Names that a kernel declares, with the names of the workspace's buffers that are bound to them; other buffers have the kernel's own names. */
export type Bound = Readonly<Record<string, string>>;

/** One dispatch of a plan. */
export interface Step {
  readonly kernel: Kernel;
  /** Workgroups along x, y and z. */
  readonly groups: Workgroups;
  readonly bound?: Bound;
}

/** Where a constant lies. */
interface Constant {
  /** The same for all of one size in one buffer, which are bound alike but for their offsets. */
  readonly binding: GPUBufferBinding & { readonly label: string };
  readonly offset: number;
}

/** Bytes of a buffer of constants. */
const PAGE = 65536;

/** The first bytes of a buffer, or all of them. */
export interface Part {
  readonly name: string;
  readonly bytes?: number;
}

/**
 * The buffers that an algorithm works with on a device, under the names that its kernels declare for them. The algorithm states its steps,
 * and the workspace binds, records, submits, reads back and releases:
 *
 *     const work = new Workspace(session, "scale");
 *     work.upload("values", values);
 *     work.uniform("run", kernel.struct("Run"), { count: values.length, factor: 2, offset: 1 });
 *     const steps = [{ kernel, groups: [strideOver(kernel, values.length)] }];
 *     const scaled = await work.run((encoder) => work.record(encoder, steps), [{ name: "values" }], ([words]) => words.slice());
 *     work.destroy();
 *
 * A buffer that must grow is replaced, and kernels are bound to the new one when they run next. Lists whose lengths only the device knows
 * are in lists.ts.
 */
export class Workspace {
  readonly #resources = new Map<string, Resource>();
  /** The same as an object, made where a kernel is bound. */
  #pool: Resources | null = null;
  readonly #constants = new Map<string, Constant>();
  readonly #pages: { readonly buffer: GPUBuffer; filled: number }[] = [];
  readonly #groups = new Map<Kernel, Map<string, GPUBindGroup>>();
  /** Uploads by the size of the largest. */
  readonly #uploads = new Map<number, Uploads>();
  /** By encoder: to be called once its commands are submitted. Runs of one workspace may overlap. */
  readonly #sent = new Map<GPUCommandEncoder, (() => void)[]>();

  constructor(
    readonly session: GpuSession,
    /** Names it in messages and in timings. */
    readonly label: string,
  ) {}

  /**
   * A storage buffer for at least `words` numbers of 4 bytes. One that is too small is replaced by one of zeros; a larger one keeps its content.
   * @param growth how much more room than that a new buffer gets, for lengths that change from run to run
   */
  storage(name: string, words: number, growth = 1): GPUBuffer {
    const before = this.#resources.get(name);
    if (before instanceof GPUBuffer && before.size >= 4 * words) return before;
    const most = Math.floor(this.session.device.limits.maxStorageBufferBindingSize / 4);
    const room = Math.max(words, Math.min(Math.ceil(growth * words), most));
    return this.#put(name, createStorage(this.session, `${this.label} ${name}`, room));
  }

  /** A storage buffer that begins with these numbers. */
  upload(name: string, data: Numbers, growth = 1): GPUBuffer {
    const buffer = this.storage(name, data.length, growth);
    writeStorage(this.session, buffer, data);
    return buffer;
  }

  /** The uniform of that name holds the record from the next submission on. */
  uniform(name: string, layout: StructLayout, record: FieldRecord): void {
    const words = layout.pack([record]);
    const before = this.#resources.get(name);
    const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
    const label = `${this.label} ${name}`;
    const buffer =
      before instanceof GPUBuffer && before.size === words.byteLength
        ? before
        : this.#put(name, this.session.device.createBuffer({ label, size: words.byteLength, usage }));
    this.session.device.queue.writeBuffer(buffer, 0, words);
  }

  /**
   * The name of a uniform with that content, for algorithms that record many dispatches before they submit them. Each content is kept
   * until `forgetConstants`.
   */
  constant(layout: StructLayout, record: FieldRecord): string {
    const name = `${layout.name} ${JSON.stringify(record)}`;
    if (!this.#constants.has(name)) this.#constants.set(name, this.#place(layout.pack([record])));
    return name;
  }

  #place(words: Uint32Array<ArrayBuffer>): Constant {
    const { device } = this.session;
    const bytes = words.byteLength;
    let page = this.#pages.at(-1);
    if (page === undefined || page.filled + bytes > page.buffer.size) {
      const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
      const label = `${this.label} constants`;
      page = { buffer: device.createBuffer({ label, size: Math.max(PAGE, bytes), usage }), filled: 0 };
      this.#pages.push(page);
    }
    const offset = page.filled;
    device.queue.writeBuffer(page.buffer, offset, words);
    const step = device.limits.minUniformBufferOffsetAlignment;
    page.filled = step * Math.ceil((offset + bytes) / step);
    const binding = { buffer: page.buffer, size: bytes, label: `page ${this.#pages.length} of ${bytes}` };
    return { binding, offset };
  }

  /** Releases all constants where there are more than `most`; nothing may be recorded that is not submitted. */
  forgetConstants(most: number): void {
    if (this.#constants.size <= most) return;
    for (const { buffer } of this.#pages) buffer.destroy();
    this.#pages.length = 0;
    this.#constants.clear();
    this.#groups.clear();
  }

  /** A texture or buffer that another owns, under a name of this workspace. */
  lend(name: string, resource: Exclude<Resource, GPUBuffer>): void {
    this.#resources.set(name, resource);
    this.#pool = null;
    this.#groups.clear();
  }

  buffer(name: string): GPUBuffer {
    return this.#resource(name) as GPUBuffer;
  }

  /** Bytes of device memory in all buffers, without those through which data go up. */
  get bytes(): number {
    const ofConstants = this.#pages.reduce((sum, { filled }) => sum + filled, 0);
    return [...this.#resources.values()].reduce(
      (sum, one) => sum + (one instanceof GPUBuffer ? one.size : 0),
      ofConstants,
    );
  }

  /** Records a dispatch in a pass of the caller. */
  dispatch(pass: GPUComputePassEncoder, { kernel, groups, bound = {} }: Step): void {
    const offsets = kernel.uniforms.map((name) => this.#constants.get(bound[name])?.offset ?? 0);
    kernel.dispatch(pass, this.#group(kernel, bound), groups, offsets);
  }

  /** Records the steps, one after the other, in a pass of their own; where the session's passes are timed one by one, each step in its own. */
  record(encoder: GPUCommandEncoder, steps: readonly Step[], label = this.label): void {
    const { watcher } = this.session;
    const pass = (label: string, dispatches: readonly Step[]) => {
      const timestampWrites = watcher?.begin(label);
      const one = encoder.beginComputePass({ label, ...(timestampWrites && { timestampWrites }) });
      for (const step of dispatches) this.dispatch(one, step);
      one.end();
    };
    if (watcher?.apart !== true) pass(label, steps);
    else for (const step of steps) pass(step.kernel.name, [step]);
  }

  clear(encoder: GPUCommandEncoder, names: readonly string[]): void {
    for (const name of names) encoder.clearBuffer(this.buffer(name));
  }

  /**
   * Records the way of `data` to the byte `at` of a buffer, a multiple of 4, through memory that is used again and again. Up to three bytes
   * behind the data are overwritten.
   */
  async send(encoder: GPUCommandEncoder, data: ArrayBufferView, name: string, at = 0): Promise<void> {
    let uploads = this.#uploads.get(data.byteLength);
    if (uploads === undefined) {
      uploads = new Uploads(this.session, data.byteLength);
      this.#uploads.set(data.byteLength, uploads);
    }
    const sent = await uploads.record(encoder, data, this.buffer(name), at);
    this.#sent.set(encoder, [...(this.#sent.get(encoder) ?? []), sent]);
  }

  /**
   * Records by `record`, submits, and reads parts of buffers back in one copy, inside error scopes.
   * @param decode makes the result of the parts' words, which lie in mapped memory and are gone when it returns
   * @param meanwhile work of the host while the device works
   * @throws DeviceError where the device refuses
   */
  async run<Result>(
    record: (encoder: GPUCommandEncoder) => void | Promise<void>,
    parts: readonly Part[],
    decode: (words: readonly Uint32Array[]) => Result,
    meanwhile?: () => void,
  ): Promise<Result> {
    const { session, label } = this;
    // The scopes end with the submission, so that they are answered while the device works and not after it.
    const { reading } = await session.scoped(label, async () => {
      const encoder = session.device.createCommandEncoder({ label });
      await record(encoder);
      const reading = readBeginnings(session, this.#parts(parts), decode, encoder);
      // An error in the scopes is thrown instead of this.
      reading.catch(() => undefined);
      this.#submitted(encoder);
      meanwhile?.();
      return { reading };
    });
    return await reading;
  }

  /** Records by `record` and submits, and does not wait for the device. */
  async submit(record: (encoder: GPUCommandEncoder) => void | Promise<void>): Promise<void> {
    const encoder = this.session.device.createCommandEncoder({ label: this.label });
    await record(encoder);
    this.session.device.queue.submit([encoder.finish()]);
    this.#submitted(encoder);
  }

  destroy(): void {
    for (const uploads of this.#uploads.values()) uploads.destroy();
    this.forgetConstants(0);
    for (const resource of this.#resources.values()) if (resource instanceof GPUBuffer) resource.destroy();
    this.#resources.clear();
    this.#pool = null;
    this.#groups.clear();
  }

  /** To be called when the encoder's commands are on their way. */
  #submitted(encoder: GPUCommandEncoder): void {
    for (const sent of this.#sent.get(encoder) ?? []) sent();
    this.#sent.delete(encoder);
  }

  #parts(parts: readonly Part[]) {
    return parts.map(({ name, bytes }) => {
      const buffer = this.buffer(name);
      return { buffer, bytes: bytes ?? buffer.size };
    });
  }

  #resource(name: string): Resource {
    const resource = this.#resources.get(name) ?? this.#constants.get(name)?.binding;
    invariant(
      resource !== undefined,
      () => `${this.label} has no buffer ${name}; it has ${[...this.#resources.keys()].join(", ")}`,
    );
    return resource;
  }

  #put(name: string, buffer: GPUBuffer): GPUBuffer {
    const before = this.#resources.get(name);
    if (before instanceof GPUBuffer) before.destroy();
    if (before !== undefined) this.#groups.clear();
    this.#resources.set(name, buffer);
    this.#pool = null;
    return buffer;
  }

  /** Made once for a kernel and its buffers, whichever constants of a page these are, until one of them is replaced. */
  #group(kernel: Kernel, bound: Bound): GPUBindGroup {
    let ofKernel = this.#groups.get(kernel);
    if (ofKernel === undefined) {
      ofKernel = new Map();
      this.#groups.set(kernel, ofKernel);
    }
    let key = "";
    for (const name in bound) key += `${name} ${this.#constants.get(bound[name])?.binding.label ?? bound[name]} `;
    let group = ofKernel.get(key);
    if (group === undefined) {
      const named = Object.fromEntries(
        Object.entries(bound).map(([name, resource]) => [name, this.#resource(resource)]),
      );
      this.#pool ??= Object.fromEntries(this.#resources);
      group = kernel.bind(named, this.#pool);
      ofKernel.set(key, group);
    }
    return group;
  }
}

/** Makes something on a device, uses it once and releases it. */
export async function once<Made extends { destroy(): void }, Result>(
  made: Promise<Made>,
  use: (made: Made) => Promise<Result>,
): Promise<Result> {
  const one = await made;
  try {
    return await use(one);
  } finally {
    one.destroy();
  }
}
