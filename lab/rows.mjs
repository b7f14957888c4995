import { readFileSync } from "node:fs";

/**
 * The rows of a file that has one JSON object a line.
 * @param {string | URL} file
 * @returns {any[]}
 */
export function rowsOf(file) {
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
}
