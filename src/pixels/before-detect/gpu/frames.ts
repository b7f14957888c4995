/** The frames of a pass on the device: an array, or the layers of a texture. */
import { InputError } from "../../../core/errors.js";
import { createStorage, writeStorage } from "../../../gpu/buffers.js";
import type { GpuSession } from "../../../gpu/session.js";
import type { Field } from "../peaks.js";

export interface DeviceFrames {
  readonly resource: GPUBuffer | GPUTextureView;
  write(frames: readonly Float32Array[]): void;
  destroy(): void;
}

export function createFrames(
  session: GpuSession,
  input: "storage" | "texture",
  { width, height }: Field,
  depth: number,
): DeviceFrames {
  const { device } = session;
  if (input === "storage") {
    const buffer = createStorage(session, "frames of a pass", width * height * depth);
    return {
      resource: buffer,
      write: (frames) => {
        frames.forEach((frame, layer) => {
          writeStorage(session, buffer, frame, layer * width * height);
        });
      },
      destroy: () => buffer.destroy(),
    };
  }
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
    write: (frames) => {
      frames.forEach((frame, layer) => {
        const data = frame as Float32Array<ArrayBuffer>;
        device.queue.writeTexture({ texture, origin: [0, 0, layer] }, data, { bytesPerRow: 4 * width }, [
          width,
          height,
        ]);
      });
    },
    destroy: () => texture.destroy(),
  };
}
