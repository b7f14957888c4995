import { CsvError } from "csv-parse/sync";
import type { Separator } from "./csv-cell.js";
import { CsvRecords } from "./csv-lines.js";
import { refuseCsv } from "./csv-options.js";
import { refuse, shown } from "./refusal.js";
import { plainText } from "./text-file.js";

/** Columns a table must have and may have, by header name in lower case. */
export interface TableColumns {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

export interface TableHeader {
  readonly has: ReadonlySet<string>;
  /** Header names that are neither required nor optional. */
  readonly ignored: readonly string[];
  /** Comment lines before the header, without their `#`. */
  readonly comments: readonly { readonly line: number; readonly text: string }[];
}

/** A table whose header and dialect are known. */
export interface TableForm {
  readonly separator: Separator;
  readonly decimal: "." | ",";
  /** Whether commas, or points where the decimal mark is a comma, may stand between groups of three digits. */
  readonly grouped: boolean;
  /** The name by which each column is read; "" for one that is not. */
  readonly names: readonly string[];
  /** Further names of columns, by which they are read and not listed. */
  readonly second: ReadonlyMap<string, number>;
  /** The columns' names in the file, for messages. */
  readonly labels: readonly string[];
  /** Byte and line at which the rows begin. */
  readonly offset: number;
  readonly line: number;
  /** The rows that each record holds, where it holds several, and the fields that it has then. */
  readonly unfold?: {
    readonly width: number;
    readonly rowsOf: (fields: readonly string[]) => readonly (readonly string[])[];
  };
}

/** Limits on a number in a cell; a value out of them is refused with `remedy`. */
export interface NumberRule {
  readonly integer?: boolean;
  readonly min?: number;
  readonly max?: number;
  /** Refuses |value| ≥ below. */
  readonly below?: number;
  readonly remedy: string;
}

/** One data row; valid only during the callback that receives it. */
export type TableRow = Readonly<
  Pick<Row, "line" | "columns" | "text" | "plainText" | "number" | "numberOrMissing" | "refuse">
>;

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/**
 * Reads a comma-separated table (RFC 4180 by csv-parse, `#` comment lines, any line ends) row by row. Columns go by header
 * name, in any order and case. `file` is for messages.
 */
export function readTable(
  file: string,
  given: Uint8Array,
  columns: TableColumns,
  onRow: (row: TableRow) => void,
): TableHeader {
  const bytes = plainText(file, given);
  const row = new Row(file);
  let header: TableHeader | null = null;
  const onRecord = (fields: string[], line: number) => {
    row.line = line;
    if (header === null) {
      header = readHeader(file, line, fields, columns, leadingComments(bytes));
      row.setColumns(
        fields.map((name) => name.toLowerCase()),
        fields,
      );
    } else {
      row.fill(fields);
      onRow(row);
    }
  };
  pushAll(file, bytes, new CsvRecords(onRecord));
  if (header === null) refuseEmpty(file, bytes, columns.required);
  return header;
}

/** The rows of a table whose form is known, by the names that the form gives its columns. */
export function readRows(file: string, bytes: Uint8Array, form: TableForm, onRow: (row: TableRow) => void): void {
  const row = new Row(file, form);
  const records = new CsvRecords((fields, line) => {
    row.line = line;
    row.each(fields, onRow);
  }, form.separator);
  records.line = form.line;
  pushAll(file, bytes.subarray(form.offset), records);
}

function pushAll(file: string, bytes: Uint8Array, records: CsvRecords): void {
  const before = records.line - 1;
  try {
    records.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), true);
  } catch (error) {
    if (error instanceof CsvError) refuseCsv(file, error, Math.max(before, records.line - 1));
    throw error;
  }
}

function refuseEmpty(file: string, bytes: Uint8Array, required: readonly string[]): never {
  refuse(file, bytes.length === 0 ? "is empty" : "has no rows", `start it with the header ${required.join(",")}`);
}

const MISSING = /^(nan|na|n\/a|null|none|-+)?$/i;

/** Whether a cell says that there is no value. */
export const isMissing = (text: string): boolean => MISSING.test(text);

/** Whether a cell is a number with a decimal point. */
export const isNumber = (text: string): boolean => decimal.test(text);

const GROUPS = { ".": /^[+-]?\d{1,3}(,\d{3})+(\.\d*)?$/, ",": /^[+-]?\d{1,3}(\.\d{3})+,\d*$/ };

/** A cell, in which a number has a decimal point and no groups. */
export function withPoint(text: string, mark: TableForm["decimal"], grouped: boolean): string {
  if (grouped && GROUPS[mark].test(text))
    return mark === "." ? text.replaceAll(",", "") : text.replaceAll(".", "").replace(",", ".");
  if (mark === "." || !text.includes(",")) return text;
  const plain = text.replace(",", ".");
  return !text.includes(".") && decimal.test(plain) ? plain : text;
}

export class Row {
  /** Line of the file, from 1. */
  line = 0;
  readonly #index = new Map<string, number>();
  #names: readonly string[] = [];
  #labels: readonly string[] = [];
  #fields: readonly string[] = [];
  readonly #decimal: "." | ",";
  readonly #grouped: boolean;
  readonly #unfold: TableForm["unfold"];

  constructor(
    private readonly file: string,
    form: TableForm | null = null,
  ) {
    this.#decimal = form?.decimal ?? ".";
    this.#grouped = form?.grouped ?? false;
    this.#unfold = form?.unfold;
    if (form === null) return;
    this.setColumns(form.names, form.labels);
    for (const [name, at] of form.second) this.#index.set(name, at);
  }

