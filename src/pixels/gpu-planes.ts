/**
 * Planes on their way to a device, and steps that filter them there (filter-run.wgsl). They go up in their own numbers, so that an image of 8 bits takes a quarter of the bytes of f32: end to
 * end, transfers take longer than kernels.
 */
import { invariant } from "../core/errors.js";
import { strideOver, tilesOf } from "../gpu/dispatch.js";
import { type Kernel, loadKernel } from "../gpu/wgsl/kernel.js";
import type { Bound, Part, Step, Workspace } from "../gpu/workspace.js";
import type { Plane, Size } from "./image.js";

/** The place of a plane in a buffer, and the scale of its numbers there: (number − minus) · factor, in f32. */
export interface Widening {
  /** The number of the buffer that its first pixel becomes; 0 unless given. */
  readonly first?: number;
  readonly minus?: number;
  readonly factor?: number;
}

export class PlaneUpload {
  /** By bytes of a sample. */
  readonly #kernels = new Map<number, Kernel>();

  /** @param integers the kernels take 32-bit integers instead of f32 */
  constructor(
    private readonly work: Workspace,
    private readonly pixels: number,
    private readonly integers = false,
  ) {}

  /** Records the way of a plane into the buffer `to` of the workspace. */
  async send(
    encoder: GPUCommandEncoder,
    { pixels }: Plane,
    to: string,
    { first = 0, minus = 0, factor = 1 }: Widening = {},
  ): Promise<void> {
    const { work, integers } = this;
    invariant(pixels.length === this.pixels, () => "an image of another size than the buffers'");
    const bytes = pixels.BYTES_PER_ELEMENT;
    if (bytes === 4 && minus === 0 && factor === 1 && !integers) {
      await work.send(encoder, pixels, to, 4 * first);
      return;
    }
    const kernel = this.#kernels.get(bytes) ?? (await this.#load(bytes));
    const samples = `samples of ${bytes}`;
    const widen = `widen to ${to} ${first}`;
    work.storage(samples, Math.ceil((bytes * this.pixels) / 4));
    work.uniform(widen, kernel.struct("Widen"), { pixels: this.pixels, first, minus, factor });
    await work.send(encoder, pixels, samples);
    const bound = { samples, widen, plane: to };
    work.record(encoder, [{ kernel, groups: [strideOver(kernel, this.pixels)], bound }], "upload");
  }

  /** Runs steps on planes that go into the buffers of their names, and reads parts of buffers back. */
  async run<Result>(
    planes: Readonly<Record<string, Plane>>,
    steps: readonly Step[],
    parts: readonly Part[],
    decode: (words: readonly Uint32Array[]) => Result,
  ): Promise<Result> {
    const record = async (encoder: GPUCommandEncoder) => {
      for (const [name, plane] of Object.entries(planes)) await this.send(encoder, plane, name);
      this.work.record(encoder, steps);
    };
    return await this.work.run(record, parts, decode);
  }

  async #load(bytes: number): Promise<Kernel> {
    const constants = { BYTES: bytes, INTEGERS: Number(this.integers) };
    const kernel = await loadKernel(this.work.session, new URL("./widen.wgsl", import.meta.url), { constants });
    this.#kernels.set(bytes, kernel);
    return kernel;
  }
}

/** From the planes that `bound` calls `image` to the planes `result`, whose rows are `pitch` numbers apart. */
export function filterStep(
  work: Workspace,
  kernel: Kernel,
  { width, height }: Size,
  bound: Bound,
  { alongX = 0, radius = 0, pitch = width, planes = 1 } = {},
): Step {
  const run = work.constant(kernel.struct("FilterRun"), { width, height, alongX, radius, pitch });
  work.storage(bound.result, planes * pitch * height);
  return { kernel, groups: tilesOf(kernel, { width, height }, planes), bound: { run, ...bound } };
}

interface BlurKernels {
  readonly alongX: Kernel;
  /** May be a kernel that subtracts the plane `other`. */
  readonly alongY: Kernel;
}

/** The planes `from` convolved with the taps along both axes, by way of the planes `rows`. */
export function blurSteps(
  work: Workspace,
  { alongX, alongY }: BlurKernels,
  size: Size,
  taps: Float32Array,
  from: string,
  to: string,
  { pitch = size.width, other = "no other image", planes = 1 } = {},
): Step[] {
  const radius = (taps.length - 1) / 2;
  const name = `taps ${taps.join(" ")}`;
  work.upload(name, taps);
  work.storage("no other image", 1);
  const shared = { taps: name };
  return [
    filterStep(
      work,
      alongX,
      size,
      { ...shared, image: from, result: "rows", other: "no other image" },
      { alongX: 1, radius, planes },
    ),
    filterStep(work, alongY, size, { ...shared, image: "rows", result: to, other }, { radius, pitch, planes }),
  ];
}
