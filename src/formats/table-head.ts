/** The first lines of a table, in which its header is looked for. */
import type { Separator } from "../files/csv-cell.js";
import { fieldsOf } from "../files/csv-lines.js";
import { isMissing, type TableHeader } from "../files/csv-table.js";
import type { Role } from "./column-names.js";
import { isImageName } from "./frame-cells.js";

/** Bytes in which the header is looked for. */
export const HEAD_BYTES = 2 ** 16;

export interface Line {
  readonly text: string;
  readonly number: number;
  readonly offset: number;
  readonly isComment: boolean;
}

/** Lines over which a quoted name may go. */
const MOST_QUOTED = 8;

/** The lines of the head that are not empty, each with those that its quotes go on in; a last one that may go on is left out. */
export function linesOf(bytes: Uint8Array, isWhole: boolean): Line[] {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(HEAD_BYTES, bytes.length));
  const isCut = head.length < bytes.length || !isWhole;
  const lines: Line[] = [];
  for (let at = 0, number = 1; at < head.length; ) {
    let end = endOfLine(head, at);
    let text = head.toString("utf8", at, end);
    let count = 1;
    if (!text.trim().startsWith("#") && isOpen(text)) {
      const ends = [end];
      while (ends.length < MOST_QUOTED && ends[ends.length - 1] < head.length && isOpen(text)) {
        ends.push(endOfLine(head, afterLine(head, ends[ends.length - 1])));
        text = head.toString("utf8", at, ends[ends.length - 1]);
      }
      if (!isOpen(text)) [end, count] = [ends[ends.length - 1], ends.length];
      else text = head.toString("utf8", at, end);
    }
    if (end === head.length && isCut && (lines.length > 0 || !isWhole)) break;
    if (text.trim() !== "") lines.push({ text, number, offset: at, isComment: text.trim().startsWith("#") });
    at = afterLine(head, end);
    number += count;
  }
  return lines;
}

function endOfLine(head: Buffer, at: number): number {
  let end = at;
  while (end < head.length && head[end] !== 10 && head[end] !== 13) end++;
  return end;
}

const afterLine = (head: Buffer, end: number) => end + (head[end] === 13 && head[end + 1] === 10 ? 2 : 1);

/** Whether a quote is open at the end. */
const isOpen = (text: string) => (text.split('"').length - 1) % 2 === 1;

/** Fields of a line, without the # of a header that is a comment; none where its quotes are wrong. */
export function fieldsIn({ text, isComment }: Line, separator: Separator): string[] {
  try {
    // A unit in brackets is one field with the name before it.
    const joined = separator === " " && !text.includes('"') ? text.replace(/[ \t]+(?=[([])/g, "") : text;
    const fields = fieldsOf(isComment ? joined.replace(/^\s*#+[ ]?/, "") : joined, separator);
    return /[\r\n]/.test(text) ? fields.map((field) => field.replace(/\s*[\r\n]+\s*/g, " ")) : fields;
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
  /^[+-]?[\d.,]*\d[\d.,]*(e[+-]?\d+)?$/i.test(text) || /^\d+[-:/]\d+/.test(text) || isImageName(text);

/** Whether a row has a number, a time or a missing value in each column that is needed, and not missing ones alone. */
export function hasNumbers(fields: readonly string[], columnOf: ReadonlyMap<Role, number>): boolean {
  const cells = cellsOf(fields, columnOf);
  return cells.every((text) => isMissing(text) || looksLikeNumber(text)) && cells.some(looksLikeNumber);
}

/** The fields of all lines but comments. */
export function fieldsOfRows(lines: readonly Line[], separator: Separator): string[][] {
  return lines.filter(({ isComment }) => !isComment).map((line) => fieldsIn(line, separator));
}
