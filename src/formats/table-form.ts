/** How a table of detections is written: its separator, its decimal mark, its header and what its columns are. */
import type { TableForm } from "../files/csv-table.js";
import { refuse } from "../files/refusal.js";
import { boxColumnsOf, nameOf, type Role, rolesOf } from "./column-names.js";
import { decimalOf } from "./decimal-mark.js";
import { refuseBox, refuseCorners, refuseRoles } from "./header-refusals.js";
import {
  bestCandidate,
  type Candidate,
  HEAD_LINES,
  moreHeader,
  namesBox,
  refuseHeader,
  rolesOfBoxes,
  START,
} from "./header-search.js";
import type { ReadingOptions } from "./reading-options.js";
import { commentsOf, fieldsIn, fieldsOfRows, HEAD_BYTES, hasNumbers, type Line, linesOf } from "./table-head.js";
import { boxFormOf, countedForm, type LongForm } from "./unfolded-rows.js";
import { areCorners, longFormOf } from "./wide-table.js";

export interface DetectionsForm extends TableForm {
  /** The columns that have a role. */
  readonly columnOf: ReadonlyMap<Role, number>;
  /** Columns that are not read under any name, by their labels. */
  readonly unread: readonly string[];
  /** Comment lines before the rows, without their `#`. */
  readonly comments: readonly { readonly line: number; readonly text: string }[];
  /** Lines before the header that are neither empty nor comments, and lines behind it that have no numbers. */
  readonly preamble: number;
  readonly moreHeader: number;
  /** Line of the header, null where the user numbered the columns. */
  readonly header: number | null;
  readonly unitOf: ReadonlyMap<Role, string>;
  /** The names of the points, where each row has several. */
  readonly points?: readonly string[];
  /** Pairs of x and y in the header that are not taken for points, as their names are those of errors, sizes and the like. */
  readonly noPoints?: readonly string[];
  /** Whether the frame is found from a column of times. */
  readonly isTimed: boolean;
}

/**
 * Finds the form of a table of detections in its first lines.
 * @param isWhole whether no more than `bytes` will come: else null is returned where more lines are needed
 * @throws InputError where the columns are not found, or may be read in two ways
 */
export function findForm(
  file: string,
  bytes: Uint8Array,
  asked: ReadingOptions = {},
  isWhole = true,
): DetectionsForm | null {
  const lines = linesOf(bytes, isWhole);
  const isEnough = isWhole || lines.length > HEAD_LINES || bytes.length >= HEAD_BYTES;
  const found = bestCandidate(lines, asked);
  if (found === null || found.roles.contested.length > 0 || found.roles.absent !== null) {
    if (!isEnough) return null;
    if (lines.length === 0) refuse(file, bytes.length === 0 ? "is empty" : "has no rows", START);
    refuseHeader(file, lines, found, asked);
  }
  refuseRowAbove(file, lines, found);
  const more = moreHeader(lines, found);
  const first = lines[found.rows + more];
  if (first === undefined && !isWhole) return null;
  const rows = fieldsOfRows(lines.slice(found.rows + more), found.separator);
  const ofRows = labelsOfRows(found, rows);
  const shift = ofRows.length > found.labels.length && ofRows[0] === "" ? 1 : 0;
  const shifted = new Map([...found.roles.columnOf].map(([role, at]) => [role, at + shift]));
  const place = `${file}:${first?.number ?? 1}`;
  const marks = decimalOf(place, rows, shifted, asked.decimal);
  if (found.wide !== null && areCorners(found.wide, rows)) refuseCorners(`${file}:${lines[found.at].number}`);
  const header = found.at < 0 ? null : lines[found.at];
  const own = { labels: header === null ? ofRows.map((_, at) => String(at + 1)) : ofRows, columnOf: shifted };
  const { labels, columnOf, unfold, points } = longForm(found, own, rows, shift, marks);
  const last = lines.at(-1);
  const end = last === undefined ? 0 : last.number + 1;
  return {
    separator: found.separator,
    ...marks,
    ...namesOf(labels, columnOf, header === null),
    columnOf,
    ...(unfold && { unfold }),
    ...(points && { points }),
    ...(found.wide !== null && found.wide.noPoints.length > 0 && { noPoints: found.wide.noPoints }),
    offset: first?.offset ?? bytes.length,
    line: first?.number ?? end,
    comments: commentsOf(lines, header, found.rows + more),
    preamble: lines.slice(0, found.at < 0 ? found.rows : found.at).filter(({ isComment }) => !isComment).length,
    moreHeader: more + (found.at < 0 ? 0 : found.rows - found.at - 1),
    header: header?.number ?? null,
    unitOf: unitsOf(lines, found, more),
    isTimed: !columnOf.has("frame"),
  };
}

