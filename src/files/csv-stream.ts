/** Tables as they arrive, a piece at a time. */
import { TextDecoder } from "node:util";
import { CsvError, type Parser, parse } from "csv-parse";
import { PlainLines } from "./csv-lines.js";
import { csvOptions, refuseCsv } from "./csv-options.js";
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
  const records = new Records((fields, line) => {
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
  const take = async ({ text, defect }: Decoded, isEnd: boolean) => {
    if (!hasHeader) beginning += text;
    if (text !== "") complete = /[\r\n]$/.test(text);
    try {
      await records.take(Buffer.from(text), isEnd);
    } catch (error) {
      if (error instanceof CsvError) refuseCsv(file, error, records.linesBefore);
      const isCut = isEnd && !complete && row.line === records.lastLine;
      if (isCut && error instanceof Error) error.message += " (the input ends within this row)";
      throw error;
    }
    if (defect === null) return;
    if (row.line === 0) refuse(file, `holds ${defect}`, "save it as UTF-8 text");
    refuse(`${file}:${row.line}`, `is followed by ${defect}`, "save it as UTF-8 text");
  };
  const takeAndPause = async (piece: Buffer | null) => {
    try {
      await take(decode(decoder, piece), piece === null);
    } finally {
      await onPause();
    }
  };
  for await (const piece of pieces) await takeAndPause(piece);
  await takeAndPause(null);
  if (!hasHeader) refuse(file, "is empty", `start it with the header ${columns.required.join(",")}`);
  return { complete };
}

/** Records of pieces of UTF-8: line by line, and by csv-parse from the first on that is not one. */
class Records {
  readonly #plain: PlainLines;
  /** The beginning of a line whose end has not come. */
  #rest: Buffer = Buffer.alloc(0);
  #parser: Parser | null = null;
  #failure: unknown = null;

  constructor(private readonly onRecord: (fields: string[], line: number) => void) {
    this.#plain = new PlainLines(onRecord);
  }

  /** Lines before those that csv-parse gets. */
  get linesBefore(): number {
    return this.#plain.line - 1;
  }

  /** Number of the last line so far. */
  get lastLine(): number {
    return this.linesBefore + (this.#parser?.info.lines ?? 1);
  }

  async take(piece: Buffer, isEnd: boolean): Promise<void> {
    if (this.#parser === null) {
      const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
      this.#rest = bytes.subarray(this.#plain.take(bytes, isEnd));
      if (!this.#plain.isOver) return;
      this.#parser = this.#open();
      await this.#parse(this.#parser, this.#rest);
    } else await this.#parse(this.#parser, piece);
    if (!isEnd) return;
    const parser = this.#parser;
    await new Promise<void>((done) => {
      parser.once("error", () => done());
      parser.end(() => done());
    });
    if (this.#failure !== null) throw this.#failure;
  }

  async #parse(parser: Parser, bytes: Buffer): Promise<void> {
    await new Promise<void>((done) => {
      if (parser.write(bytes, () => done()) === false && this.#failure !== null) done();
    });
    if (this.#failure !== null) throw this.#failure;
  }

  #open(): Parser {
    const before = this.linesBefore;
    const onParsed = (fields: string[], { lines }: { lines: number }) => {
      if (this.#failure !== null) return null;
      try {
        this.onRecord(fields, before + lines);
      } catch (error) {
        this.#failure = error;
      }
      return null;
    };
    const parser = parse({ ...csvOptions, on_record: onParsed });
    parser.on("error", (error) => {
      this.#failure ??= error;
    });
    parser.resume();
    return parser;
  }
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
