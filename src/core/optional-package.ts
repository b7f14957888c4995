/**
 * Packages that a part of the users needs. They are optional peers: `npm install rmap` leaves them out, and a checkout has them all. Each is
 * loaded where it is first needed.
 */
import { InputError } from "./errors.js";

/** The package's modules, or null where one of `packages` is not installed. */
export async function ifInstalled<Module>(
  packages: readonly string[],
  load: () => Promise<Module>,
): Promise<Module | null> {
  try {
    return await load();
  } catch (error) {
    if (isMissing(error, packages)) return null;
    throw error;
  }
}

/**
 * The package's modules.
 * @param what needs them, as the subject of a message
 * @throws InputError that says how to install what is missing
 */
export async function needed<Module>(
  what: string,
  packages: readonly string[],
  load: () => Promise<Module>,
): Promise<Module> {
  const found = await ifInstalled(packages, load);
  if (found === null) throw new InputError(missing(what, packages));
  return found;
}

/** Says that packages are missing, and the remedy. */
export function missing(what: string, packages: readonly string[]): string {
  const which =
    packages.length === 1
      ? `the package ${packages[0]}, which is`
      : `the packages ${packages.join(" and ")}, which are`;
  return `${what} needs ${which} not installed; run "npm install ${packages.join(" ")}"`;
}

/** Node names the package in its message alone. Another missing module is a defect, and not the user's to install. */
function isMissing(error: unknown, packages: readonly string[]): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") return false;
  return packages.some((name) => new RegExp(`Cannot find (package|module) '${name}(/[^']*)?'`).test(message));
}
