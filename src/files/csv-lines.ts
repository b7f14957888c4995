/** Records of a CSV text that are a line each, without csv-parse, which takes many times as long for them. */
import { parse } from "csv-parse/sync";
import { csvOptions } from "./csv-options.js";

/** What a byte asks for: nothing; a look at blanks and comments; a look at quotes; the end of the line. */
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

/**
 * Takes records off the beginning of a text as long as each is a line: until one leaves a quote open, so that it goes on in the next. Fields, comments, empty
 * lines, numbers of lines and errors are those of csv-parse under csvOptions, which still reads the lines that have quotes, each by itself.
 */
export class PlainLines {
  /** Number of the next line, from 1. */
  line = 1;
  /** Whether that line is one for csv-parse, and so is all that follows. */
  isOver = false;

  constructor(private readonly onRecord: (fields: string[], line: number) => void) {}

  /**
   * Takes the lines that are complete and returns how many bytes they were; the rest must come again, followed by more.
   * @param bytes UTF-8 from the beginning of a line on
   * @param isEnd whether nothing follows, so that the last line needs no end
   * @throws CsvError where the quotes of a line are wrong, and what onRecord throws
   */
  take(bytes: Buffer, isEnd: boolean): number {
    let begin = 0;
    while (begin < bytes.length) {
      let at = begin;
      let kinds = PLAIN;
      for (; at < bytes.length; at++) {
        const kind = KIND[bytes[at]];
        if (kind === END) break;
        kinds |= kind;
      }
      if (at - begin > LONG) {
        this.isOver = true;
        break;
      }
      // A carriage return may be half of a line's end.
      if (!isEnd && (at === bytes.length || (at === bytes.length - 1 && bytes[at] === CARRIAGE_RETURN))) break;
      const next = at + (bytes[at] === CARRIAGE_RETURN && bytes[at + 1] === LINE_FEED ? 2 : 1);
      if (kinds === PLAIN) {
        if (at > begin) this.onRecord(bytes.toString("latin1", begin, at).split(","), this.line);
      } else if (!this.#takeWithCare(bytes.toString("utf8", begin, at), (kinds & QUOTE) > 0)) {
        this.isOver = true;
        break;
      }
      this.line++;
      begin = next;
    }
    return Math.min(begin, bytes.length);
  }

  /** Takes a line with blanks, comments, quotes or letters beyond ASCII; false where it is one for csv-parse. */
  #takeWithCare(line: string, hasQuote: boolean): boolean {
    const text = trimStart(line);
    if (text === "" || text.startsWith("#")) return true;
    if (!hasQuote)
      this.onRecord(
        line.split(",").map((field) => trimStart(field).trimEnd()),
        this.line,
      );
    else if (line.split('"').length % 2 === 0) return false;
    else for (const fields of parse(line, csvOptions)) this.onRecord(fields, this.line);
    return true;
  }
}

/** Without the blanks that csv-parse takes away before a field; behind it, it takes away all that JavaScript calls white space. */
function trimStart(text: string): string {
  let at = 0;
  while (at < text.length && " \t\f".includes(text[at])) at++;
  return text.slice(at);
}
