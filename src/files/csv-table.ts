import { CsvError } from "csv-parse/sync";
import { CsvRecords } from "./csv-lines.js";
import { refuseCsv } from "./csv-options.js";
import { refuse, shown } from "./refusal.js";

/** Columns a table must have and may have, by header name in lower case. */
export interface TableColumns {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** The columns of a table that has no header; without it the first row names them. */
  readonly names?: readonly string[];
}

export interface TableHeader {
  readonly has: ReadonlySet<string>;
  /** Header names that are neither required nor optional. */
  readonly ignored: readonly string[];
  /** Comment lines before the header, without their `#`. */
  readonly comments: readonly { readonly line: number; readonly text: string }[];
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
export interface TableRow {
  /** Line of the file, from 1. */
  readonly line: number;
  /** Header names, in lower case. */
  readonly columns: Iterable<string>;
  /** The trimmed cell, or "" where the table lacks an optional column. */
  text(column: string): string;
  number(column: string, rule: NumberRule): number;
  /** Throws an InputError that names file, line, column and value. */
  refuse(column: string, problem: string, remedy: string): never;
}

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/**
 * Reads a comma-separated table (RFC 4180 by csv-parse, `#` comment lines, any line ends) row by row. Columns go by header
 * name, in any order and case. `bytes` is plain UTF-8, as plainText gives it; `file` is for messages.
 */
export function readTable(
  file: string,
  bytes: Uint8Array,
  columns: TableColumns,
  onRow: (row: TableRow) => void,
): TableHeader {
  const row = new Row(file);
  let header: TableHeader | null = null;
  if (columns.names !== undefined) {
    header = { has: new Set(columns.names), ignored: [], comments: leadingComments(bytes) };
    row.take([...columns.names]);
  }
  const onRecord = (fields: string[], line: number) => {
    row.line = line;
    if (header === null) {
      header = readHeader(file, line, fields, columns, leadingComments(bytes));
      row.take(fields.map((name) => name.toLowerCase()));
    } else {
      row.fill(fields);
      onRow(row);
    }
  };
  const records = new CsvRecords(onRecord);
  try {
    records.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), true);
  } catch (error) {
    if (error instanceof CsvError) refuseCsv(file, error, records.line - 1);
    throw error;
  }
  if (header === null) {
    refuse(
      file,
      bytes.length === 0 ? "is empty" : "has no rows",
      `start it with the header ${columns.required.join(",")}`,
    );
  }
  return header;
}

export class Row implements TableRow {
  line = 0;
  private readonly index = new Map<string, number>();
  private fields: string[] = [];

  constructor(private readonly file: string) {}

  take(header: string[]): void {
    header.forEach((name, at) => {
      this.index.set(name, at);
    });
  }

  get columns(): Iterable<string> {
    return this.index.keys();
  }

  fill(fields: string[]): void {
    if (fields.length !== this.index.size) {
      refuse(
        `${this.file}:${this.line}`,
        `has ${fields.length} fields where the header has ${this.index.size} (${shown(fields.join(","))})`,
        "give every row as many fields as the header",
      );
    }
    this.fields = fields;
  }

  text(column: string): string {
    const at = this.index.get(column);
    return at === undefined ? "" : this.fields[at];
  }

  number(column: string, rule: NumberRule): number {
    const text = this.text(column);
    if (text === "") this.refuse(column, "is empty", rule.remedy);
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

  refuse(column: string, problem: string, remedy: string): never {
    refuse(`${this.file}:${this.line}, column ${column}`, problem, remedy);
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
