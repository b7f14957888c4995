import { join } from "node:path";
import type { NumberRule, TableRow } from "../files/csv-table.js";
import { readNpy } from "../files/npy.js";
import { readNumbers } from "../files/number-columns.js";
import { refuse } from "../files/refusal.js";
import { isThere, readBytes } from "../files/text-file.js";
import { maxFrames } from "./frame-order.js";

/** Costs of an instance are below this in size; forbidden links are left out instead. */
export const maxCost = 1e30;
/** Largest index of a detection within its frame. */
export const maxIndex = 999_999;

/** Costs with the detections they are about, in the order of the file. */
export interface CostEntries {
  readonly length: number;
  readonly frame: Int32Array;
  /** Indices within frames `frame`, `frame` + 1, and for triplets `frame` + 2: two or three arrays. */
  readonly index: readonly Int32Array[];
  readonly cost: Float64Array;
  /** The place of an entry in its file, for messages. */
  place(entry: number): string;
}

/** Reads pairs or triplets from name.csv or name.npy; null where there is neither. Refuses both at once. */
export function readEntries(folder: string, name: "pairs" | "triplets"): CostEntries | null {
  const [csv, npy] = [join(folder, `${name}.csv`), join(folder, `${name}.npy`)];
  const indices = name === "pairs" ? ["i", "j"] : ["i", "j", "k"];
  if (isThere(csv) && isThere(npy)) refuse(folder, `holds ${name}.csv and ${name}.npy`, "keep one of them");
  if (isThere(csv)) return entriesFromCsv(csv, readBytes(csv, csvLimit), indices);
  return isThere(npy) ? entriesFromNpy(npy, indices) : null;
}

const csvLimit = { maxBytes: 2 ** 30, remedy: "give it as .npy" };
export const frameRule: NumberRule = {
  integer: true,
  min: 0,
  max: maxFrames - 1,
  remedy: "number the frames 0, 1, 2, …; frame p holds the pairs from p to p + 1",
};
export const indexRule: NumberRule = {
  integer: true,
  min: 0,
  max: maxIndex,
  remedy: "number the detections of a frame 0, 1, 2, …",
};
export const costRule: NumberRule = { below: maxCost, remedy: "leave forbidden entries out; costs are finite numbers" };

/** Entries of a CSV with the columns frame, i, j, perhaps k, and cost. */
export function entriesFromCsv(file: string, bytes: Uint8Array, indices: readonly string[]): CostEntries {
  const columns = { required: ["frame", ...indices, "cost"], optional: [] };
  const cell = (name: string, rule: NumberRule) => [name, (row: TableRow) => row.number(name, rule)] as const;
  const cells = [cell("frame", frameRule), ...indices.map((name) => cell(name, indexRule)), cell("cost", costRule)];
  const { header, line, ...numbers } = readNumbers<string>(file, bytes, columns, Object.fromEntries(cells));
  if (header.ignored.length > 0) {
    refuse(file, `has the unknown column ${header.ignored[0]}`, `give ${columns.required.join(",")} alone`);
  }
  return {
    length: line.length,
    frame: Int32Array.from(numbers.frame),
    index: indices.map((name) => Int32Array.from(numbers[name])),
    cost: numbers.cost,
    place: (entry) => `${file}:${line[entry]}`,
  };
}

function entriesFromNpy(file: string, indices: readonly string[]): CostEntries {
  const width = indices.length + 2;
  let frame = new Int32Array(0);
  let index: Int32Array[] = [];
  let cost = new Float64Array(0);
  const place = (entry: number) => `${file}, row ${entry}`;
  const integer = (value: number, entry: number, name: string, rule: NumberRule) => {
    const { max = 0, remedy } = rule;
    if (Number.isInteger(value) && value >= 0 && value <= max) return value;
    const problem = Number.isInteger(value) ? `is not between 0 and ${max}` : "is not an integer";
    refuse(`${place(entry)}, column ${name}`, `${value} ${problem}`, remedy);
  };
  const onShape = (rows: number) => {
    frame = new Int32Array(rows);
    index = indices.map(() => new Int32Array(rows));
    cost = new Float64Array(rows);
  };
  readNpy(file, width, onShape, (values, entry) => {
    frame[entry] = integer(values[0], entry, "frame", frameRule);
    for (let n = 0; n < indices.length; n++) index[n][entry] = integer(values[n + 1], entry, indices[n], indexRule);
    const value = values[width - 1];
    if (!(Math.abs(value) < maxCost)) refuse(`${place(entry)}, column cost`, `${value} is no cost`, costRule.remedy);
    cost[entry] = value;
  });
  return { length: frame.length, frame, index, cost, place };
}
