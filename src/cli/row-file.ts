import { closeSync, existsSync, openSync, writeSync } from "node:fs";
import { withFile } from "../files/refusal.js";

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
