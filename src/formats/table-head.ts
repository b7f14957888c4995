/** The first lines of a table, in which its header is looked for. */
import type { Separator } from "../files/csv-cell.js";
import { fieldsOf } from "../files/csv-lines.js";
import { isMissing, type TableHeader } from "../files/csv-table.js";
import type { Role } from "./column-names.js";

/** Bytes in which the header is looked for. */
export const HEAD_BYTES = 2 ** 16;

export interface Line {
  readonly text: string;
  readonly number: number;
  readonly offset: number;
  readonly isComment: boolean;
}

/** The lines of the head that are not empty; a last one that may go on is left out. */
export function linesOf(bytes: Uint8Array, isWhole: boolean): Line[] {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(HEAD_BYTES, bytes.length));
  const isCut = head.length < bytes.length || !isWhole;
  const lines: Line[] = [];
  for (let at = 0, number = 1; at < head.length; number++) {
    let end = at;
    while (end < head.length && head[end] !== 10 && head[end] !== 13) end++;
    if (end === head.length && isCut && (lines.length > 0 || !isWhole)) break;
    const text = head.toString("utf8", at, end);
    if (text.trim() !== "") lines.push({ text, number, offset: at, isComment: text.trim().startsWith("#") });
    at = end + (head[end] === 13 && head[end + 1] === 10 ? 2 : 1);
  }
  return lines;
}

/** Fields of a line, without the # of a header that is a comment; none where its quotes are wrong. */
export function fieldsIn({ text, isComment }: Line, separator: Separator): string[] {
  try {
    // A unit in brackets is one field with the name before it.
    const joined = separator === " " && !text.includes('"') ? text.replace(/[ \t]+(?=[([])/g, "") : text;
    return fieldsOf(isComment ? joined.replace(/^\s*#+[ ]?/, "") : joined, separator);
  } catch {
    return [];
  }
}

/** Comments up to the rows, without the one that is the header. */
export function commentsOf(lines: readonly Line[], header: Line | null, rows: number): TableHeader["comments"] {
  const before = lines.slice(0, rows).filter((line) => line.isComment && line !== header);
  return before.map(({ number, text }) => ({ line: number, text: text.trim().slice(1).trim() }));
}

const NEEDED: readonly Role[] = ["frame", "time", "x", "y"];

/** The cells of a row in the columns that are needed. */
export const cellsOf = (fields: readonly string[], columnOf: ReadonlyMap<Role, number>) =>
  NEEDED.flatMap((role) => {
    const at = columnOf.get(role);
    return at === undefined ? [] : [fields[at] ?? ""];
  });

export const looksLikeNumber = (text: string) =>
  /^[+-]?[\d.,]*\d[\d.,]*(e[+-]?\d+)?$/i.test(text) || /^\d+[-:/]\d+/.test(text);

/** Whether a row has a number, a time or a missing value in each column that is needed, and not missing ones alone. */
export function hasNumbers(fields: readonly string[], columnOf: ReadonlyMap<Role, number>): boolean {
  const cells = cellsOf(fields, columnOf);
  return cells.every((text) => isMissing(text) || looksLikeNumber(text)) && cells.some(looksLikeNumber);
}

/** The fields of all lines but comments. */
export function fieldsOfRows(lines: readonly Line[], separator: Separator): string[][] {
  return lines.filter(({ isComment }) => !isComment).map((line) => fieldsIn(line, separator));
}
