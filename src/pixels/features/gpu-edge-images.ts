/** Sobel's magnitude, Laplacian and difference of Gaussians on a GPU: a list of filters, each from one image on the device to another. */
import { createStorage, uploadStorage, uploadUniform } from "../../gpu/buffers.js";
import { type Dispatch, recordPass, runAndRead } from "../../gpu/dispatch.js";
import type { GpuSession } from "../../gpu/session.js";
import { type Kernel, loadKernel } from "../../gpu/wgsl/kernel.js";
import type { GreyImage } from "../image.js";
import { blurRadius, gaussianTaps } from "./blur.js";
import type { EdgeImage } from "./edge-images.js";
import { ImageUpload } from "./gpu-image.js";

const GROUP = { width: 32, height: 8 };

export class GpuEdgeImage {
  private constructor(
    private readonly session: GpuSession,
    private readonly size: { readonly width: number; readonly height: number },
    private readonly image: GPUBuffer,
    private readonly result: GPUBuffer,
    private readonly buffers: readonly GPUBuffer[],
    private readonly dispatches: readonly Dispatch[],
    private readonly images: ImageUpload,
  ) {}

  static async create(
    session: GpuSession,
    { width, height }: { readonly width: number; readonly height: number },
    what: EdgeImage,
  ): Promise<GpuEdgeImage> {
    const load = (name: string, constants: Record<string, number> = {}) =>
      loadKernel(session, new URL(`./${name}.wgsl`, import.meta.url), { constants });
    const buffers: GPUBuffer[] = [];
    const dispatches: Dispatch[] = [];
    const tiles = { x: Math.ceil(width / GROUP.width), y: Math.ceil(height / GROUP.height) };
    const made = (buffer: GPUBuffer) => {
      buffers.push(buffer);
      return buffer;
    };
    const plane = (label: string) => made(createStorage(session, label, width * height));
    const image = plane("image");
    const none = made(createStorage(session, "no other image", 1));
    const filter = (kernel: Kernel, from: GPUBuffer, more: Record<string, GPUBuffer> = {}, alongX = 0, radius = 0) => {
      const words = kernel.struct("FilterRun").pack([{ width, height, alongX, radius, pitch: width }]);
      const run = made(uploadUniform(session, "filter", words));
      const result = plane(kernel.name);
      dispatches.push({ kernel, group: kernel.bind({ run, image: from, result, ...more }), ...tiles });
      return result;
    };
    const blurred = async (sigma: number, other?: GPUBuffer) => {
      const [alongX, alongY] = await Promise.all(
        [0, Number(other !== undefined)].map((SUBTRACT) => load("blur", { SUBTRACT })),
      );
      const radius = blurRadius(sigma);
      const taps = made(uploadStorage(session, "taps", gaussianTaps(sigma)));
      const rows = filter(alongX, image, { taps, other: none }, 1, radius);
      return filter(alongY, rows, { taps, other: other ?? none }, 0, radius);
    };
    const resultOf = async () => {
      if (what.filter === "sobel") return filter(await load("sobel"), image);
      if (what.filter === "log") return filter(await load("laplacian"), await blurred(what.sigma));
      return await blurred(what.wide, await blurred(what.narrow));
    };
    const result = await resultOf();
    const images = await ImageUpload.create(session, { width, height });
    return new GpuEdgeImage(session, { width, height }, image, result, buffers, dispatches, images);
  }

  async upload(image: GreyImage): Promise<void> {
    await this.images.write(image, this.image);
  }

  encode(encoder: GPUCommandEncoder, timestampWrites?: GPUComputePassTimestampWrites): void {
    recordPass(encoder, "edge image", this.dispatches, timestampWrites);
  }

  async make(image: GreyImage): Promise<GreyImage> {
    await this.upload(image);
    const [bytes] = await runAndRead(this.session, "edge image", (encoder) => this.encode(encoder), [this.result]);
    return { ...this.size, pixels: new Float32Array(bytes) };
  }

  destroy(): void {
    this.images.destroy();
    for (const buffer of this.buffers) buffer.destroy();
  }
}
