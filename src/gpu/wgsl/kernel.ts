/** Makes compute kernels of WGSL files and binds their buffers by name. */
import type { GpuSession } from "../session.js";
import type { Binding } from "./declarations.js";
import { integerOf } from "./integer.js";
import { KernelError } from "./kernel-error.js";
import { type ImportTexts, Shader } from "./shader.js";
import type { StructLayout } from "./struct-layout.js";

export interface KernelOptions {
  /** Values of the file's `override` declarations; those without a default must be set. */
  readonly constants?: Readonly<Record<string, number>>;
  readonly texts?: ImportTexts;
}

/** The resources that a name can be bound to. */
export type Resource = GPUBuffer | GPUBufferBinding | GPUTextureView;
export type Resources = Readonly<Record<string, Resource | null | undefined>>;

/** Along x, y and z. */
export type Workgroups = readonly [x: number, y?: number, z?: number];

/**
 * The kernel in a `.wgsl` file, which has one entry point and may `#import` pieces (shader.ts). `file` is a URL beside the calling
 * module, as in new URL("./scale.wgsl", import.meta.url). Compiled once per device, text and constants.
 * @throws KernelError when the file does not compile or does not fit the options, with file and line
 */
export async function loadKernel(
  session: GpuSession,
  file: URL,
  { constants = {}, texts = {} }: KernelOptions = {},
): Promise<Kernel> {
  const shader = new Shader(file, texts);
  const workgroupSize = checkedSize(shader, constants);
  const label = `${shader.name} ${JSON.stringify(constants)}`;
  const pipeline = await session.pipeline(`${label}\n${shader.code}`, label, () =>
    compile(session, shader, label, constants),
  );
  return new Kernel(session, shader, pipeline, workgroupSize);
}

export class Kernel {
  /** The names of uniforms in the order of their bindings, which is that of their offsets. */
  readonly uniforms: readonly string[];
  readonly #noOffsets: readonly number[];

  constructor(
    readonly session: GpuSession,
    readonly shader: Shader,
    readonly pipeline: GPUComputePipeline,
    /** Threads of a workgroup along x, y and z. */
    readonly workgroupSize: readonly [number, number, number],
  ) {
    const uniforms = [...shader.declarations.bindings.values()].filter(({ space }) => space === "uniform");
    this.uniforms = uniforms.sort((a, b) => a.binding - b.binding).map(({ name }) => name);
    this.#noOffsets = this.uniforms.map(() => 0);
  }

  /** The file, as messages name it. */
  get name(): string {
    return this.shader.name;
  }

  /** Size and offsets of a struct the kernel knows, to write records as it reads them. */
  struct(name: string): StructLayout {
    return this.shader.struct(name);
  }

  /**
   * Binds every buffer that the kernel declares by its name there: from `named`, all of which it must declare, or else from `pool`,
   * of which it takes what it needs.
   * @throws KernelError for a name that is missing or that the kernel does not declare
   */
  bind(named: Resources, pool: Resources = {}): GPUBindGroup {
    const { bindings } = this.shader.declarations;
    for (const name of Object.keys(named)) {
      if (bindings.has(name)) continue;
      throw new KernelError(`${this.name} declares no ${name} to bind; it has ${[...bindings.keys()].join(", ")}`);
    }
    const entries = Array.from(bindings.values(), ({ name, binding, line }) => {
      const resource = named[name] ?? pool[name];
      if (resource === undefined || resource === null) {
        throw new KernelError(`${this.shader.place(line)}: ${name} is declared, and nothing is bound to it`);
      }
      return { binding, resource: resource instanceof GPUBuffer ? { buffer: resource } : resource };
    });
    const layout = this.pipeline.getBindGroupLayout(0);
    return this.session.device.createBindGroup({ label: this.name, layout, entries });
  }

  /** Records the kernel over a number of workgroups. @param offsets of `uniforms` from what was bound, in bytes [none] */
  dispatch(
    pass: GPUComputePassEncoder,
    group: GPUBindGroup,
    [x, y = 1, z = 1]: Workgroups,
    offsets = this.#noOffsets,
  ): void {
    pass.setPipeline(this.pipeline);
    pass.setBindGroup(0, group, offsets);
    pass.dispatchWorkgroups(x, y, z);
  }
}