/** The columns as they are read: of points in one row, of a box, with the number of the row, or as they are in the file. */
function longForm(
  { wide, box, roles }: Pick<Candidate, "wide" | "box" | "roles">,
  own: LongForm,
  rows: readonly (readonly string[])[],
  shift: number,
  marks: Pick<TableForm, "decimal" | "grouped">,
): LongForm {
  const shifted = box && new Map([...box].map(([role, at]) => [role, at + shift]));
  const long =
    wide !== null ? longFormOf(wide, own.labels, rows, shift) : shifted !== null ? boxFormOf(shifted, own, marks) : own;
  return roles.isCounted ? countedForm(long) : long;
}

/**
 * The form of a table in commas without a header, whose columns have these names.
 * @throws InputError where they lack a frame, x or y
 */
export function formOfNames(
  file: string,
  names: readonly string[],
  comments: DetectionsForm["comments"],
  asked: ReadingOptions,
): DetectionsForm {
  const plain = rolesOf(names, asked.columns);
  const box = namesBox(asked) ? boxColumnsOf(names, plain) : null;
  if (namesBox(asked)) refuseBox(asked.columns, plain.absent !== null || box);
  const roles = box === null ? plain : rolesOfBoxes(plain, box);
  if (roles.missing.length > 0 || roles.contested.length > 0 || roles.absent !== null)
    refuseRoles(file, names, roles, asked.columns);
  const known = { separator: ",", decimal: ".", grouped: false, unitOf: new Map() } as const;
  const places = { offset: 0, line: 1, comments, preamble: 0, moreHeader: 0, header: null };
  const isNumbered = names.every((name, at) => name === String(at + 1));
  const own = { labels: names, columnOf: roles.columnOf };
  const { labels, columnOf, unfold } = longForm({ wide: null, box, roles }, own, [], 0, known);
  const read = { ...namesOf(labels, columnOf, isNumbered), columnOf, ...(unfold && { unfold }) };
  return { ...known, ...places, ...read, isTimed: !columnOf.has("frame") };
}

/** What stands above a header is skipped, but for a row, which would be lost. */
function refuseRowAbove(file: string, lines: readonly Line[], { at, separator, labels, roles, wide }: Candidate) {
  const row = lines.slice(0, Math.max(0, at)).find((line) => {
    const fields = line.isComment || wide !== null ? [] : fieldsIn(line, separator);
    return fields.length === labels.length && hasNumbers(fields, roles.columnOf);
  });
  if (row !== undefined) refuse(`${file}:${row.number}`, "is a row above the header", "put the header first");
}

/**
 * The labels of rows that each have a field more than the header: behind them where each row ends in a separator, and before them the names of the rows,
 * as R writes them.
 */
function labelsOfRows({ labels, separator, at }: Candidate, rows: readonly string[][]): readonly string[] {
  const isWider = at >= 0 && rows.length > 0 && rows.every((fields) => fields.length === labels.length + 1);
  if (!isWider) return labels;
  if (rows.every((fields) => fields[labels.length] === "")) return [...labels, ""];
  return separator === " " ? ["", ...labels] : labels;
}

/**
 * The names by which the columns are read: those of their roles, and others as they are in lower case. Times and targets of other names are read under
 * both, since they are handed on as well.
 */
function namesOf(labels: readonly string[], columnOf: ReadonlyMap<Role, number>, isNumbered: boolean) {
  const names: string[] = labels.map(() => "");
  const second = new Map<string, number>();
  const plain = labels.map((label) =>
    isNumbered && /^\d+$/.test(label) ? `column_${label}` : label.trim().toLowerCase(),
  );
  for (const [role, at] of columnOf) {
    const readAs = role === "time" && !columnOf.has("frame") ? "frame" : role;
    const isHandedOn = (role === "time" || role === "target") && !isNumbered && plain[at] !== readAs;
    names[at] = isHandedOn ? plain[at] : role === "time" ? "time" : role;
    if (names[at] !== readAs) second.set(readAs, at);
  }
  const unread: string[] = [];
  plain.forEach((name, at) => {
    if (names[at] !== "" || name === "") return;
    if (names.includes(name) || second.has(name)) unread.push(labels[at]);
    else names[at] = name;
  });
  return { names, second, labels, unread };
}

/** Units of the columns' names, or of a line below the header that has them in brackets. */
function unitsOf(
  lines: readonly Line[],
  { at, labels, roles, rows, separator }: Candidate,
  more: number,
): ReadonlyMap<Role, string> {
  const below = lines.slice(rows, rows + more).map((line) => fieldsIn(line, separator));
  const units = new Map<Role, string>();
  for (const [role, column] of at < 0 ? [] : roles.columnOf) {
    const bracketed = below.map((fields) => /^[([](.+)[)\]]$/.exec(fields[column] ?? "")?.[1]);
    const unit = nameOf(labels[column]).unit ?? bracketed.find((one) => one !== undefined);
    if (unit) units.set(role, unit);
  }
  return units;
}
