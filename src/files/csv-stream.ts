/** Tables as they arrive, a piece at a time. */
import { TextDecoder } from "node:util";
import { CsvError, parse } from "csv-parse";
import {
  csvOptions,
  leadingComments,
  Row,
  readHeader,
  refuseCsv,
  type TableColumns,
  type TableHeader,
  type TableRow,
} from "./csv-table.js";
import { refuse } from "./refusal.js";

export interface TableStream {
  /** Called once, before the first row. */
  onHeader(header: TableHeader): void;
  /** Called for each row; an exception ends the stream. The row is valid during the call only. */
  onRow(row: TableRow): void;
  /** Called when all rows of a piece of input are done; the next piece may arrive much later. */
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
  let complete = true;
  let ended = false;
  let failure: unknown = null;
  const onRecord = (fields: string[], { lines }: { lines: number }) => {
    if (failure !== null) return null;
    row.line = lines;
    try {
      if (hasHeader) {
        row.fill(fields);
        onRow(row);
      } else {
        hasHeader = true;
        onHeader(readHeader(file, lines, fields, columns, leadingComments(Buffer.from(beginning))));
        row.take(fields.map((name) => name.toLowerCase()));
        beginning = "";
      }
    } catch (error) {
      failure = error;
    }
    return null;
  };
  const parser = parse({ ...csvOptions, on_record: onRecord });
  parser.on("error", (error) => {
    failure ??= error;
  });
  parser.resume();
  const rethrow = () => {
    if (failure === null) return;
    if (failure instanceof CsvError) refuseCsv(file, failure);
    if (ended && !complete && failure instanceof Error) failure.message += " (the input ends within this row)";
    throw failure;
  };
  const take = async ({ text, defect }: Decoded) => {
    if (!hasHeader) beginning += text;
    if (text !== "") complete = /[\r\n]$/.test(text);
    await new Promise<void>((done) => {
      if (parser.write(text, () => done()) === false && failure !== null) done();
    });
    rethrow();
    if (defect !== null) refuse(`${file}:${row.line}`, `is followed by ${defect}`, "save it as UTF-8 text");
  };
  for await (const piece of pieces) {
    await take(decode(decoder, piece));
    await onPause();
  }
  await take(decode(decoder, null));
  ended = true;
  await new Promise<void>((done) => {
    parser.once("error", () => done());
    parser.end(() => done());
  });
  rethrow();
  if (!hasHeader) refuse(file, "is empty", `start it with the header ${columns.required.join(",")}`);
  await onPause();
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
