/**
 * Refuses a command line that names no part of a script, or one that the script does not have.
 * @param {readonly string[]} parts
 * @param {object} known by name
 */
export function requireParts(parts, known) {
  const unknown = parts.find((part) => !(part in known));
  if (parts.length === 0 || unknown !== undefined) {
    throw new Error(`${unknown ?? "no part"}: give some of ${Object.keys(known).join(", ")}`);
  }
}
