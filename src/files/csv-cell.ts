/** Between the fields of a row; a blank stands for any number of blanks and tabs. */
export type Separator = "," | ";" | "\t" | "|" | " ";

/** A cell as RFC 4180 has it. */
export function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
