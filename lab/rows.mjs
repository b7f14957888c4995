import { readFileSync } from "node:fs";
import { measurement } from "../dist/rows/measurement.js";
import { appendMeasurement } from "../dist/rows/results.js";

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

/**
 * Appends a measurement to the file, where one is given.
 * @template {import("../dist/rows/measurement.js").Measurement} Row
 * @param {string | undefined} file
 * @param {Row} row
 */
export function keepRow(file, row) {
  if (file !== undefined) appendMeasurement(file, measurement, row);
  return row;
}
