import {
  accessSync,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { refuse, shown, withFile } from "./refusal.js";

/** The content of a file: whole, or in pieces that are written one by one, so that it may be larger than a string can be. */
export type Content = string | Uint8Array | Iterable<string>;

/** A file that is written, and not yet in its place. */
export interface StagedFile {
  /** Where it is until then. */
  readonly path: string;
  /** Puts it in its place in one step, so that a reader sees the old file or the new one. */
  commit(): void;
  /** Removes it. */
  discard(): void;
}

/**
 * Writes a file whole or not at all: to a temporary file in the same folder, flushed, then renamed over `file`. An interrupt
 * leaves the old file (or none) as it was; the next run that writes the same file removes the unfinished files of a killed run.
 */
export function writeWhole(file: string, content: Content): void {
  stageFile(file, content).commit();
}

/**
 * Writes the content beside `file`, as .NAME.rmap-PID@MACHINE.
 *
 * @throws InputError where it cannot be written, and where `file` is a folder, a device or a pipe
 */
export function stageFile(file: string, content: Content): StagedFile {
  return withFile(file, () => {
    // A link is kept, and the file that it leads to is replaced.
    const place = existsSync(file) ? realpathSync(file) : file;
    const old = refuseOtherThanFile(file);
    clearUnfinished(place);
    const temporary = temporaryOf(place);
    const discard = () => rmSync(temporary, { force: true });
    try {
      writeContent(temporary, content);
      if (old !== undefined) keepOwner(temporary, old);
    } catch (error) {
      discard();
      throw error;
    }
    return { path: temporary, commit: () => withFile(file, () => renameSync(temporary, place)), discard };
  });
}

/**
 * Writes a folder with these files beside `folder`, whose place it takes in two steps: a reader sees the old one, none, or the new one.
 *
 * @param parts names in the old one, which is refused where it holds others
 * @throws InputError where it cannot be written, and where `folder` is a file
 */
export function stageFolder(
  given: string,
  files: Iterable<readonly [path: string, content: Content]>,
  parts = /^/,
): StagedFile {
  return withFile(given, () => {
    const folder = existsSync(given) ? realpathSync(given) : resolve(given);
    const other = isFolder(given) ? readdirSync(folder).find((name) => !parts.test(name)) : undefined;
    if (other !== undefined) refuse(given, `holds ${shown(other)}, which would be lost`, "name another folder");
    clearUnfinished(folder);
    const temporary = temporaryOf(folder);
    const remove = (path: string) => rmSync(path, { force: true, recursive: true });
    try {
      for (const [path, content] of files) {
        mkdirSync(dirname(join(temporary, path)), { recursive: true });
        writeContent(join(temporary, path), content);
      }
    } catch (error) {
      remove(temporary);
      throw error;
    }
    const commit = () => {
      remove(folder);
      renameSync(temporary, folder);
    };
    return { path: temporary, commit: () => withFile(given, commit), discard: () => remove(temporary) };
  });
}

/**
 * Makes sure that a name, if anything has it, is that of a file.
 *
 * @throws InputError for folders, devices and pipes
 */
export function refuseOtherThanFile(file: string): Stats | undefined {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat?.isDirectory()) refuse(file, "is a folder, not a file", "name a file");
  if (stat !== undefined && !stat.isFile()) refuse(file, "is a device or a pipe, not a file", "name a file");
  return stat;
}

/** @throws InputError where something else has the name */
function isFolder(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  const other = stat?.isFile() ? "a file" : "a device or a pipe";
  if (stat?.isDirectory() === false) refuse(path, `is ${other}, not a folder`, "choose another folder");
  return stat !== undefined;
}

const temporaryOf = (file: string) => join(dirname(file), `.${basename(file)}.rmap-${process.pid}@${hostname()}`);

/** Removes the temporary files that killed runs left beside `file`; those of other machines stay, whose processes are not known here. */
export function clearUnfinished(file: string): void {
  const folder = dirname(file);
  const start = `.${basename(file)}.rmap-`;
  for (const name of readdirSync(folder)) {
    const [pid, machine = hostname()] = name.slice(start.length).split("@");
    if (name.startsWith(start) && machine === hostname() && !isOtherProcess(Number(pid))) {
      rmSync(join(folder, name), { force: true, recursive: true });
    }
  }
}

/** Whether a process of that number runs, and is not this one. */
export function isOtherProcess(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Characters gathered before they are written. */
const PIECE = 2 ** 20;

function writeContent(file: string, content: Content): void {
  const descriptor = openSync(file, "w");
  try {
    if (typeof content === "string" || content instanceof Uint8Array) writeAll(descriptor, content);
    else for (const piece of gathered(content)) writeAll(descriptor, piece);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The pieces, joined to pieces of about `PIECE` characters. */
export function* gathered(pieces: Iterable<string>): Iterable<string> {
  let text = "";
  for (const piece of pieces) {
    text += piece;
    if (text.length < PIECE) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}

/** Writes all of it, however many calls that takes. */
export function writeAll(descriptor: number, content: string | Uint8Array): void {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
}

function keepOwner(file: string, { mode, uid, gid }: Stats): void {
  chmodSync(file, mode & 0o7777);
  try {
    chownSync(file, uid, gid);
  } catch {
    // Only root may give files away; then the file is the writer's.
  }
}

/** Creates a folder and those above it where missing, and makes sure that files can be written in it. */
export function ensureFolder(folder: string): void {
  withFile(folder, () => {
    isFolder(folder);
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
