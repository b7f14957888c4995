import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
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
    this.#descriptor = withFile(file, () => openSync(file, append ? "a+" : "w"));
    if (isNew && header !== null) this.write(`${header}\n`);
  }

  write(text: string): void {
    withFile(this.file, () => writeSync(this.#descriptor, text));
  }

  get bytes(): number {
    return fstatSync(this.#descriptor).size;
  }

  /** What was appended beyond `from` bytes, in whole rows; a last one that a killed run left unfinished is cut off. */
  rowsFrom(from: number): string {
    const rest = Buffer.alloc(this.bytes - from);
    readSync(this.#descriptor, rest, 0, rest.length, from);
    const whole = rest.lastIndexOf("\n") + 1;
    if (whole < rest.length) this.cut(from + whole);
    return rest.toString("utf8", 0, whole);
  }

  /** Cuts the file to so many bytes. */
  cut(bytes: number): void {
    withFile(this.file, () => ftruncateSync(this.#descriptor, bytes));
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
