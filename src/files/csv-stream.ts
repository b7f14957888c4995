/** Tables as they arrive, a piece at a time. */
import { TextDecoder } from "node:util";
import { CsvError } from "csv-parse/sync";
import { CsvRecords } from "./csv-lines.js";
import { refuseCsv } from "./csv-options.js";
import { leadingComments, Row, readHeader, type TableColumns, type TableHeader, type TableRow } from "./csv-table.js";
import { refuse } from "./refusal.js";

export interface TableStream {
  /** Called once, before the first row. */
  onHeader(header: TableHeader): void;
  /** Called for each row; an exception ends the stream. The row is valid during the call only. */
  onRow(row: TableRow): void;
  /** Called when all rows of a piece of input are done, or all before a defect; the next piece may arrive much later. */
  onPause(): void | Promise<void>;
}

export interface StreamEnd {
  /** Whether the last row had its line end: else it may have been cut, and its last number with it. */
  readonly complete: boolean;
}

/**
 * Reads a table row by row as its bytes arrive, with the rules of readTable and one piece in memory. Rows before a defect are delivered before it is
 * thrown as an InputError that names file, line, column and value; a row that the stream's end cuts short is a defect.
 */
export async function streamTable(
  file: string,
  pieces: AsyncIterable<Buffer>,
  columns: TableColumns,
  { onHeader, onRow, onPause }: TableStream,
): Promise<StreamEnd> {
  const row = new Row(file);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let beginning = "";
  let hasHeader = false;
  const records = new CsvRecords((fields, line) => {
    row.line = line;
    if (hasHeader) {
      row.fill(fields);
      onRow(row);
    } else {
      hasHeader = true;
      onHeader(readHeader(file, line, fields, columns, leadingComments(Buffer.from(beginning))));
      row.take(fields.map((name) => name.toLowerCase()));
      beginning = "";
    }
  });
  let complete = true;
  /** The beginning of a record whose end has not come. */
  let rest = Buffer.alloc(0);
  const push = ({ text, defect }: Decoded, isEnd: boolean) => {
    if (!hasHeader) beginning += text;
    if (text !== "") complete = /[\r\n]$/.test(text);
    try {
      const bytes = Buffer.concat([rest, Buffer.from(text)]);
      rest = bytes.subarray(records.push(bytes, isEnd));
    } catch (error) {
      if (error instanceof CsvError) refuseCsv(file, error, records.line - 1);
      const isCut = isEnd && !complete && row.line === records.line;
      if (isCut && error instanceof Error) error.message += " (the input ends within this row)";
      throw error;
    }
    if (defect === null) return;
    if (row.line === 0) refuse(file, `holds ${defect}`, "save it as UTF-8 text");
    refuse(`${file}:${row.line}`, `is followed by ${defect}`, "save it as UTF-8 text");
  };
  const pushAndPause = async (piece: Buffer | null) => {
    try {
      push(decode(decoder, piece), piece === null);
    } finally {
      await onPause();
    }
  };
  for await (const piece of pieces) await pushAndPause(piece);
  await pushAndPause(null);
  if (!hasHeader) refuse(file, "is empty", `start it with the header ${columns.required.join(",")}`);
  return { complete };
}

/** A piece as text, up to the first bytes that are no text. */
interface Decoded {
  readonly text: string;
  readonly defect: string | null;
}

function decode(decoder: TextDecoder, piece: Buffer | null): Decoded {
  let text: string;
  let defect: string | null = null;
  try {
    text = piece === null ? decoder.decode() : decoder.decode(piece, { stream: true });
  } catch {
    text = (piece ?? Buffer.alloc(0)).toString("utf8").split("\ufffd", 1)[0];
    defect = "bytes that are not UTF-8";
  }
  const zero = text.indexOf("\0");
  return zero < 0 ? { text, defect } : { text: text.slice(0, zero), defect: "a zero byte: a binary or UTF-16 file" };
}
