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

/** What a table of an instance has in each row: a frame, detections, and numbers about them. */
interface EntryTable<Value extends string> {
  /** Indices within `frame`, `frame` + 1, … */
  readonly indices: readonly string[];
  readonly values: readonly Value[];
}

const TABLES = {
  pairs: { indices: ["i", "j"], values: ["cost"] },
  triplets: { indices: ["i", "j", "k"], values: ["cost"] },
  ends: { indices: ["i"], values: ["birth", "death"] },
  unused: { indices: ["i"], values: ["cost"] },
  divisions: { indices: ["i"], values: ["cost"] },
  exclusions: { indices: ["i"], values: ["set"] },
} as const satisfies Record<string, EntryTable<string>>;

type TableName = keyof typeof TABLES;
type ValueOf<Name extends TableName> = (typeof TABLES)[Name]["values"][number];

/** Rows of a table of an instance, in the order of the file. */
export type Entries<Value extends string> = Readonly<Record<Value, Float64Array>> & {
  readonly length: number;
  readonly frame: Int32Array;
  /** Indices within frames `frame`, `frame` + 1, and for triplets `frame` + 2: one to three arrays. */
  readonly index: readonly Int32Array[];
  /** The place of an entry in its file, for messages. */
  place(entry: number): string;
};

/** Costs with the links or the triplets they are about. */
export type CostEntries = Entries<"cost">;
/** Costs of a track's start and end with the detections they are about. */
export type EndEntries = Entries<"birth" | "death">;
/** Detections with the set that they are in. */
export type SetEntries = Entries<"set">;

/** Reads a table from name.csv or name.npy; null where there is neither. Refuses both at once. */
export function readEntries<Name extends TableName>(folder: string, name: Name): Entries<ValueOf<Name>> | null {
  const [csv, npy] = [join(folder, `${name}.csv`), join(folder, `${name}.npy`)];
  if (isThere(csv) && isThere(npy)) refuse(folder, `holds ${name}.csv and ${name}.npy`, "keep one of them");
  if (isThere(csv)) return entriesFromCsv(csv, readBytes(csv, csvLimit), name);
  return isThere(npy) ? entriesFromNpy(npy, name) : null;
}

const csvLimit = { maxBytes: 2 ** 30, remedy: "give it as .npy" };
const frameRule: NumberRule = {
  integer: true,
  min: 0,
  max: maxFrames - 1,
  remedy: "number the frames 0, 1, 2, …; frame p holds the pairs from p to p + 1",
};
const indexRule: NumberRule = {
  integer: true,
  min: 0,
  max: maxIndex,
  remedy: "number the detections of a frame 0, 1, 2, …",
};
const setRule: NumberRule = {
  integer: true,
  min: 0,
  max: Number.MAX_SAFE_INTEGER,
  remedy: "number the sets, each of which has detections of one frame",
};
const costRule: NumberRule = { below: maxCost, remedy: "leave forbidden entries out; costs are finite numbers" };

const ruleOf = (name: string): NumberRule => (name === "set" ? setRule : costRule);

/** Entries of a CSV with the columns of a table. */
export function entriesFromCsv<Name extends TableName>(
  file: string,
  bytes: Uint8Array,
  name: Name,
): Entries<ValueOf<Name>> {
  const { indices, values }: EntryTable<ValueOf<Name>> = TABLES[name];
  const columns = { required: ["frame", ...indices, ...values], optional: [] };
  const cell = (name: string, rule: NumberRule) => [name, (row: TableRow) => row.number(name, rule)] as const;
  const cells = [
    cell("frame", frameRule),
    ...indices.map((name) => cell(name, indexRule)),
    ...values.map((name) => cell(name, ruleOf(name))),
  ];
  const { header, line, ...numbers } = readNumbers<string>(file, bytes, columns, Object.fromEntries(cells));
  if (header.ignored.length > 0) {
    refuse(file, `has the unknown column ${header.ignored[0]}`, `give ${columns.required.join(",")} alone`);
  }
  return {
    ...(Object.fromEntries(values.map((name) => [name, numbers[name]])) as Record<ValueOf<Name>, Float64Array>),
    length: line.length,
    frame: Int32Array.from(numbers.frame),
    index: indices.map((name) => Int32Array.from(numbers[name])),
    place: (entry) => `${file}:${line[entry]}`,
  };
}

function entriesFromNpy<Name extends TableName>(file: string, name: Name): Entries<ValueOf<Name>> {
  const { indices, values }: EntryTable<ValueOf<Name>> = TABLES[name];
  const width = 1 + indices.length + values.length;
  let frame = new Int32Array(0);
  let index: Int32Array[] = [];
  let columns: Float64Array[] = [];
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
    columns = values.map(() => new Float64Array(rows));
  };
  readNpy(file, width, onShape, (row, entry) => {
    frame[entry] = integer(row[0], entry, "frame", frameRule);
    for (let n = 0; n < indices.length; n++) index[n][entry] = integer(row[n + 1], entry, indices[n], indexRule);
    for (let n = 0; n < values.length; n++) {
      const [value, rule] = [row[1 + indices.length + n], ruleOf(values[n])];
      if (rule.integer !== true && !(Math.abs(value) < maxCost))
        refuse(`${place(entry)}, column ${values[n]}`, `${value} is no cost`, rule.remedy);
      columns[n][entry] = rule.integer === true ? integer(value, entry, values[n], rule) : value;
    }
  });
  const byName = Object.fromEntries(values.map((name, n) => [name, columns[n]]));
  return { ...(byName as Record<ValueOf<Name>, Float64Array>), length: frame.length, frame, index, place };
}
