import { InputError } from "../core/errors.js";
import { nearestFile } from "./nearest.js";

const longest = 60;

/** A value as it is in the input, quoted when it is text, cut after 60 characters. */
export function shown(value: unknown): string {
  const text = typeof value === "number" ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}

/** The option of a command line behind a key: `costParameter` is --cost-parameter. */
export const optionOf = (key: string): string => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Throws the one-line InputError `place: problem; remedy`; line breaks and other control characters are made visible. */
export function refuse(place: string, problem: string, remedy: string): never {
  throw new InputError(oneLine(`${place}: ${problem}; ${remedy}`));
}

/**
 * Text as a terminal may see it: line breaks, escape sequences and other control characters, also those that turn the direction of
 * writing, become visible as \\u001b and the like. Inside JSON these escapes mean the same characters.
 */
export function oneLine(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the search is for them
    /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const reasons: Record<string, [problem: string, remedy: string]> = {
  ENOENT: ["there is no such file or folder", "check the path"],
  EACCES: ["permission denied", "choose another path or change its permissions"],
  EPERM: ["operation not permitted", "choose another path or change its permissions"],
  EROFS: ["the file system is read-only", "choose another path"],
  ENOTDIR: ["a part of the path is a file, not a folder", "check the path"],
  EISDIR: ["is a folder, not a file", "name a file"],
  EEXIST: ["there is a file of that name", "choose another path"],
  ENOSPC: ["no space left on the device", "free some space or choose another path"],
  EDQUOT: ["the disk quota is used up", "free some space or choose another path"],
  ENAMETOOLONG: ["the path is too long", "choose a shorter one"],
  ELOOP: ["too many symbolic links", "check the path"],
  EMFILE: ["too many open files", "close some or raise the limit (ulimit -n)"],
  ERR_INVALID_ARG_VALUE: ["is not a valid path", "check the path"],
};

/** Runs one file operation; a refusal of the file system becomes an InputError about `path`. */
export function withFile<T>(path: string, operation: () => T): T {
  try {
    return operation();
  } catch (error) {
    throw explained(path, error);
  }
}

/** The InputError about `path` for an error of the file system; any other error is left as it is. */
export function explained(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || !("code" in error) || error instanceof InputError) return error;
  const [problem, remedy] = reasons[String(error.code)] ?? [`cannot be used (${error.code})`, "check the path"];
  const meant = error.code === "ENOENT" ? nearestFile(path) : null;
  return new InputError(oneLine(`${path}: ${problem}; ${meant === null ? remedy : `did you mean ${meant}?`}`));
}