async function compile(
  session: GpuSession,
  shader: Shader,
  label: string,
  constants: Readonly<Record<string, number>>,
): Promise<GPUComputePipeline> {
  const { device } = session;
  // The compiler's messages are more precise than the validation error, so they replace it.
  device.pushErrorScope("validation");
  const module = device.createShaderModule({ label, code: shader.code });
  const failure = await device.popErrorScope();
  if (failure !== null) {
    const { messages } = await module.getCompilationInfo();
    const error = messages.find(({ type }) => type === "error");
    if (error === undefined) throw new KernelError(`${shader.name}: ${failure.message}`);
    throw new KernelError(`${shader.place(error.lineNum)}:${error.linePos}: ${error.message}`);
  }
  const entries = layoutEntries(shader);
  const bindGroupLayouts = [device.createBindGroupLayout({ label, entries })];
  const layout = device.createPipelineLayout({ label, bindGroupLayouts });
  const descriptor = { label, layout, compute: { module, constants } };
  // While something is awaited, Dawn's event loop polls on this thread. In software it would take a core from the compiler.
  if (session.description.kind === "software") return device.createComputePipeline(descriptor);
  return await device.createComputePipelineAsync(descriptor);
}

/** Everything that is declared can be bound, used or not, so that pieces may declare what only some kernels use. */
function layoutEntries(shader: Shader): GPUBindGroupLayoutEntry[] {
  return Array.from(shader.declarations.bindings.values(), (one) => {
    const kind = bindingKind(one);
    if (kind === null) {
      throw new KernelError(`${shader.place(one.line)}: ${one.name} is a ${one.type.name}, which cannot be bound`);
    }
    return { binding: one.binding, visibility: GPUShaderStage.COMPUTE, ...kind };
  });
}

function bindingKind({ space, access, type }: Binding): Omit<GPUBindGroupLayoutEntry, "binding" | "visibility"> | null {
  // A bind group is dear to make: one does for all dispatches that differ in their uniforms alone.
  if (space === "uniform") return { buffer: { type: "uniform", hasDynamicOffset: true } };
  if (space === "storage") return { buffer: { type: access === "read_write" ? "storage" : "read-only-storage" } };
  // Kernels load pixels and layers of textures; none is sampled or written.
  const views: Readonly<Record<string, GPUTextureViewDimension>> = { texture_2d: "2d", texture_2d_array: "2d-array" };
  const viewDimension = views[type.name];
  return viewDimension === undefined ? null : { texture: { sampleType: "unfilterable-float", viewDimension } };
}

/** The entry point's workgroup size under these constants, which must be declared and complete. */
function checkedSize(shader: Shader, constants: Readonly<Record<string, number>>): readonly [number, number, number] {
  const { overrides, entries } = shader.declarations;
  for (const name of Object.keys(constants)) {
    if (overrides.has(name)) continue;
    throw new KernelError(
      `${shader.name} has no override ${name}; it has ${[...overrides.keys()].join(", ") || "none"}`,
    );
  }
  for (const { name, value, line } of overrides.values()) {
    if (value !== null || constants[name] !== undefined) continue;
    throw new KernelError(`${shader.place(line)}: override ${name} has no default and must be set`);
  }
  if (entries.size !== 1) {
    const found = entries.size === 0 ? "none" : [...entries.keys()].join(", ");
    throw new KernelError(`${shader.name} must have one @compute entry point; it has ${found}`);
  }
  const [size] = entries.values();
  const lookUp = (name: string) =>
    constants[name] ?? overrides.get(name)?.value ?? shader.declarations.constants.get(name);
  const [x, y = 1, z = 1] = size.map((text) => integerOf(text, lookUp));
  if (![x, y, z].every((count) => count > 0)) {
    throw new KernelError(
      `${shader.name}: @workgroup_size(${size.join(", ")}) is not made of numbers and names of them`,
    );
  }
  return [x, y, z];
}
