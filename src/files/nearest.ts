import { readdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import { closest, distance } from "fastest-levenshtein";

/** The option that was probably meant by `given`, if one is at most `slips` letters away. */
export function nearest(
  given: string,
  options: readonly string[],
  slips = Math.max(2, given.length / 3),
): string | null {
  if (options.length === 0 || given.length > 100) return null;
  const candidate = closest(given.toLowerCase(), options);
  return distance(given.toLowerCase(), candidate.toLowerCase()) <= slips ? candidate : null;
}

/** The file or folder whose name is nearest to that of a path that does not exist. */
export function nearestFile(path: string): string | null {
  try {
    return nearest(basename(path), readdirSync(dirname(path)));
  } catch {
    return null;
  }
}
