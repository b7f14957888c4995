import { accessSync, constants, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import writeFileAtomic from "write-file-atomic";
import { refuse, withFile } from "./refusal.js";

/**
 * Writes a file whole or not at all: to a temporary file in the same folder, flushed, then renamed over `file`. An interrupt
 * leaves the old file (or none) as it was.
 */
export function writeWhole(file: string, content: string | Uint8Array): void {
  withFile(file, () => {
    if (typeof content === "string") writeFileAtomic.sync(file, content, "utf8");
    else writeFileAtomic.sync(file, Buffer.from(content.buffer, content.byteOffset, content.byteLength));
  });
}

/** Creates a folder and those above it where missing, and makes sure that files can be written in it. */
export function ensureFolder(folder: string): void {
  withFile(folder, () => {
    if (statSync(folder, { throwIfNoEntry: false })?.isFile()) {
      refuse(folder, "is a file, not a folder", "choose another folder");
    }
    makeFolders(resolve(folder));
    accessSync(resolve(folder), constants.W_OK | constants.X_OK);
  });
}

/** One level at a time: Node 20's recursive mkdir never returns where a folder takes no entries, as in /proc. */
function makeFolders(folder: string): void {
  if (existsSync(folder)) return;
  makeFolders(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have made it in between; and ENOENT says that its parent, which is there, takes no folders.
    if (existsSync(folder)) return;
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    refuse(folder, "no folder can be made here", "choose another folder");
  }
}
