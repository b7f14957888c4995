import { addAbortSignal } from "node:stream";
import { openInputStream } from "../input-stream.js";
import { withFile } from "../refusal.js";

/** Bytes of a file or of standard input in order, without holding more than one piece of it. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #chunk: Buffer = Buffer.alloc(0);

  constructor(
    readonly place: string,
    chunks: AsyncIterable<Buffer>,
  ) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Opens a file or a pipe, or standard input where `path` is "-". Refuses folders and devices. What waits for bytes throws when `signal` aborts. */
  static open(path: string, signal?: AbortSignal): ByteReader {
    const stream = openInputStream(path, 2 ** 18);
    return new ByteReader(path === "-" ? "stdin" : path, signal ? addAbortSignal(signal, stream) : stream);
  }

  /** The next `count` bytes in memory of their own; fewer only where the input ends. */
  async read(count: number): Promise<Buffer> {
    const target = Buffer.alloc(count);
    let filled = 0;
    while (filled < count && (await this.#fill())) {
      const taken = this.#chunk.copy(target, filled);
      this.#chunk = this.#chunk.subarray(taken);
      filled += taken;
    }
    return target.subarray(0, filled);
  }

  /** The next bytes up to a line feed, which is taken too; null at the end of the input. Longer than `most`: cut there. */
  async line(most: number): Promise<string | null> {
    if (!(await this.#fill())) return null;
    const bytes: number[] = [];
    while (bytes.length < most && (await this.#fill())) {
      const byte = this.#chunk[0];
      this.#chunk = this.#chunk.subarray(1);
      if (byte === 0x0a) break;
      bytes.push(byte);
    }
    return Buffer.from(bytes).toString("latin1");
  }

  /** Whether no byte is left. */
  async ended(): Promise<boolean> {
    return !(await this.#fill());
  }

  /** Closes the input before its end. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  /** Makes sure that the current chunk holds a byte; false at the end of the input. */
  async #fill(): Promise<boolean> {
    while (this.#chunk.length === 0) {
      const next = await this.#chunks.next().catch((error) => withFile(this.place, () => Promise.reject(error)));
      if (next.done) return false;
      this.#chunk = next.value;
    }
    return true;
  }
}
