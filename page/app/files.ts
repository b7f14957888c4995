/** Files that are dropped on the page, or chosen: images go under the picture, and the rest to the worker. */
import type { GivenFile } from "../worker/protocol.js";
import { decode, openFiles } from "./actions.js";
import { IMAGE_FILE, setImages } from "./images.js";

/** Images that browsers do not show. */
const READ_IMAGE = /\.(tiff?|p[gpn]m|y4m)$/i;

interface Named {
  readonly path: string;
  readonly file: File;
}

export async function take(given: readonly Named[]): Promise<void> {
  const kinds = await Promise.all(given.map(kindOf));
  const inOrder = (kind: Kind) =>
    given.filter((_, n) => kinds[n] === kind).sort((a, b) => a.path.localeCompare(b.path, "en", { numeric: true }));
  const [shown, read] = [inOrder("shown"), inOrder("read")];
  const others = given.filter((_, n) => kinds[n] === "other");
  // Images of another recording go with it.
  if (others.length > 0 && (await openFiles(contentsOf(others))) && shown.length + read.length === 0) setImages([]);
  if (shown.length > 0) setImages(shown.map(({ file }) => file));
  else if (read.length > 0) setImages(await decode(contentsOf(read)));
}

/** Images that the browser shows, those that the worker reads, and what is none; an array of NumPy is images where it has three axes, since tables have two. */
type Kind = "shown" | "read" | "other";

async function kindOf({ path, file }: Named): Promise<Kind> {
  if (IMAGE_FILE.test(path)) return "shown";
  const isStack = async () => /'shape': \(\d+, \d+, \d+,?\)/.test(await file.slice(0, 256).text());
  return READ_IMAGE.test(path) || (/\.npy$/i.test(path) && (await isStack())) ? "read" : "other";
}

function contentsOf(files: readonly Named[]): Promise<GivenFile[]> {
  return Promise.all(files.map(async ({ path, file }) => ({ path, bytes: new Uint8Array(await file.arrayBuffer()) })));
}

export const takeList = (list: FileList | null): Promise<void> =>
  take(Array.from(list ?? [], (file) => ({ path: file.webkitRelativePath || file.name, file })));

/** Files and the contents of folders. */
export async function takeDropped(transfer: DataTransfer): Promise<void> {
  const entries = Array.from(transfer.items, (item) => item.webkitGetAsEntry?.() ?? null);
  if (entries.some((entry) => entry === null)) return takeList(transfer.files);
  const found = await Promise.all(entries.map((entry) => filesOf(entry as FileSystemEntry)));
  return take(found.flat());
}

async function filesOf(entry: FileSystemEntry): Promise<Named[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ path: entry.fullPath.replace(/^\//, ""), file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const inside: FileSystemEntry[] = [];
  // A reader gives a hundred entries at a time.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) break;
    inside.push(...some);
  }
  return (await Promise.all(inside.map(filesOf))).flat();
}
