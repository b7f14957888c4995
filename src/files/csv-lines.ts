/** Records of a CSV text: those without quotes need no csv-parse, which takes many times as long. */
import { CsvError, parse } from "csv-parse/sync";
import { csvOptions, maxRowBytes } from "./csv-options.js";

/** Kinds of bytes: those that need no care; those that ask for a look at blanks and comments; quotes; ends of lines. */
const PLAIN = 0;
const CARE = 1;
const QUOTE = 2;
const END = 4;

const KIND = Uint8Array.from({ length: 256 }, (_, byte) => (byte < 128 ? PLAIN : CARE));
for (const character of "\t\v\f #") KIND[character.charCodeAt(0)] = CARE;
KIND['"'.charCodeAt(0)] = QUOTE;
for (const character of "\r\n") KIND[character.charCodeAt(0)] = END;

const CARRIAGE_RETURN = 13;
const LINE_FEED = 10;

/** Bytes of a line from which on csv-parse judges whether it is too long. */
const LONG = 2 ** 15;

/** Fields, comments, empty lines, numbers of lines and errors are those of csv-parse under csvOptions, which reads each record that has quotes by itself. */
export class CsvRecords {
  /** Number of the next line, from 1; while a record is handed on, of its last line. */
  line = 1;

  constructor(private readonly onRecord: (fields: string[], line: number) => void) {}

  /**
   * Hands on the records that are complete and returns how many bytes they were; the rest must come again, followed by more.
   * @param bytes UTF-8 from the beginning of a record on
   * @param isEnd whether nothing follows, so that the last line needs no end
   * @throws CsvError where the quotes of a record are wrong or it is too long, and what onRecord throws
   */
  push(bytes: Buffer, isEnd: boolean): number {
    let begin = 0;
    while (begin < bytes.length) {
      let end = begin;
      let kinds = PLAIN;
      for (; end < bytes.length; end++) {
        const kind = KIND[bytes[end]];
        if (kind === END) break;
        kinds |= kind;
      }
      if (!isEnd && !isComplete(bytes, end)) {
        if (end - begin > maxRowBytes) parsed(bytes.subarray(begin, end));
        break;
      }
      if (kinds === PLAIN && end - begin <= LONG) {
        if (end > begin) this.onRecord(bytes.toString("latin1", begin, end).split(","), this.line);
      } else {
        end = this.#pushWithCare(bytes, begin, end, isEnd);
        if (end < 0) break;
      }
      this.line++;
      begin = nextLine(bytes, end);
    }
    return Math.min(begin, bytes.length);
  }

  /** A record whose first line has blanks, comments, quotes, letters beyond ASCII or great length. Returns its end, −1 where that has not come. */
  #pushWithCare(bytes: Buffer, begin: number, lineEnd: number, isEnd: boolean): number {
    const line = bytes.toString("utf8", begin, lineEnd);
    const text = trimStart(line);
    if (text === "" || text.startsWith("#")) return lineEnd;
    if (!line.includes('"') && lineEnd - begin <= LONG) {
      this.onRecord(
        line.split(",").map((field) => trimStart(field).trimEnd()),
        this.line,
      );
      return lineEnd;
    }
    for (let end = lineEnd; end >= 0; end = quoteEnd(bytes, end, isEnd)) {
      const records = parsed(bytes.subarray(begin, end));
      if (records === null) continue;
      for (const { record, info } of records) {
        this.line += info.lines - 1;
        this.onRecord(record, this.line);
      }
      return end;
    }
    // Nothing closes the quote: at the end that is an error, and before it only a record that is too long is one.
    if (isEnd) parse(bytes.subarray(begin), csvOptions);
    else if (bytes.length - begin > maxRowBytes) parsed(bytes.subarray(begin));
    return -1;
  }
}

interface ParsedRecord {
  readonly record: string[];
  readonly info: { readonly lines: number };
}

/** By csv-parse; null where a quote is still open at the end. */
function parsed(text: Buffer): ParsedRecord[] | null {
  try {
    return parse(text, { ...csvOptions, info: true }) as unknown as ParsedRecord[];
  } catch (error) {
    if (error instanceof CsvError && error.code === "CSV_QUOTE_NOT_CLOSED") return null;
    throw error;
  }
}

/** Whether a line's end has come whole: a carriage return may be half of it. */
function isComplete(bytes: Buffer, end: number): boolean {
  return end < bytes.length - 1 || bytes[end] === LINE_FEED;
}

function nextLine(bytes: Buffer, end: number): number {
  return end + (bytes[end] === CARRIAGE_RETURN && bytes[end + 1] === LINE_FEED ? 2 : 1);
}

/** End of the next line behind `end` that has an odd number of quotes, and so closes an open one; −1 where none has come. */
function quoteEnd(bytes: Buffer, end: number, isEnd: boolean): number {
  let quotes = 0;
  for (let at = nextLine(bytes, end); at <= bytes.length; at++) {
    const kind = at < bytes.length ? KIND[bytes[at]] : END;
    if (kind === QUOTE) quotes++;
    else if (kind === END && quotes % 2 === 1) return isEnd || isComplete(bytes, at) ? at : -1;
  }
  return -1;
}

/** Without the blanks that csv-parse takes away before a field; behind it, it takes away all that JavaScript calls white space. */
function trimStart(text: string): string {
  let at = 0;
  while (at < text.length && " \t\f".includes(text[at])) at++;
  return text.slice(at);
}
