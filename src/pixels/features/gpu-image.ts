/** Images on their way to a device. Those of 8 bits go as bytes, a quarter of f32's: end to end, transfers take longer than the kernels. */
import { invariant } from "../../core/errors.js";
import { createStorage } from "../../gpu/buffers.js";
import { gridOf, recordPass } from "../../gpu/dispatch.js";
import type { GpuSession } from "../../gpu/session.js";
import { Uploads } from "../../gpu/uploads.js";
import { type Kernel, loadKernel } from "../../gpu/wgsl/kernel.js";
import type { GreyImage } from "../image.js";

const GROUP = 256;

/** For images of one size. */
export class ImageUpload {
  readonly #groups = new Map<GPUBuffer, GPUBindGroup>();

  private constructor(
    private readonly session: GpuSession,
    private readonly pixels: number,
    private readonly kernel: Kernel,
    private readonly bytes: GPUBuffer,
    private readonly uploads: { readonly bytes: Uploads; readonly words: Uploads },
  ) {}

  /** @param integers the kernels take grey levels as integers, not as f32 */
  static async create(
    session: GpuSession,
    { width, height }: { readonly width: number; readonly height: number },
    integers = false,
  ): Promise<ImageUpload> {
    const pixels = width * height;
    const constants = { INTEGERS: Number(integers), PIXELS: pixels };
    const kernel = await loadKernel(session, new URL("./expand-bytes.wgsl", import.meta.url), { constants });
    const bytes = createStorage(session, "bytes", Math.ceil(pixels / 4));
    const uploads = { bytes: new Uploads(session, pixels), words: new Uploads(session, 4 * pixels) };
    return new ImageUpload(session, pixels, kernel, bytes, uploads);
  }

  /**
   * Records the way of an image to the beginning of `to`, as f32 or integers.
   * @param words of an image without bytes, if not its pixels
   * @returns to be called once the encoder's commands are submitted
   */
  async record(
    encoder: GPUCommandEncoder,
    { bytes, pixels }: GreyImage,
    to: GPUBuffer,
    words: Float32Array | Int32Array = pixels,
  ): Promise<() => void> {
    invariant(pixels.length === this.pixels, () => "an image of another size than the buffers'");
    if (bytes === undefined) return await this.uploads.words.record(encoder, words, to, 0);
    const submitted = await this.uploads.bytes.record(encoder, bytes, this.bytes, 0);
    let group = this.#groups.get(to);
    if (group === undefined) {
      group = this.kernel.bind({ bytes: this.bytes, image: to });
      this.#groups.set(to, group);
    }
    const groups = gridOf(this.session, Math.ceil(this.pixels / 4 / GROUP));
    recordPass(encoder, "image", [{ kernel: this.kernel, group, ...groups }]);
    return submitted;
  }

  /** As `record`, and submits it. */
  async write(image: GreyImage, to: GPUBuffer, words?: Float32Array | Int32Array): Promise<void> {
    const { device } = this.session;
    const encoder = device.createCommandEncoder({ label: "image" });
    const submitted = await this.record(encoder, image, to, words);
    device.queue.submit([encoder.finish()]);
    submitted();
  }

  destroy(): void {
    this.bytes.destroy();
    for (const uploads of Object.values(this.uploads)) uploads.destroy();
  }
}
