/** How a table of detections is written: its separator, its decimal mark, its header and what its columns are. */
import type { Separator } from "../files/csv-cell.js";
import { isMissing, type TableForm } from "../files/csv-table.js";
import { refuse } from "../files/refusal.js";
import { type HeaderRoles, type NamedColumns, nameOf, type Role, rolesOf } from "./column-names.js";
import { type DecimalMark, decimalOf } from "./decimal-mark.js";
import { refuseCorners, refuseLabels, refuseRoles } from "./header-refusals.js";
import {
  cellsOf,
  commentsOf,
  fieldsIn,
  fieldsOfRows,
  HEAD_BYTES,
  hasNumbers,
  type Line,
  linesOf,
  looksLikeNumber,
} from "./table-head.js";
import { areCorners, headerOfPoints, longFormOf, type WideTable, wideTableOf } from "./wide-table.js";

/** What the user says about a file of detections. */
export interface ReadingOptions {
  readonly columns?: NamedColumns | undefined;
  /** Time between two frames. */
  readonly dt?: number | undefined;
  readonly decimal?: DecimalMark | undefined;
  /** The proof or scenario that states these, where the command line does not. */
  readonly statedBy?: string | undefined;
}

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
  /** Whether the frame is found from a column of times. */
  readonly isTimed: boolean;
}

/** Lines in which the header is looked for, and rows that are compared with it. */
const HEAD_LINES = 60;
const ROWS = 40;
/** TrackMate's tables have three lines below their header. */
const MOST_MORE = 3;

const START = "start it with the header frame,x,y";

const SEPARATORS: readonly Separator[] = [",", ";", "\t", " "];

interface Candidate {
  readonly separator: Separator;
  /** Index of the header among the lines, −1 where there is none. */
  readonly at: number;
  readonly labels: readonly string[];
  readonly roles: HeaderRoles;
  /** The points of its rows, where these have several. */
  readonly wide: WideTable | null;
  /** The first of the lines that may be rows. */
  readonly rows: number;
  readonly fitting: number;
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
  const long = found.wide && longFormOf(found.wide, ofRows, rows, shift);
  const { labels, columnOf } = long ?? { labels: ofRows, columnOf: shifted };
  const header = found.at < 0 ? null : lines[found.at];
  const last = lines.at(-1);
  const end = last === undefined ? 0 : last.number + 1;
  return {
    separator: found.separator,
    ...marks,
    ...namesOf(labels, columnOf, header === null),
    columnOf,
    ...(long !== null && { unfold: long.unfold, points: long.points }),
    offset: first?.offset ?? bytes.length,
    line: first?.number ?? end,
    comments: commentsOf(lines, header, found.rows + more),
    preamble: lines.slice(0, Math.max(0, found.at)).filter(({ isComment }) => !isComment).length,
    moreHeader: more + (found.at < 0 ? 0 : found.rows - found.at - 1),
    header: header?.number ?? null,
    unitOf: unitsOf(lines, found, more),
    isTimed: !columnOf.has("frame"),
  };
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
  const roles = rolesOf(names, asked.columns);
  if (roles.missing.length > 0 || roles.contested.length > 0 || roles.absent !== null)
    refuseRoles(file, names, roles, asked.columns);
  const { columnOf } = roles;
  const known = { separator: ",", decimal: ".", grouped: false, unitOf: new Map() } as const;
  const places = { offset: 0, line: 1, comments, preamble: 0, moreHeader: 0, header: null };
  const isNumbered = names.every((name, at) => name === String(at + 1));
  return { ...known, ...places, ...namesOf(names, columnOf, isNumbered), columnOf, isTimed: !columnOf.has("frame") };
}

/** What stands above a header is skipped, but for a row, which would be lost. */
function refuseRowAbove(file: string, lines: readonly Line[], { at, separator, labels, roles, wide }: Candidate) {
  const row = lines.slice(0, Math.max(0, at)).find((line) => {
    const fields = line.isComment || wide !== null ? [] : fieldsIn(line, separator);
    return fields.length === labels.length && hasNumbers(fields, roles.columnOf);
  });
  if (row !== undefined) refuse(`${file}:${row.number}`, "is a row above the header", "put the header first");
}

/** The header that names all columns needed, with the separator by which most rows are as wide. */
function bestCandidate(lines: readonly Line[], asked: ReadingOptions): Candidate | null {
  let best: Candidate | null = null;
  let contested: Candidate | null = null;
  for (const separator of SEPARATORS) {
    const found = candidateOf(lines, separator, asked);
    if (found === null) continue;
    if (found.roles.contested.length > 0 || found.roles.absent !== null) {
      if (contested === null || found.fitting > contested.fitting) contested = found;
    } else if (best === null || found.fitting > best.fitting) best = found;
  }
  return best ?? contested;
}

