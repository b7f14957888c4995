import { isUtf8 } from "node:buffer";
import { existsSync, lstatSync, readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import { refuse, withFile } from "./refusal.js";

/** Largest file read, in bytes (the parsers hold a file in memory), and what to do about a larger one. */
export interface SizeLimit {
  readonly maxBytes: number;
  readonly remedy: string;
}

const tableLimit: SizeLimit = { maxBytes: 2 ** 30, remedy: "split it" };
export const jsonLimit: SizeLimit = { maxBytes: 2 ** 24, remedy: "check that it is the right file" };

/**
 * The bytes of a file, or of a pipe that a shell has opened (`<(command)`). Refuses folders, devices, named pipes, which nobody may
 * ever write to, and files that are too large.
 */
export function readBytes(file: string, { maxBytes, remedy }: SizeLimit = tableLimit): Buffer {
  return withFile(file, () => {
    const stat = refuseNoFile(file);
    if (stat.size > maxBytes) refuse(file, `holds ${stat.size} bytes, more than ${maxBytes}`, remedy);
    return readFileSync(file);
  });
}

/** Whether anything has that name, including a link that leads nowhere, which is neither a file nor absent. */
export function isThere(path: string): boolean {
  return withFile(path, () => lstatSync(path, { throwIfNoEntry: false })) !== undefined;
}

/**
 * The file system's data about a file to be read, or about a pipe that a shell has opened.
 *
 * @throws InputError for folders, devices, named pipes and links that lead nowhere
 */
export function refuseNoFile(file: string): Stats {
  if (!existsSync(file) && lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) {
    refuse(file, "is a link that leads nowhere", "mend or remove it");
  }
  const stat = statSync(file);
  if (stat.isDirectory()) refuse(file, "is a folder, not a file", "name a file");
  if (stat.isFIFO() && isNamed(file)) refuse(file, "is a named pipe, not a file", "name a file");
  if (!stat.isFile() && !stat.isFIFO()) refuse(file, "is a device, not a file", "name a file or a pipe");
  return stat;
}

/** Whether a pipe has a name in the file system; those of a shell have none. */
export function isNamed(pipe: string): boolean {
  try {
    realpathSync(pipe);
    return true;
  } catch {
    return false;
  }
}

/** The bytes of standard input, to its end; the program receives signals while it waits. */
export async function readStandardInput(place: string, { maxBytes, remedy } = tableLimit): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of process.stdin) {
      size += piece.length;
      if (size > maxBytes) refuse(place, `holds more than ${maxBytes} bytes`, remedy);
      pieces.push(piece);
    }
  } catch (error) {
    return withFile(place, () => {
      throw error;
    });
  }
  return Buffer.concat(pieces);
}

/** `bytes` without their byte order mark, once they are known to be UTF-8 text; refuses binary and UTF-16 files. */
export function plainText(file: string, given: Uint8Array): Buffer {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
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
