import type { GpuSession } from "./session.js";

/** Staging buffers that take turns: while the device reads one, the host fills another. There are more only where more is sent in one submission. */
const MOST_STAGING = 4;

/**
 * Uploads of large arrays, again and again: each is copied once, into a mapped buffer that is used over and over. queue.writeBuffer
 * allocates staging memory for every large write.
 */
export class Uploads {
  readonly #size: number;
  readonly #all: GPUBuffer[] = [];
  /** Those that the device reads, the earliest first; each resolves when it can be filled again. */
  readonly #busy: Promise<GPUBuffer>[] = [];

  /** @param bytes of the largest upload */
  constructor(
    private readonly session: GpuSession,
    bytes: number,
  ) {
    this.#size = roundedUp(bytes);
  }

  /**
   * Records the copy of `data` to the byte `at` of a buffer, a multiple of 4. Up to three bytes behind the data are overwritten.
   * @returns to be called once the encoder's commands are submitted
   */
  async record(encoder: GPUCommandEncoder, data: ArrayBufferView, to: GPUBuffer, at: number): Promise<() => void> {
    const staging = await this.#take();
    new Uint8Array(staging.getMappedRange()).set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    staging.unmap();
    encoder.copyBufferToBuffer(staging, 0, to, at, roundedUp(data.byteLength));
    return () => {
      const free = staging.mapAsync(GPUMapMode.WRITE).then(() => staging);
      // The error belongs to the next upload, which awaits this; after destroy() there is none.
      free.catch(() => undefined);
      this.#busy.push(free);
    };
  }

  destroy(): void {
    for (const buffer of this.#all) buffer.destroy();
  }

  async #take(): Promise<GPUBuffer> {
    if (this.#all.length >= MOST_STAGING && this.#busy.length > 0) {
      try {
        return (await this.#busy.shift()) as GPUBuffer;
      } catch (error) {
        this.session.check();
        throw error;
      }
    }
    const usage = GPUBufferUsage.MAP_WRITE | GPUBufferUsage.COPY_SRC;
    const made = this.session.device.createBuffer({
      label: "upload",
      size: this.#size,
      usage,
      mappedAtCreation: true,
    });
    this.#all.push(made);
    return made;
  }
}

const roundedUp = (bytes: number) => 4 * Math.ceil(bytes / 4);
