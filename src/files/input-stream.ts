import { createHash } from "node:crypto";
import { constants, createReadStream, openSync, statSync } from "node:fs";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { refuse, withFile } from "./refusal.js";

export const isStdin = (path: string): boolean => path === "-" || path === "/dev/stdin";

/**
 * A file, a named pipe or standard input (`-`) as a stream of bytes. `destroy` ends it at once, whatever it waits for: a file's stream reads in
 * another thread, where nothing takes a read back, and the writer of a pipe may keep it waiting for ever. So the event loop reads pipes, as it does
 * standard input.
 * @param piece bytes that are read at a time from a file; a pipe's arrive in pieces of its own
 * @param offset of a file's bytes from which on it is read
 * @throws InputError for folders and devices, and what cannot be opened
 */
export function openInputStream(path: string, piece = 2 ** 16, offset = 0): Readable {
  if (isStdin(path)) return process.stdin;
  return withFile(path, () => {
    const stat = statSync(path);
    if (stat.isDirectory()) refuse(path, "is a folder, not a file", "name a file");
    if (!stat.isFile() && !stat.isFIFO()) refuse(path, "is a device, not a file", "name a file or a pipe");
    if (stat.isFile()) return createReadStream(path, { fd: openSync(path, "r"), highWaterMark: piece, start: offset });
    // Nobody may be writing yet; a signal would not be heard while the program waited for that.
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return new Socket({ fd: descriptor, readable: true, writable: false });
  });
}

/** SHA-256 of the bytes of a file, a pipe or standard input. */
export async function digestOfBytes(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of openInputStream(path, 2 ** 20)) hash.update(piece);
  return hash.digest("hex");
}
