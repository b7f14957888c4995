/** Files that rmap reads beside its modules: workers, kernels, package.json. A bundle has none of them. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { InputError } from "./errors.js";

/** Says that such a file is missing, and the remedy. */
export const notBeside = (what: string): string =>
  `${what} is not beside the modules of rmap; if these are in a bundle, make rmap external`;

/**
 * The file of a worker thread, by its name under "imports" of package.json.
 * @throws InputError in a bundle
 */
export const workerFile = (name: `#${string}-worker`): string => fileNamed(name, `the worker thread ${name.slice(1)}`);

/** The bytes of another file there. */
export const readPackageFile = (name: `#${string}`): Uint8Array => readFileSync(fileNamed(name, name.slice(1)));

function fileNamed(name: string, what: string): string {
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "MODULE_NOT_FOUND" && code !== "ERR_PACKAGE_IMPORT_NOT_DEFINED") throw error;
    throw new InputError(notBeside(what));
  }
}
