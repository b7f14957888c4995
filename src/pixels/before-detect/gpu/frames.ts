/** The frames of a pass on the device: an array, or the layers of a texture. */
import { InputError } from "../../../core/errors.js";
import { createStorage } from "../../../gpu/buffers.js";
import { strideOver } from "../../../gpu/dispatch.js";
import type { GpuSession } from "../../../gpu/session.js";
import { Uploads } from "../../../gpu/uploads.js";
import type { Field } from "../peaks.js";
import { type FrameValues, type Samples, valuesOf } from "../samples.js";
import { loadWiden } from "./kernels.js";

export interface DeviceFrames {
  readonly resource: GPUBuffer | GPUTextureView;
  write(frames: readonly FrameValues[]): Promise<void>;
  destroy(): void;
}

export function createFrames(
  session: GpuSession,
  input: "storage" | "texture",
  field: Field,
  depth: number,
): DeviceFrames {
  return input === "storage" ? new StoredFrames(session, field, depth) : textureFrames(session, field, depth);
}

/** Samples go up in their own type, and the device makes f32 of them. */
class StoredFrames implements DeviceFrames {
  readonly resource: GPUBuffer;
  readonly #cells: number;
  readonly #uploads: Uploads;
  /** The samples of one frame. */
  #raw: GPUBuffer | null = null;
  /** Their uniform, one for each frame of a pass. */
  readonly #records: GPUBuffer[] = [];

  constructor(
    private readonly session: GpuSession,
    { width, height }: Field,
    depth: number,
  ) {
    this.#cells = width * height;
    this.#uploads = new Uploads(session, 4 * this.#cells);
    this.resource = createStorage(session, "frames of a pass", this.#cells * depth);
  }

  async write(frames: readonly FrameValues[]): Promise<void> {
    for (const [layer, { pixels, minus = 0 }] of frames.entries()) {
      if (pixels instanceof Float32Array && minus === 0) {
        await this.#uploads.write(pixels, this.resource, 4 * layer * this.#cells);
      } else await this.#widened(pixels, minus, layer);
    }
  }

  destroy(): void {
    for (const buffer of [this.resource, this.#raw, ...this.#records]) buffer?.destroy();
    this.#uploads.destroy();
  }

  async #widened(pixels: Samples, minus: number, layer: number): Promise<void> {
    const { device } = this.session;
    const kernel = await loadWiden(this.session, typeOf(pixels));
    const record = kernel.struct("Widen").pack([{ cells: this.#cells, first: layer * this.#cells, minus }]);
    this.#records[layer] ??= device.createBuffer({
      label: "widen",
      size: record.byteLength,
      usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
    });
    device.queue.writeBuffer(this.#records[layer], 0, record);
    const words = Math.ceil(pixels.byteLength / 4);
    if (this.#raw === null || this.#raw.size < 4 * words) {
      this.#raw?.destroy();
      this.#raw = createStorage(this.session, "samples of a frame", words);
    }
    const group = kernel.bind({ widen: this.#records[layer], raw: this.#raw, frames: this.resource as GPUBuffer });
    await this.#uploads.write(pixels, this.#raw, 0, (encoder) => {
      const pass = encoder.beginComputePass({ label: "widen" });
      kernel.dispatch(pass, group, strideOver(kernel, this.#cells));
      pass.end();
    });
  }
}

const typeOf = (pixels: Samples) =>
  pixels instanceof Uint8Array ? "u8" : pixels instanceof Uint16Array ? "u16" : "f32";

function textureFrames(session: GpuSession, { width, height }: Field, depth: number): DeviceFrames {
  const { device } = session;
  const { maxTextureDimension2D: side, maxTextureArrayLayers: layers } = device.limits;
  if (Math.max(width, height) > side || depth > layers) {
    throw new InputError(
      `before-detect: ${depth} frames of ${width} × ${height} are no texture of ${device.label || "this device"}, which takes ${layers} of ${side} × ${side}; use a variant with storage`,
    );
  }
  const usage = GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST;
  const texture = device.createTexture({
    label: "frames of a pass",
    size: [width, height, depth],
    format: "r32float",
    usage,
  });
  return {
    resource: texture.createView({ dimension: "2d-array" }),
    write: async (frames) => {
      frames.forEach((frame, layer) => {
        const data = valuesOf(frame) as Float32Array<ArrayBuffer>;
        const size = [width, height];
        device.queue.writeTexture({ texture, origin: [0, 0, layer] }, data, { bytesPerRow: 4 * width }, size);
      });
    },
    destroy: () => texture.destroy(),
  };
}
