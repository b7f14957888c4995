/** Tables as they arrive, a piece at a time. */
import { TextDecoder } from "node:util";
import { CsvError } from "csv-parse/sync";
import { CsvRecords } from "./csv-lines.js";
import { refuseCsv } from "./csv-options.js";
import { Row, type TableForm, type TableRow } from "./csv-table.js";
import { utf16Of } from "./encoding.js";
import { refuse } from "./refusal.js";

export interface TableStream<Form extends TableForm> {
  /** Finds the form in the beginning of the table, UTF-8 without a mark; null where more of it is needed, which is never so at the end. */
  findForm(head: Buffer, isEnd: boolean): Form | null;
  /** Called once, before the first row. */
  onForm(form: Form): void;
  /** Called for each row; an exception ends the stream. The row is valid during the call only. */
  onRow(row: TableRow): void;
  /**
   * Called when all rows of a piece of input are done, or all before a defect; the next piece may arrive much later.
   * @param place where the next row begins; null where that is not known, in other encodings than UTF-8
   */
  onPause(place: RowPlace | null): void | Promise<void>;
}

/** Where a row begins in a file. */
export interface RowPlace {
  readonly offset: number;
  readonly line: number;
}

/** A table that is read on from a row somewhere in it, once its form has been found in its beginning. */
export interface Resumed {
  readonly place: RowPlace;
  /** The bytes from there on. */
  readonly pieces: AsyncIterable<Buffer>;
}

export interface StreamEnd {
  /** Whether the last row had its line end: else it may have been cut, and its last number with it. */
  readonly complete: boolean;
}

/**
 * Reads a table row by row as its bytes arrive, with the rules of readRows and one piece in memory. Rows before a defect are delivered before it is
 * thrown as an InputError that names file, line, column and value; a row that the stream's end cuts short is a defect.
 */
export async function streamTable<Form extends TableForm>(
  file: string,
  pieces: AsyncIterable<Buffer>,
  { findForm, onForm, onRow, onPause }: TableStream<Form>,
  resumed: Resumed | null = null,
): Promise<StreamEnd> {
  let decoder = new PieceDecoder();
  let row = new Row(file);
  let records: CsvRecords | null = null;
  let complete = true;
  /** The beginning of a record whose end has not come, or of a table whose form is not known yet. */
  let rest = Buffer.alloc(0);
  const begin = (head: Buffer, isEnd: boolean): Buffer => {
    const form = findForm(head, isEnd);
    if (form === null) return head;
    onForm(form);
    row = new Row(file, form);
    records = new CsvRecords((fields, line) => {
      row.line = line;
      row.each(fields, onRow);
    }, form.separator);
    records.line = resumed?.place.line ?? form.line;
    return resumed === null ? head.subarray(form.offset) : Buffer.alloc(0);
  };
  const push = ({ text, defect }: Decoded, isEnd: boolean) => {
    if (text !== "") complete = /[\r\n]$/.test(text);
    try {
      rest = Buffer.concat([rest, Buffer.from(text)]);
      if (records === null) rest = Buffer.from(begin(rest, isEnd));
      if (records !== null) rest = Buffer.from(rest.subarray(records.push(rest, isEnd)));
    } catch (error) {
      const line = records?.line ?? 1;
      if (error instanceof CsvError) refuseCsv(file, error, line - 1);
      const isCut = isEnd && !complete && row.line === line;
      if (isCut && error instanceof Error) error.message += " (the input ends within this row)";
      throw error;
    }
    if (defect === null) return;
    if (row.line === 0) refuse(file, `holds ${defect}`, "save it as UTF-8 text");
    refuse(`${file}:${row.line}`, `is followed by ${defect}`, "save it as UTF-8 text");
  };
  const pushAndPause = async (piece: Buffer | null) => {
    try {
      push(decoder.decode(piece), piece === null);
    } finally {
      const offset = decoder.read - rest.length;
      await onPause(records === null || decoder.isOther || resumed !== null ? null : { offset, line: records.line });
    }
  };
  for await (const piece of pieces) {
    await pushAndPause(piece);
    if (resumed !== null && records !== null) break;
  }
  if (resumed !== null && records !== null) {
    decoder = new PieceDecoder();
    rest = Buffer.alloc(0);
    for await (const piece of resumed.pieces) await pushAndPause(piece);
  }
  await pushAndPause(null);
  return { complete };
}

/** A piece as text, up to the first bytes that are no text. */
interface Decoded {
  readonly text: string;
  readonly defect: string | null;
}

/** What TextDecoder takes away at the beginning of UTF-8. */
const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Text in UTF-8, or in UTF-16 where the first piece says so. */
class PieceDecoder {
  /** Bytes of the text so far, as UTF-8 with the mark at its beginning. */
  read = 0;
  /** Whether it is another encoding than UTF-8. */
  isOther = false;
  #decoder: TextDecoder | null = null;

  decode(piece: Buffer | null): Decoded {
    const decoded = this.#decode(piece);
    this.read += Buffer.byteLength(decoded.text);
    return decoded;
  }

  #decode(piece: Buffer | null): Decoded {
    if (this.#decoder === null) {
      const utf16 = piece && utf16Of(piece);
      this.isOther = utf16 !== null;
      if (piece?.subarray(0, MARK.length).equals(MARK) === true) this.read = MARK.length;
      this.#decoder = new TextDecoder(utf16 ?? "utf-8", { fatal: true });
    }
    let text: string;
    let defect: string | null = null;
    try {
      text = piece === null ? this.#decoder.decode() : this.#decoder.decode(piece, { stream: true });
    } catch {
      text = (piece ?? Buffer.alloc(0)).toString("utf8").split("\ufffd", 1)[0];
      defect = "bytes that are not UTF-8";
    }
    const zero = text.indexOf("\0");
    return zero < 0 ? { text, defect } : { text: text.slice(0, zero), defect: "a zero byte: a binary or UTF-16 file" };
  }
}
