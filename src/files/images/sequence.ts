/** The files that a path of images names. It loads no decoder, since every command line needs it. */
import { readdirSync, statSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { withFile } from "../refusal.js";

/** Endings of files of images; films and arrays are read otherwise. */
export const IMAGE_ENDINGS = [".png", ".pgm", ".ppm", ".pnm", ".tif", ".tiff"] as const;

export const isImage = (extension: string): extension is (typeof IMAGE_ENDINGS)[number] =>
  (IMAGE_ENDINGS as readonly string[]).includes(extension);

/** The images of a folder or glob in natural order; null where `path` is neither. */
export function imagesIn(path: string): string[] | null {
  const images = namesIn(path)?.filter((name) => isImage(extname(name).toLowerCase()));
  return images?.sort(new Intl.Collator("en", { numeric: true }).compare) ?? null;
}

/** Says that files numbered in even steps leave numbers out, null where they do not: images are counted, whatever their names say. */
export function skippedNumbers(files: readonly string[]): string | null {
  const named = files.map((file) => /^(.*?)(\d+)(\D*)$/.exec(basename(file)) ?? [file, file, "", ""]);
  const isSeries = named.every(
    ([, before, digits, after]) => digits !== "" && before === named[0][1] && after === named[0][3],
  );
  if (!isSeries || files.length < 3) return null;
  const steps = named.slice(1).map(([, , digits], n) => Number(digits) - Number(named[n][2]));
  const step = Math.min(...steps);
  const at = steps.findIndex((one) => one > step);
  if (step < 1 || at < 0) return null;
  return `${files[at]}: the next image is ${basename(files[at + 1])}. Images are counted, so no frame is missed between them, whatever their numbers say.`;
}

/** The paths that a folder or a glob stands for; null where `path` is neither. */
export function namesIn(path: string): string[] | null {
  const isFolder = withFile(path, () => statSync(path, { throwIfNoEntry: false }))?.isDirectory() === true;
  if (!isFolder && !/[*?]/.test(basename(path))) return null;
  const folder = isFolder ? path : dirname(path);
  const pattern = isFolder ? /^/ : patternOf(basename(path));
  const names = withFile(folder, () => readdirSync(folder));
  return names.filter((name) => pattern.test(name) && !name.startsWith(".")).map((name) => join(folder, name));
}

function patternOf(glob: string): RegExp {
  const source = glob
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`);
}
