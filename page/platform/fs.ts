/** node:fs over files that are held in memory: those that the user gave, and the kernels of the package. Nothing else is there. */
import { kernels } from "rmap:kernels";
import { Buffer } from "buffer";
import { normalize } from "pathe";

const files = new Map<string, Uint8Array>();

/** One name for a file, however its path is written. */
const nameOf = (path: string | URL): string =>
  normalize(path instanceof URL ? path.pathname : path)
    .replace(/^(?:\.?\/)+/, "")
    .replace(/\/$/, "");

const encoder = new TextEncoder();
for (const [path, text] of Object.entries(kernels)) files.set(nameOf(path), encoder.encode(text));

/** Puts a file in its place, or takes it away. */
export function placeFile(path: string, content: Uint8Array | string | null): void {
  if (content === null) files.delete(nameOf(path));
  else files.set(nameOf(path), typeof content === "string" ? encoder.encode(content) : content);
}

class FileError extends Error {
  constructor(
    readonly code: string,
    path: string,
  ) {
    super(`${code}: ${path}`);
  }
}

const isFolder = (name: string): boolean => name === "" || name === "." || someIn(name);

function someIn(folder: string): boolean {
  for (const name of files.keys()) if (name.startsWith(`${folder}/`)) return true;
  return false;
}

class Stats {
  constructor(
    readonly size: number,
    private readonly kind: "file" | "folder",
  ) {}
  isFile = () => this.kind === "file";
  isDirectory = () => this.kind === "folder";
  isFIFO = () => false;
  isSymbolicLink = () => false;
}

export function statSync(path: string, options?: { throwIfNoEntry?: boolean }): Stats | undefined {
  const name = nameOf(path);
  const bytes = files.get(name);
  if (bytes !== undefined) return new Stats(bytes.length, "file");
  if (isFolder(name)) return new Stats(0, "folder");
  if (options?.throwIfNoEntry === false) return undefined;
  throw new FileError("ENOENT", path);
}

export const lstatSync = statSync;
export const existsSync = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;
export const realpathSync = (path: string): string => path;

export function readFileSync(path: string | URL, encoding?: "utf8"): Buffer | string {
  const bytes = files.get(nameOf(path));
  if (bytes === undefined) throw new FileError(isFolder(nameOf(path)) ? "EISDIR" : "ENOENT", String(path));
  const buffer = Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
  return encoding === undefined ? buffer : new TextDecoder().decode(bytes);
}

export function readdirSync(path: string): string[] {
  const folder = nameOf(path);
  const prefix = folder === "" || folder === "." ? "" : `${folder}/`;
  const inside = [...files.keys()].filter((name) => name.startsWith(prefix));
  return [...new Set(inside.map((name) => name.slice(prefix.length).split("/", 1)[0]))];
}

/** Files that are open, by their descriptors. */
const open: Uint8Array[] = [];

export const openSync = (path: string): number => open.push(readFileSync(path) as Buffer) - 1;
export const fstatSync = (descriptor: number): Stats => new Stats(open[descriptor].length, "file");
export function closeSync(descriptor: number): void {
  open[descriptor] = new Uint8Array();
}

export function readSync(descriptor: number, target: Uint8Array, at: number, length: number, position: number): number {
  const piece = open[descriptor].subarray(position, position + length);
  target.set(piece, at);
  return piece.length;
}

/** A file's bytes in one piece. */
export async function* createReadStream(path: string, { start = 0 }: { start?: number } = {}): AsyncGenerator<Buffer> {
  yield (readFileSync(path) as Buffer).subarray(start);
}

export const constants = {};

const readOnly = (): never => {
  throw new FileError("EROFS", "a browser writes no files");
};

export {
  readOnly as accessSync,
  readOnly as appendFileSync,
  readOnly as chmodSync,
  readOnly as chownSync,
  readOnly as fsyncSync,
  readOnly as ftruncateSync,
  readOnly as mkdirSync,
  readOnly as mkdtempSync,
  readOnly as renameSync,
  readOnly as rmSync,
  readOnly as writeFileSync,
  readOnly as writeSync,
};
