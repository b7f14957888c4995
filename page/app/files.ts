/** Files that are dropped on the page, or chosen: images go under the picture, and the rest to the worker. */
import type { GivenFile } from "../worker/protocol.js";
import { openFiles } from "./actions.js";
import { IMAGE_FILE, setImages } from "./images.js";
import { message } from "./state.js";

const OTHER_IMAGE = /\.(tiff?|pgm|ppm|y4m)$/i;

interface Named {
  readonly path: string;
  readonly file: File;
}

export async function take(given: readonly Named[]): Promise<void> {
  const images = given.filter(({ path }) => IMAGE_FILE.test(path));
  const others = given.filter(({ path }) => !IMAGE_FILE.test(path) && !OTHER_IMAGE.test(path));
  const left = given.find(({ path }) => OTHER_IMAGE.test(path));
  if (left !== undefined)
    message.value = { text: `${left.path}: browsers do not show such images; save them as PNG`, isError: true };
  if (images.length > 0) setImages(images.map(({ file }) => file));
  if (others.length === 0) return;
  const read = others.map(async ({ path, file }): Promise<GivenFile> => {
    return { path, bytes: new Uint8Array(await file.arrayBuffer()) };
  });
  // Images of another recording go with it.
  if ((await openFiles(Promise.all(read))) && images.length === 0) setImages([]);
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
