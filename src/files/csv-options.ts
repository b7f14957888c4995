import type { CsvError } from "csv-parse";
import { refuse } from "./refusal.js";

/** Longest row. */
export const maxRowBytes = 2 ** 17;

/** Of csv-parse, for whole tables and streamed ones. */
export const csvOptions = {
  comment: "#",
  comment_no_infix: true,
  max_record_size: maxRowBytes,
  record_delimiter: ["\r\n", "\n", "\r"],
  relax_column_count: true,
  skip_empty_lines: true,
  trim: true,
};

/** Throws what csv-parse found as an InputError. `before` is the number of lines before its text. */
export function refuseCsv(file: string, error: CsvError, before: number): never {
  const place = `${file}:${before + ("lines" in error ? Number(error.lines) : 1)}`;
  const quote = 'write quotes inside a field twice ("") and close every quoted field';
  if (error.code === "CSV_QUOTE_NOT_CLOSED") refuse(place, "a quoted field is never closed", quote);
  if (/AFTER_CLOSING_QUOTE|INVALID_CLOSING_QUOTE/.test(error.code))
    refuse(place, "text follows a closing quote", quote);
  if (error.code === "INVALID_OPENING_QUOTE") refuse(place, "a quote opens inside a field", quote);
  if (error.code === "CSV_MAX_RECORD_SIZE")
    refuse(place, `a row is longer than ${maxRowBytes} bytes`, "check its quotes");
  refuse(place, `is malformed (${error.code})`, "check the row");
}
