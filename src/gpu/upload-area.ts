/** Arrays that change together are written at once: a write costs the host several microseconds whatever its length. */
import { createStorage, writeStorage } from "./buffers.js";
import type { Workspace } from "./workspace.js";

interface Part {
  /** Numbers before it and numbers that it has room for. */
  readonly first: number;
  readonly room: number;
}

/** One buffer that holds named arrays of 4-byte numbers. A workspace binds each by its name, as a storage or uniform buffer. */
export class UploadArea {
  #buffer: GPUBuffer | null = null;
  #content = new Uint32Array(0);
  #parts: Record<string, Part> = {};

  constructor(
    private readonly work: Workspace,
    readonly label: string,
  ) {}

  /** Writes all arrays, which have the same names each time. Their bindings hold at least 64 numbers each, and old ones behind the array. */
  write(arrays: Readonly<Record<string, Uint32Array | Int32Array>>): void {
    const names = Object.keys(arrays);
    if (!names.every((name) => arrays[name].length <= (this.#parts[name]?.room ?? -1))) this.#arrange(arrays);
    let end = 0;
    for (const name of names) {
      this.#content.set(arrays[name], this.#parts[name].first);
      end = Math.max(end, this.#parts[name].first + arrays[name].length);
    }
    writeStorage(this.work.session, this.#buffer as GPUBuffer, this.#content.subarray(0, end));
  }

  destroy(): void {
    this.#buffer?.destroy();
  }

  /** Gives each array room for larger ones to come, from multiples of 64 numbers on: no device asks for a coarser alignment. */
  #arrange(arrays: Readonly<Record<string, { readonly length: number }>>): void {
    this.#buffer?.destroy();
    this.#parts = {};
    let first = 0;
    for (const [name, { length }] of Object.entries(arrays)) {
      const room = Math.max(64, 2 ** Math.ceil(Math.log2(Math.max(1, length))));
      this.#parts[name] = { first, room };
      first += room;
    }
    const buffer = createStorage(this.work.session, this.label, first, GPUBufferUsage.UNIFORM);
    this.#buffer = buffer;
    this.#content = new Uint32Array(first);
    for (const [name, { first, room }] of Object.entries(this.#parts)) {
      this.work.lend(name, { buffer, offset: 4 * first, size: 4 * room });
    }
  }
}