  setColumns(names: readonly string[], labels: readonly string[]): void {
    this.#names = names.filter((name) => name !== "");
    names.forEach((name, at) => {
      if (name !== "") this.#index.set(name, at);
    });
    this.#labels = labels;
  }

  /** The names of the columns. */
  get columns(): Iterable<string> {
    return this.#names;
  }

  fill(fields: readonly string[]): void {
    this.#requireWidth(fields, this.#labels.length);
    this.#fields = fields;
  }

  /** Hands on the row of a record, or each of the rows that it holds. */
  each(fields: readonly string[], onRow: (row: TableRow) => void): void {
    const unfold = this.#unfold;
    if (unfold === undefined) {
      this.fill(fields);
      onRow(this);
      return;
    }
    this.#requireWidth(fields, unfold.width);
    for (const one of unfold.rowsOf(fields)) {
      this.#fields = one;
      onRow(this);
    }
  }

  #requireWidth(fields: readonly string[], width: number): void {
    if (fields.length === width) return;
    refuse(
      `${this.file}:${this.line}`,
      `has ${fields.length} fields where the header has ${width} (${shown(fields.join(","))})`,
      "give every row as many fields as the header",
    );
  }

  /** The trimmed cell, or "" where the table lacks an optional column. */
  text(column: string): string {
    const at = this.#index.get(column);
    return at === undefined ? "" : this.#fields[at];
  }

  /** The cell; a number in it has a decimal point. */
  plainText(column: string): string {
    return withPoint(this.text(column), this.#decimal, this.#grouped);
  }

  number(column: string, rule: NumberRule): number {
    const at = this.#index.get(column);
    const cell = at === undefined ? "" : this.#fields[at];
    if (cell === "") this.refuse(column, "is empty", rule.remedy);
    const text = this.#decimal === "." && !this.#grouped ? cell : this.plainText(column);
    const value = decimal.test(text) ? Number(text) : Number.NaN;
    if (Number.isNaN(value)) {
      const named = /^[+-]?(nan|inf(inity)?)$/i.test(text);
      this.refuse(column, `${shown(text)} is not a ${named ? "finite " : ""}number`, rule.remedy);
    }
    if (!Number.isFinite(value)) this.refuse(column, `${shown(text)} is too large for a number`, rule.remedy);
    if (rule.integer && !Number.isInteger(value)) this.refuse(column, `${shown(text)} is not an integer`, rule.remedy);
    if (rule.min !== undefined && value < rule.min) this.refuse(column, `${text} is below ${rule.min}`, rule.remedy);
    if (rule.max !== undefined && value > rule.max) this.refuse(column, `${text} is above ${rule.max}`, rule.remedy);
    if (rule.below !== undefined && Math.abs(value) >= rule.below) {
      this.refuse(column, `${text} is ${rule.below.toExponential().replace("+", "")} or more in size`, rule.remedy);
    }
    return value;
  }

  /** The same as `number`; NaN where the cell is empty or says that there is no value: NaN, NA, null, none, a dash. */
  numberOrMissing(column: string, rule: NumberRule): number {
    const text = this.text(column);
    // Missing values begin with a letter or a dash, or are empty: a look at the first character spares numbers the test.
    const first = text.charCodeAt(0);
    return !(first >= 48 && first <= 57) && MISSING.test(text) ? Number.NaN : this.number(column, rule);
  }

  /** Throws an InputError that names file, line, column and value. */
  refuse(column: string, problem: string, remedy: string): never {
    const at = this.#index.get(column);
    const label = at === undefined ? column : this.#labels[at];
    refuse(`${this.file}:${this.line}, column ${label}`, problem, remedy);
  }
}

export function readHeader(
  file: string,
  line: number,
  fields: string[],
  columns: TableColumns,
  comments: TableHeader["comments"],
): TableHeader {
  const place = `${file}:${line}`;
  const names = fields.map((name) => name.toLowerCase());
  const wanted = `name the columns ${columns.required.join(",")}`;
  if (fields.length === 1 && /[;\t| ]/.test(fields[0])) {
    refuse(place, `the header ${shown(fields[0])} is not separated by commas`, "save the file with commas");
  }
  if (fields.every((name) => decimal.test(name))) {
    refuse(place, `the first row ${shown(fields.join(","))} is data, not a header`, wanted);
  }
  names.forEach((name, at) => {
    if (names.indexOf(name) < at) refuse(place, `the header names ${shown(fields[at])} twice`, "rename or remove one");
  });
  for (const name of columns.required) {
    if (!names.includes(name)) refuse(place, `the header ${shown(fields.join(","))} lacks the column ${name}`, wanted);
  }
  const known = new Set([...columns.required, ...columns.optional]);
  return { has: new Set(names), ignored: fields.filter((_, at) => !known.has(names[at])), comments };
}

export function leadingComments(bytes: Uint8Array): TableHeader["comments"] {
  const comments: { line: number; text: string }[] = [];
  let at = 0;
  for (let line = 1; at < bytes.length; line++) {
    let end = at;
    while (end < bytes.length && bytes[end] !== 10 && bytes[end] !== 13) end++;
    const text = new TextDecoder().decode(bytes.subarray(at, end)).trim();
    if (text !== "" && !text.startsWith("#")) break;
    if (text !== "") comments.push({ line, text: text.slice(1).trim() });
    at = end + (bytes[end] === 13 && bytes[end + 1] === 10 ? 2 : 1);
  }
  return comments;
}
