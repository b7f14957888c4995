/** Canny's edges on a GPU in four dispatches, whatever the length of the edges: buffers and kernels for images of one size, made once. */
import { InputError } from "../../core/errors.js";
import { createStorage, uploadUniform } from "../../gpu/buffers.js";
import { type Dispatch, gridOf, recordPass, runAndRead } from "../../gpu/dispatch.js";
import type { GpuSession } from "../../gpu/session.js";
import { type Kernel, loadKernel } from "../../gpu/wgsl/kernel.js";
import type { GreyImage } from "../image.js";
import { ImageUpload } from "./gpu-image.js";

const TILE = 16;
const LINE = 256;

export class GpuCanny {
  private constructor(
    private readonly session: GpuSession,
    private readonly pixels: number,
    private readonly buffers: Readonly<Record<"run" | "image" | "parents" | "strong" | "edges", GPUBuffer>>,
    private readonly dispatches: readonly Dispatch[],
    private readonly images: ImageUpload,
  ) {}

  /** `low ≤ high` in Sobel's sums of grey levels. */
  static async create(
    session: GpuSession,
    { width, height }: { readonly width: number; readonly height: number },
    low: number,
    high: number,
  ): Promise<GpuCanny> {
    const load = (name: string) => loadKernel(session, new URL(`./canny-${name}.wgsl`, import.meta.url));
    const [candidates, join, mark, keep] = await Promise.all(["candidates", "join", "mark", "keep"].map(load));
    const pixels = width * height;
    // Squared gradients are integers: above a threshold is above its floor.
    const square = (threshold: number) => Math.min(Math.floor(threshold ** 2), 2 ** 32 - 1);
    const record = { width, height, low: square(low), high: square(high) };
    const buffers = {
      run: uploadUniform(session, "canny run", candidates.struct("CannyRun").pack([record])),
      image: createStorage(session, "image", pixels),
      parents: createStorage(session, "parents", pixels),
      strong: createStorage(session, "strong", pixels),
      edges: createStorage(session, "edges", Math.ceil(pixels / 4)),
    };
    const over = (kernel: Kernel, x: number, y: number) => ({ kernel, group: kernel.bind({}, buffers), x, y });
    const line = (kernel: Kernel, threads: number) => {
      const { x, y } = gridOf(session, Math.ceil(threads / LINE));
      return over(kernel, x, y);
    };
    const [columns, rows] = [Math.ceil(width / TILE), Math.ceil(height / TILE)];
    const images = await ImageUpload.create(session, { width, height }, true);
    const dispatches = [
      over(candidates, columns, rows),
      over(join, columns, rows),
      line(mark, pixels),
      line(keep, Math.ceil(pixels / 4)),
    ];
    return new GpuCanny(session, pixels, buffers, dispatches, images);
  }

  /** @throws InputError for grey levels that are no integers */
  async upload(image: GreyImage): Promise<void> {
    const { pixels, bytes } = image;
    const greys = bytes === undefined ? new Int32Array(pixels) : undefined;
    const k = greys?.findIndex((grey, p) => grey !== pixels[p]) ?? -1;
    if (k >= 0) throw new InputError(`pixel ${k} has ${pixels[k]}: Canny takes integers of 0 to 255; round the image`);
    await this.images.write(image, this.buffers.image, greys);
  }

  encode(encoder: GPUCommandEncoder, timestampWrites?: GPUComputePassTimestampWrites): void {
    recordPass(encoder, "canny", this.dispatches, timestampWrites);
  }

  /** 1 where there is an edge. */
  async detect(image: GreyImage): Promise<Uint8Array> {
    await this.upload(image);
    const [bytes] = await runAndRead(this.session, "canny", (encoder) => this.encode(encoder), [this.buffers.edges]);
    return new Uint8Array(bytes, 0, this.pixels);
  }

  destroy(): void {
    this.images.destroy();
    for (const buffer of Object.values(this.buffers)) buffer.destroy();
  }
}
