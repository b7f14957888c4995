/** The header of a table of detections among its first lines. */
import type { Separator } from "../files/csv-cell.js";
import { isMissing } from "../files/csv-table.js";
import { refuse } from "../files/refusal.js";
import { boxColumnsOf, type HeaderRoles, isOfBox, type Role, rolesOf } from "./column-names.js";
import { refuseBox, refuseData, refuseRoles } from "./header-refusals.js";
import type { ReadingOptions } from "./reading-options.js";
import { cellsOf, fieldsIn, hasNumbers, type Line, looksLikeNumber } from "./table-head.js";
import { headerOfPoints, type WideTable, wideTableOf } from "./wide-table.js";

/** Lines in which the header is looked for, and rows that are compared with it. */
export const HEAD_LINES = 60;
const ROWS = 40;
/** TrackMate's tables have three lines below their header. */
const MOST_MORE = 3;

export const START = "start it with the header frame,x,y";

const SEPARATORS: readonly Separator[] = [",", ";", "\t", "|", " "];

/** A line that may be the header of a table. */
export interface Candidate {
  readonly separator: Separator;
  /** Index of the header among the lines, −1 where there is none. */
  readonly at: number;
  readonly labels: readonly string[];
  readonly roles: HeaderRoles;
  /** The points of its rows, where these have several. */
  readonly wide: WideTable | null;
  /** The columns of boxes whose centres are the positions. */
  readonly box: ReadonlyMap<Role, number> | null;
  /** The first of the lines that may be rows. */
  readonly rows: number;
  readonly fitting: number;
}

/** The header that names all columns needed, with the separator by which most rows are as wide. */
export function bestCandidate(lines: readonly Line[], asked: ReadingOptions): Candidate | null {
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
  let narrow: Candidate | null = null;
  for (const [at, line] of lines.slice(0, HEAD_LINES).entries()) {
    const joined = headerOfPoints(lines, at, separator);
    const labels = joined?.labels ?? fieldsIn(line, separator);
    if (labels.length < 2) continue;
    const plain = rolesOf(labels, asked.columns);
    const isLacking = joined !== null || plain.absent !== null || plain.missing.some((role) => role !== "frame");
    const isBoxNamed = namesBox(asked);
    const wide = isLacking && !isBoxNamed ? wideTableOf(labels, asked.columns ?? {}, joined !== null) : null;
    const box = wide === null && (isBoxNamed || isLacking) ? boxColumnsOf(labels, plain) : null;
    if (isBoxNamed && plain.absent === null) refuseBox(asked.columns, box);
    const roles = wide?.roles ?? (box === null ? plain : rolesOfBoxes(plain, box));
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
      box,
    );
    // A line above the rows may have numbers where they have them; that it is no row, its words and its width say.
    if (isRow && !labels.every(isValue) && 2 * candidate.fitting < rowsFrom(lines, at).length) {
      if (candidate.fitting > (narrow?.fitting ?? 0)) narrow = candidate;
      continue;
    }
    if (isRow || !(line.isComment || wide !== null || isNumbered(asked))) return candidate;
    // A comment, or any line where columns have numbers, is a header only if a row comes next.
    const next = lines.slice(candidate.rows).find(({ isComment }) => !isComment);
    const row = next === undefined ? [] : fieldsIn(next, separator);
    if (row.length !== labels.length || !hasNumbers(row, roles.columnOf)) continue;
    if (!line.isComment) return candidate;
    commented ??= candidate;
  }
  return commented ?? narrow ?? lacking;
}

/** Lines from one on that may be rows, as many as are compared with a header. */
const rowsFrom = (lines: readonly Line[], at: number) =>
  lines.slice(at, at + ROWS).filter(({ isComment }) => !isComment);

export const namesBox = ({ columns = {} }: ReadingOptions) =>
  Object.keys(columns).some((role) => isOfBox(role as Role));

/** The roles of a header whose positions are the centres of boxes. */
export const rolesOfBoxes = (roles: HeaderRoles, box: ReadonlyMap<Role, number>): HeaderRoles => ({
  ...roles,
  columnOf: new Map([...roles.columnOf, ["x", box.get("left") as number], ["y", box.get("top") as number]]),
  missing: roles.missing.filter((role) => role === "frame"),
});

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
  box: Candidate["box"] = null,
): Candidate {
  const fitting = rowsFrom(lines, rows).filter((line) => fieldsIn(line, separator).length === labels.length).length;
  return { separator, at, labels, roles, wide, box, rows, fitting };
}

/** Lines below the header that have words where the rows have numbers. */
export function moreHeader(lines: readonly Line[], { at, rows, separator, labels, roles }: Candidate): number {
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

const isValue = (text: string) => looksLikeNumber(text) || isMissing(text);

/** Whether a first row is one of values: its numbers are half of it at least, and stand where those of the next row do. */
function areNumbers(labels: readonly string[], next: readonly string[] | undefined): boolean {
  const numbers = labels.filter(looksLikeNumber).length;
  const isAlike = next === undefined || labels.every((text, at) => isValue(text) === isValue(next[at] ?? ""));
  return (numbers > 0 && labels.every(isValue)) || (2 * numbers >= labels.length && isAlike);
}

/** Of a table in which the columns are not found, the header that it seems to have: the line after which most rows have as many fields. */
export function refuseHeader(
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
  const place = `${file}:${plain[best.at].number}`;
  const [labels, ...rows] = plain.slice(best.at, best.at + ROWS).map((line) => fieldsIn(line, best.separator));
  if (areNumbers(labels, rows[0])) refuseData(place, labels, rows);
  refuseRoles(place, labels, rolesOf(labels, columns), columns);
}