function candidateOf(lines: readonly Line[], separator: Separator, asked: ReadingOptions): Candidate | null {
  let commented: Candidate | null = null;
  let lacking: Candidate | null = null;
  for (const [at, line] of lines.slice(0, HEAD_LINES).entries()) {
    const joined = headerOfPoints(lines, at, separator);
    const labels = joined?.labels ?? fieldsIn(line, separator);
    if (labels.length < 2) continue;
    const plain = rolesOf(labels, asked.columns);
    const isLacking = joined !== null || plain.absent !== null || plain.missing.some((role) => role !== "frame");
    const wide = isLacking ? wideTableOf(labels, asked.columns ?? {}, joined !== null) : null;
    const roles = wide?.roles ?? plain;
    if (roles.absent !== null) {
      const candidate = made(lines, separator, at, labels, roles, at + 1);
      if (candidate.fitting > (lacking?.fitting ?? -1)) lacking = candidate;
    }
    if (roles.missing.length > 0 || roles.absent !== null) continue;
    const isRow = !line.isComment && !isCounted(labels) && hasNumbers(labels, roles.columnOf);
    const candidate = made(
      lines,
      separator,
      isRow ? -1 : at,
      labels,
      roles,
      isRow ? at : at + (joined?.rows ?? 1),
      wide,
    );
    if (isRow || !(line.isComment || wide !== null || isNumbered(asked))) return candidate;
    // A comment, or any line where columns have numbers, is a header only if a row comes next.
    const next = lines.slice(candidate.rows).find(({ isComment }) => !isComment);
    const row = next === undefined ? [] : fieldsIn(next, separator);
    if (row.length !== labels.length || !hasNumbers(row, roles.columnOf)) continue;
    if (!line.isComment) return candidate;
    commented ??= candidate;
  }
  return commented ?? lacking;
}

/** Whether it is the header that pandas gives a table without names: nothing, then 0, 1, 2, … */
const isCounted = ([first, ...labels]: readonly string[]) =>
  first === "" && labels.length > 0 && labels.every((label, at) => label === String(at));

const isNumbered = ({ columns = {} }: ReadingOptions) => Object.values(columns).some((name) => /^\d+$/.test(name));

function made(
  lines: readonly Line[],
  separator: Separator,
  at: number,
  labels: readonly string[],
  roles: HeaderRoles,
  rows: number,
  wide: WideTable | null = null,
): Candidate {
  const next = lines.slice(rows, rows + ROWS).filter(({ isComment }) => !isComment);
  const fitting = next.filter((line) => fieldsIn(line, separator).length === labels.length).length;
  return { separator, at, labels, roles, wide, rows, fitting };
}

/** Lines below the header that have words where the rows have numbers. */
function moreHeader(lines: readonly Line[], { at, rows, separator, labels, roles }: Candidate): number {
  if (at < 0) return 0;
  let more = 0;
  while (more < MOST_MORE) {
    const line = lines[rows + more];
    if (line === undefined || line.isComment) break;
    const fields = fieldsIn(line, separator);
    const cells = cellsOf(fields, roles.columnOf);
    if (fields.length !== labels.length || cells.some(looksLikeNumber) || cells.every(isMissing)) break;
    more++;
  }
  return more;
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
  const plain = labels.map((label, at) => (isNumbered ? `column_${at + 1}` : label.trim().toLowerCase()));
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
  return { names, second, labels: isNumbered ? labels.map((_, at) => String(at + 1)) : labels, unread };
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

/** Of a table in which the columns are not found, the header that it seems to have: the line after which most rows have as many fields. */
function refuseHeader(
  file: string,
  lines: readonly Line[],
  found: Candidate | null,
  { columns }: ReadingOptions,
): never {
  if (found !== null) refuseRoles(`${file}:${lines[Math.max(0, found.at)].number}`, found.labels, found.roles, columns);
  const plain = lines.filter(({ isComment }) => !isComment);
  if (plain.length === 0) refuse(file, "has no rows", START);
  let best = { at: 0, separator: "," as Separator, score: -1 };
  for (const separator of SEPARATORS) {
    for (let at = 0; at < Math.min(plain.length, HEAD_LINES); at++) {
      const width = fieldsIn(plain[at], separator).length;
      const rows = plain.slice(at, at + ROWS);
      const score = width < 2 ? 0 : rows.filter((line) => fieldsIn(line, separator).length === width).length;
      if (score > best.score) best = { at, separator, score };
    }
  }
  refuseLabels(`${file}:${plain[best.at].number}`, fieldsIn(plain[best.at], best.separator), columns);
}
