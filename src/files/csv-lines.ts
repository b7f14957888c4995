/** Records of a CSV text: those without quotes need no csv-parse, which takes many times as long. */
import { CsvError, parse } from "csv-parse/sync";
import type { Separator } from "./csv-cell.js";
import { csvOptions, maxRowBytes } from "./csv-options.js";

/** Kinds of bytes: those that need no care; those that ask for a look at blanks and comments; quotes; ends of lines. */
const PLAIN = 0;
const CARE = 1;
const QUOTE = 2;
const END = 4;

const KINDS = new Map<Separator, Uint8Array>();

function kindsOf(separator: Separator): Uint8Array {
  const known = KINDS.get(separator);
  if (known !== undefined) return known;
  const kinds = Uint8Array.from({ length: 256 }, (_, byte) => (byte < 128 ? PLAIN : CARE));
  for (const character of "\t\v\f #") kinds[character.charCodeAt(0)] = CARE;
  kinds['"'.charCodeAt(0)] = QUOTE;
  for (const character of "\r\n") kinds[character.charCodeAt(0)] = END;
  kinds[separator.charCodeAt(0)] = PLAIN;
  if (separator === " ") kinds["\t".charCodeAt(0)] = PLAIN;
  KINDS.set(separator, kinds);
  return kinds;
}

const CARRIAGE_RETURN = 13;
const LINE_FEED = 10;
const QUOTATION_MARK = 34;

/** Bytes of a line from which on csv-parse judges whether it is too long. */
const LONG = 2 ** 15;

/** Fields, comments, empty lines, numbers of lines and errors are those of csv-parse under csvOptions, which reads each record that has quotes by itself. */
export class CsvRecords {
  /** Number of the next line, from 1; while a record is handed on, of its last line. */
  line = 1;

  readonly #kinds: Uint8Array;

  constructor(
    private readonly onRecord: (fields: string[], line: number) => void,
    private readonly separator: Separator = ",",
  ) {
    this.#kinds = kindsOf(separator);
  }

  /**
   * Hands on the records that are complete and returns how many bytes they were; the rest must come again, followed by more.
   * @param bytes UTF-8 from the beginning of a record on
   * @param isEnd whether nothing follows, so that the last line needs no end
   * @throws CsvError where the quotes of a record are wrong or it is too long, and what onRecord throws
   */
  push(bytes: Buffer, isEnd: boolean): number {
    const kindOf = this.#kinds;
    let begin = 0;
    while (begin < bytes.length) {
      let end = begin;
      let kinds = PLAIN;
      for (; end < bytes.length; end++) {
        const kind = kindOf[bytes[end]];
        if (kind === END) break;
        kinds |= kind;
      }
      if (!isEnd && !isComplete(bytes, end)) {
        if (end - begin > maxRowBytes) parsed(bytes.subarray(begin, end), this.separator);
        break;
      }
      if (kinds === PLAIN && end - begin <= LONG) {
        if (end > begin) this.#pushPlain(bytes.toString("latin1", begin, end));
      } else {
        end = this.#pushWithCare(bytes, begin, end, isEnd);
        if (end < 0) break;
      }
      this.line++;
      begin = nextLine(bytes, end);
    }
    return Math.min(begin, bytes.length);
  }

  #pushPlain(line: string): void {
    if (this.separator !== " ") this.onRecord(line.split(this.separator), this.line);
    else if (line.trim() !== "") this.onRecord(line.trim().split(/[ \t]+/), this.line);
  }

  /** A record whose first line has blanks, comments, quotes, letters beyond ASCII or great length. Returns its end, −1 where that has not come. */
  #pushWithCare(bytes: Buffer, begin: number, lineEnd: number, isEnd: boolean): number {
    const line = bytes.toString("utf8", begin, lineEnd);
    const text = this.separator === "\t" ? line : trimStart(line);
    if (text === "" || text.startsWith("#")) return lineEnd;
    if (this.separator === " " || (!line.includes('"') && lineEnd - begin <= LONG)) {
      const fields = fieldsOf(line, this.separator);
      if (fields.length > 0) this.onRecord(fields, this.line);
      return lineEnd;
    }
    for (let end = lineEnd; end >= 0; end = quoteEnd(bytes, end, isEnd)) {
      const records = parsed(bytes.subarray(begin, end), this.separator);
      if (records === null) continue;
      for (const { record, info } of records) {
        this.line += info.lines - 1;
        this.onRecord(record, this.line);
      }
      return end;
    }
    // Nothing closes the quote: at the end that is an error, and before it only a record that is too long is one.
    if (isEnd) parse(bytes.subarray(begin), optionsOf(this.separator));
    else if (bytes.length - begin > maxRowBytes) parsed(bytes.subarray(begin), this.separator);
    return -1;
  }
}

interface ParsedRecord {
  readonly record: string[];
  readonly info: { readonly lines: number };
}

/** The fields of a line: blanks separate those that no quotes join; elsewhere quotes are csv-parse's. */
export function fieldsOf(line: string, separator: Separator): string[] {
  if (separator === " ") return (line.match(/"(?:[^"]|"")*"|[^ \t]+/g) ?? []).map(unquoted);
  if (!line.includes('"')) return line.split(separator).map((field) => trimStart(field).trimEnd());
  return parsed(Buffer.from(line), separator)?.[0]?.record ?? [];
}

const unquoted = (field: string) =>
  field.length > 1 && field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"').trim() : field;

/** csv-parse takes blanks away around fields before it looks for a separator, and would take tabs with them. */
const optionsOf = (separator: Separator) =>
  separator === "\t" ? { ...csvOptions, delimiter: "\t", trim: false } : { ...csvOptions, delimiter: separator };

/** By csv-parse; null where a quote is still open at the end. */
function parsed(text: Buffer, separator: Separator): ParsedRecord[] | null {
  try {
    const records = parse(text, { ...optionsOf(separator), info: true }) as unknown as ParsedRecord[];
    if (separator !== "\t") return records;
    return records.map(({ record, info }) => ({ record: record.map((field) => field.trim()), info }));
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
    const byte = at < bytes.length ? bytes[at] : LINE_FEED;
    if (byte === QUOTATION_MARK) quotes++;
    else if ((byte === LINE_FEED || byte === CARRIAGE_RETURN) && quotes % 2 === 1)
      return isEnd || isComplete(bytes, at) ? at : -1;
  }
  return -1;
}

/** Without the blanks that csv-parse takes away before a field; behind it, it takes away all that JavaScript calls white space. */
function trimStart(text: string): string {
  let at = 0;
  while (at < text.length && " \t\f".includes(text[at])) at++;
  return text.slice(at);
}
