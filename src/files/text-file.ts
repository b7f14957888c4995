import { isUtf8 } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import { refuse, withFile } from "./refusal.js";

/** Largest file read, in bytes (the parsers hold a file in memory), and what to do about a larger one. */
export interface SizeLimit {
  readonly maxBytes: number;
  readonly remedy: string;
}

const tableLimit: SizeLimit = { maxBytes: 2 ** 30, remedy: "split it" };

/** The bytes of a file or pipe. Refuses folders, devices and what is too large. */
export function readBytes(file: string, { maxBytes, remedy }: SizeLimit = tableLimit): Buffer {
  return withFile(file, () => {
    const stat = statSync(file);
    if (stat.isDirectory()) refuse(file, "is a folder, not a file", "name a file");
    if (!stat.isFile() && !stat.isFIFO()) refuse(file, "is a device, not a file", "name a file or a pipe");
    if (stat.size > maxBytes) refuse(file, `holds ${stat.size} bytes, more than ${maxBytes}`, remedy);
    return readFileSync(file);
  });
}

/** The bytes of standard input, to its end. */
export function readStandardInput(place: string): Buffer {
  // By its number: to touch process.stdin would make it a stream that does not wait.
  return withFile(place, () => readFileSync(0));
}

/** `bytes` without their byte order mark, once they are known to be UTF-8 text; refuses binary and UTF-16 files. */
export function plainText(file: string, bytes: Buffer): Buffer {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    refuse(file, "is UTF-16 text", "save it as UTF-8");
  }
  const zero = bytes.indexOf(0);
  if (zero >= 0) {
    refuse(`${file}:${lineOf(bytes, zero)}`, "holds a zero byte: a binary or UTF-16 file", "save it as UTF-8 text");
  }
  if (!isUtf8(bytes)) {
    const valid = Buffer.from(bytes.toString("utf8").split("\ufffd", 1)[0]).length;
    refuse(`${file}:${lineOf(bytes, valid)}`, "holds bytes that are not UTF-8", "save the file as UTF-8 text");
  }
  const hasMark = first === 0xef && second === 0xbb && bytes[2] === 0xbf;
  return hasMark ? bytes.subarray(3) : bytes;
}

function lineOf(bytes: Buffer, offset: number): number {
  return bytes
    .subarray(0, offset)
    .toString("latin1")
    .split(/\r\n|\r|\n/).length;
}
