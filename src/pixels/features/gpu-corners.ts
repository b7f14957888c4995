/** Corners on a GPU: response and maxima there, the choice among the compacted candidates on the host. */
import { createStorage, uploadUniform } from "../../gpu/buffers.js";
import { type Dispatch, recordPass, runAndRead } from "../../gpu/dispatch.js";
import type { GpuSession } from "../../gpu/session.js";
import { type Kernel, loadKernel } from "../../gpu/wgsl/kernel.js";
import type { GreyImage } from "../image.js";
import type { CornerCandidate, CornerOptions } from "./corners.js";
import { ImageUpload } from "./gpu-image.js";
import { TENSOR_WINDOWS } from "./gradients.js";

const RESPONSE_TILE = 16;
const MAXIMA_TILE = { width: 32, height: 8 };

/** Buffers and kernels for images of one size, made once. */
export class GpuCorners {
  #room: number;
  #run: GPUBuffer | null = null;
  #corners: GPUBuffer | null = null;
  #dispatches: readonly Dispatch[] = [];

  private constructor(
    private readonly session: GpuSession,
    private readonly size: { readonly width: number; readonly height: number },
    private readonly options: CornerOptions,
    private readonly kernels: { readonly response: Kernel; readonly maxima: Kernel },
    private readonly fixed: Readonly<Record<"image" | "response" | "count", GPUBuffer>>,
    private readonly images: ImageUpload,
  ) {
    this.#room = Math.max(4096, Math.ceil((size.width * size.height) / 32));
    this.#bind();
  }

  static async create(
    session: GpuSession,
    size: { readonly width: number; readonly height: number },
    options: CornerOptions,
  ): Promise<GpuCorners> {
    const [side, middle] = TENSOR_WINDOWS[options.window];
    const constants = { HARRIS: Number(options.measure === "harris"), SIDE: side, MIDDLE: middle };
    const [response, maxima] = await Promise.all([
      loadKernel(session, new URL("./corner-response.wgsl", import.meta.url), { constants }),
      loadKernel(session, new URL("./corner-maxima.wgsl", import.meta.url)),
    ]);
    const pixels = size.width * size.height;
    const fixed = {
      image: createStorage(session, "image", pixels),
      response: createStorage(session, "response", pixels),
      count: createStorage(session, "corner count", response.struct("CornerCount").words),
    };
    return new GpuCorners(session, size, options, { response, maxima }, fixed, await ImageUpload.create(session, size));
  }

  /** Bytes that come back for an image whose response stays on the device. */
  get bytesBack(): number {
    return this.fixed.count.size + (this.#corners?.size ?? 0);
  }

  async upload(image: GreyImage): Promise<void> {
    await this.images.write(image, this.fixed.image);
  }

  encode(encoder: GPUCommandEncoder, timestampWrites?: GPUComputePassTimestampWrites): void {
    encoder.clearBuffer(this.fixed.count);
    recordPass(encoder, "corners", this.#dispatches, timestampWrites);
  }

  /** Candidates in any order; and the response of every pixel where it is wanted. */
  async find(
    image: GreyImage,
    wantsResponse: boolean,
  ): Promise<{ candidates: CornerCandidate[]; response: Float32Array | null }> {
    const { session, kernels, fixed } = this;
    await this.upload(image);
    for (;;) {
      const parts = [fixed.count, this.#corners as GPUBuffer, ...(wantsResponse ? [fixed.response] : [])];
      const [count, corners, response] = await runAndRead(session, "corners", (encoder) => this.encode(encoder), parts);
      const found = new Uint32Array(count)[1];
      if (found > this.#room) {
        this.#room = found;
        this.#bind();
        continue;
      }
      const layout = kernels.maxima.struct("Corner");
      const list = corners.slice(0, found * layout.size);
      const pixel = layout.integers(list, "pixel");
      const [value, dx, dy] = ["response", "dx", "dy"].map((name) => layout.floats(list, name));
      const candidates = Array.from(pixel, (at, k) => ({ pixel: at, response: value[k], dx: dx[k], dy: dy[k] }));
      return { candidates, response: response === undefined ? null : new Float32Array(response) };
    }
  }

  destroy(): void {
    this.images.destroy();
    for (const buffer of [...Object.values(this.fixed), this.#run, this.#corners]) buffer?.destroy();
  }

  #bind(): void {
    const { session, kernels, fixed, options } = this;
    const { width, height } = this.size;
    this.#run?.destroy();
    this.#corners?.destroy();
    this.#corners = createStorage(session, "corners", kernels.maxima.struct("Corner").words * this.#room);
    const { margin, quality, kappa } = options;
    const record = { width, height, margin, room: this.#room, quality, kappa };
    this.#run = uploadUniform(session, "corner run", kernels.maxima.struct("CornerRun").pack([record]));
    const pool = { ...fixed, run: this.#run, corners: this.#corners };
    const over = (kernel: Kernel, tileWidth: number, tileHeight: number) => ({
      kernel,
      group: kernel.bind({}, pool),
      x: Math.ceil(width / tileWidth),
      y: Math.ceil(height / tileHeight),
    });
    this.#dispatches = [
      over(kernels.response, RESPONSE_TILE, RESPONSE_TILE),
      over(kernels.maxima, MAXIMA_TILE.width, MAXIMA_TILE.height),
    ];
  }
}
