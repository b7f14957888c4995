import { closeSync, createReadStream, existsSync, openSync, statSync, writeSync } from "node:fs";
import { refuse, withFile } from "../files/refusal.js";

/** Bytes read at a time from a file; a stream arrives in pieces of its own. */
const PIECE = 2 ** 16;

/** A file to read as it streams. */
export function openStream(file: string) {
  withFile(file, () => {
    if (statSync(file).isDirectory()) refuse(file, "is a folder, not a file", "name a file");
  });
  const descriptor = withFile(file, () => openSync(file, "r"));
  return createReadStream(file, { fd: descriptor, highWaterMark: PIECE });
}

/** A CSV that is written as its rows come, so that a killed run leaves all of them. */
export class RowFile {
  readonly #descriptor: number;

  constructor(
    readonly file: string,
    header: string | null,
    append: boolean,
  ) {
    const isNew = !append || !existsSync(file);
    this.#descriptor = withFile(file, () => openSync(file, append ? "a" : "w"));
    if (isNew && header !== null) this.write(`${header}\n`);
  }

  write(text: string): void {
    withFile(this.file, () => writeSync(this.#descriptor, text));
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
