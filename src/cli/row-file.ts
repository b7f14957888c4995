import { closeSync, fstatSync, ftruncateSync, openSync, readSync, statSync } from "node:fs";
import { refuse, withFile } from "../files/refusal.js";
import { isNamed } from "../files/text-file.js";
import { writeAll } from "../files/whole-file.js";

/** A CSV that is written as its rows come, so that a killed run leaves all of them. */
export class RowFile {
  readonly #descriptor: number;

  constructor(
    readonly file: string,
    header: string | null,
    append: boolean,
  ) {
    const stat = withFile(file, () => statSync(file, { throwIfNoEntry: false }));
    const isNew = !append || stat === undefined;
    // To open it would wait for a reader, who may never come.
    if (stat?.isFIFO() && isNamed(file))
      refuse(file, "is a named pipe, not a file", "name a file, or pipe the rows of standard output");
    this.#descriptor = withFile(file, () => openSync(file, append ? "a+" : "w"));
    if (isNew && header !== null) this.write(`${header}\n`);
  }

  write(text: string): void {
    withFile(this.file, () => writeAll(this.#descriptor, text));
  }

  get bytes(): number {
    return fstatSync(this.#descriptor).size;
  }

  /** The rows appended beyond `from` bytes; a last one that a killed run left unfinished is cut off. */
  rowsFrom(from: number): string {
    const rest = Buffer.alloc(this.bytes - from);
    readSync(this.#descriptor, rest, 0, rest.length, from);
    const whole = rest.lastIndexOf("\n") + 1;
    if (whole < rest.length) this.cut(from + whole);
    return rest.toString("utf8", 0, whole);
  }

  /** Cuts the file off after this many bytes. */
  cut(bytes: number): void {
    withFile(this.file, () => ftruncateSync(this.#descriptor, bytes));
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
