/** Images on their way to a device. Those of 8 bits go as bytes, a quarter of f32's: end to end, transfers take longer than the kernels. */
import { invariant } from "../../core/errors.js";
import { createStorage, writeStorage } from "../../gpu/buffers.js";
import { gridOf, recordPass } from "../../gpu/dispatch.js";
import type { GpuSession } from "../../gpu/session.js";
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
    return new ImageUpload(session, pixels, kernel, createStorage(session, "bytes", Math.ceil(pixels / 4)));
  }

  /** The image to the beginning of `to`, or false where it has no bytes. */
  writeBytes({ bytes }: GreyImage, to: GPUBuffer): boolean {
    if (bytes === undefined) return false;
    invariant(bytes.length === this.pixels, () => "an image of another size than the buffers'");
    const { session, kernel } = this;
    const { device } = session;
    // Buffers are written in words.
    const whole = bytes.length - (bytes.length % 4);
    if (whole > 0) device.queue.writeBuffer(this.bytes, 0, bytes.buffer as ArrayBuffer, bytes.byteOffset, whole);
    if (whole < bytes.length) {
      const last = new Uint8Array(4);
      last.set(bytes.subarray(whole));
      device.queue.writeBuffer(this.bytes, whole, last);
    }
    let group = this.#groups.get(to);
    if (group === undefined) {
      group = kernel.bind({ bytes: this.bytes, image: to });
      this.#groups.set(to, group);
    }
    const encoder = device.createCommandEncoder({ label: "image" });
    recordPass(encoder, "image", [{ kernel, group, ...gridOf(Math.ceil(this.pixels / 4 / GROUP)) }]);
    device.queue.submit([encoder.finish()]);
    return true;
  }

  /** The image to the beginning of `to`, as f32. */
  write(image: GreyImage, to: GPUBuffer): void {
    if (!this.writeBytes(image, to)) writeStorage(this.session, to, image.pixels);
  }

  destroy(): void {
    this.bytes.destroy();
  }
}
