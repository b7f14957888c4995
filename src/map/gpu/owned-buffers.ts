import { createStorage, uploadStorage } from "../../gpu/buffers.js";
import type { GpuSession } from "../../gpu/session.js";

/** Buffers that are destroyed together. */
export class OwnedBuffers {
  readonly #owned: GPUBuffer[] = [];

  constructor(private readonly session: GpuSession) {}

  keep = (buffer: GPUBuffer): GPUBuffer => {
    this.#owned.push(buffer);
    return buffer;
  };

  upload = (label: string, data: Uint32Array | Float32Array): GPUBuffer =>
    this.keep(uploadStorage(this.session, label, data));

  empty = (label: string, length: number): GPUBuffer => this.keep(createStorage(this.session, label, length));

  destroy(): void {
    for (const buffer of this.#owned) buffer.destroy();
  }
}
