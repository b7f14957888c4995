/** Tables with several points in each row, as programs write them that follow body parts, or a known number of animals. */

import type { Separator } from "../files/csv-cell.js";
import { isMissing, type TableForm } from "../files/csv-table.js";
import { type HeaderRoles, type NamedColumns, nameOf, type Role, rolesOf } from "./column-names.js";
import { fieldsIn, type Line } from "./table-head.js";

/** A point by its name and its columns. */
interface Point {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  /** Its further columns, in the order of `WideTable.further`. */
  readonly further: readonly number[];
}

export interface WideTable {
  readonly points: readonly Point[];
  /** What else each point has, such as a score. */
  readonly further: readonly string[];
  /** The roles of the columns, x and y of the first point. */
  readonly roles: HeaderRoles;
  /** The columns of pairs that are no points by their names. */
  readonly noPoints: readonly string[];
}

/** nose_x or p1_y, x1 or y_2, x_nose: the names of columns that may be a point's. */
const AXIS_LAST = /^(?<point>.+)_(?<axis>[xy])$/;
const AXIS_FIRST = /^(?<axis>[xy])(?:_?(?<number>\d+)|_(?<point>.+))$/;
/** Pairs of x and y that are no positions, and corners of boxes. */
const NO_POINT =
  /(^|_)(v|vel\w*|speed|acc\w*|dis\w*|delta|shift|drift|err\w*|std|sd|sigma|var\w*|size|scale|grad\w*|flow|force|orient\w*|dir\w*|cos|sin|min|max|start|end|begin|first|last|tl|br|\w*bounding\w*)(_|$)/;
/** Names of centres: of several one is meant, and the others say the same of the same target. */
const CENTRE = /(^|_)(cent(er|re|roid)\w*|location|position|local|global)$/;

const pointOf = (name: string) => {
  const { axis, point, number } = (AXIS_LAST.exec(name) ?? AXIS_FIRST.exec(name))?.groups ?? {};
  return axis === undefined ? null : { axis, point: point ?? number };
};

/**
 * The points of a header that has no one x and y; null where it has none, or no frame.
 * @param isSure whether all pairs of x and y are points, whatever they are called
 * @param named by `x` or `y` the user may choose points: by the name of one, or the end of several names
 */
export function wideTableOf(
  labels: readonly string[],
  { x, y, ...named }: NamedColumns,
  isSure: boolean,
): WideTable | null {
  const names = labels.map((label) => nameOf(label).name);
  const at = new Map<string, Partial<Record<string, number>>>();
  names.forEach((name, column) => {
    const { axis, point } = pointOf(name) ?? {};
    if (axis !== undefined && point !== undefined) at.set(point, { ...at.get(point), [axis]: column });
  });
  const wanted = [x, y].flatMap((one) => (one === undefined ? [] : [nameOf(one).name]));
  const isWanted = (point: string) =>
    wanted.every((name) => [pointOf(name)?.point, name].some((one) => one === point || point.endsWith(`_${one}`)));
  const both = [...at].flatMap(([name, { x, y }]) =>
    x === undefined || y === undefined || !isWanted(name) ? [] : [{ name, x, y }],
  );
  const isPoint = ({ name }: (typeof both)[number]) => isSure || !NO_POINT.test(name);
  const pairs = both.filter(isPoint);
  const noPoints = both.filter((pair) => !isPoint(pair)).flatMap(({ x, y }) => [labels[x], labels[y]]);
  if (pairs.length === 0) return null;
  const further = names.flatMap((name) => {
    const what = name.startsWith(`${pairs[0].name}_`) ? name.slice(pairs[0].name.length + 1) : "x";
    return /^[xy]$/.test(what) || !pairs.every((pair) => names.includes(`${pair.name}_${what}`)) ? [] : [what];
  });
  const points = pairs.map((pair) => {
    return { ...pair, further: further.map((what) => names.indexOf(`${pair.name}_${what}`)) };
  });
  const shared = rolesOf(labels, named);
  const columnOf = new Map<Role, number>([...shared.columnOf, ["x", points[0].x], ["y", points[0].y]]);
  const missing = shared.missing.filter((role) => role === "frame");
  const isOne = points.length > 1 && points.every(({ name }) => CENTRE.test(name));
  const contested = isOne ? [{ role: "x" as const, columns: points.map(({ x }) => x) }] : shared.contested;
  return missing.length > 0 ? null : { points, further, noPoints, roles: { ...shared, contested, columnOf, missing } };
}

/** Whether two points of these rows are always the corners of a box, one below and to the right of the other. */
export function areCorners({ points }: WideTable, rows: readonly (readonly string[])[]): boolean {
  if (points.length !== 2 || points.some(({ name }) => !/^\d$/.test(name))) return false;
  const [one, other] = points;
  const isBeyond = (fields: readonly string[], axis: "x" | "y") =>
    Number(fields[one[axis]]) < Number(fields[other[axis]]);
  return rows.every((fields) => isBeyond(fields, "x") && isBeyond(fields, "y"));
}

/** Names of points for people: the first ones. */
export function namesOfPoints(names: readonly string[]): string {
  const most = 3;
  return names.length <= most + 1
    ? names.join(", ")
    : `${names.slice(0, most).join(", ")} and ${names.length - most} more`;
}

/** The long form: a row for each point, with the columns that the points of a row have in common before its own. */
export function longFormOf(
  { points, further, roles }: WideTable,
  labels: readonly string[],
  rows: readonly (readonly string[])[],
  shift: number,
) {
  const own = new Set(points.flatMap(({ x, y, further }) => [x, y, ...further]));
  const common = labels.flatMap((_, at) => (own.has(at - shift) ? [] : [at]));
  const place = (role: Role) => {
    const at = roles.columnOf.get(role);
    return at === undefined ? -1 : common.indexOf(at + shift);
  };
  const axis = (which: "x" | "y") => namesOfPoints(points.map((point) => labels[point[which] + shift]));
  const [first, label] = [common.length, common.length + 2 + further.length];
  const track = place("target");
  // Of several rows in a frame, that do not say whose they are, the points have no names of their own.
  const times = rows.map((fields) => fields[common[Math.max(place("frame"), place("time"))]]);
  const isNamed = points.length > 1 && (track >= 0 || new Set(times).size === rows.length);
  const columnOf = new Map<Role, number>([
    ...(["frame", "time"] as const).flatMap((role) => (place(role) < 0 ? [] : [[role, place(role)] as const])),
    ["x", first],
    ["y", first + 1],
    ...(further.includes("z") ? [["z", first + 2 + further.indexOf("z")] as const] : []),
    ...(isNamed || (track >= 0 && points.length === 1) ? [["target", isNamed ? label : track] as const] : []),
  ]);
  const labelOf = ({ name }: Point, fields: readonly string[]) => {
    if (track < 0 || points.length === 1) return name;
    const whose = fields[common[track]];
    return isMissing(whose) ? "" : `${whose} ${name}`;
  };
  const unfold: TableForm["unfold"] = {
    width: labels.length,
    rowsOf: (fields) =>
      points.map((point) => {
        const cells = [point.x, point.y, ...point.further].map((at) => fields[at + shift]);
        return [...common.map((at) => fields[at]), ...cells, labelOf(point, fields)];
      }),
  };
  return {
    labels: [...common.map((at) => labels[at]), axis("x"), axis("y"), ...further, "point"],
    columnOf,
    unfold,
    points: points.map(({ name }) => name),
  };
}

const DEEPLABCUT = ["scorer", "individuals", "bodyparts", "coords"];

/** The three or four header lines of DeepLabCut's tables as one, and how many they are; null for any other line. */
function deepLabCutHeader(lines: readonly Line[], at: number, separator: Separator) {
  const rows: string[][] = [];
  for (const line of lines.slice(at, at + DEEPLABCUT.length)) {
    const fields = fieldsIn(line, separator);
    if (!DEEPLABCUT.includes(fields[0])) break;
    rows.push(fields);
  }
  if (rows[0]?.[0] !== DEEPLABCUT[0] || rows.at(-1)?.[0] !== DEEPLABCUT[3]) return null;
  const labels = rows[0].map((_, column) =>
    rows
      .slice(1)
      .map((fields) => fields[column])
      .join("_"),
  );
  return { labels: ["frame", ...labels.slice(1)], rows: rows.length };
}

/** Lines above a header in which the names of its points are looked for. */
const NAMES_ABOVE = 5;

/** A header that has x and y several times, and one frame or time, with the names of the points before theirs, or their numbers; null for any other. */
function headerSideBySide(lines: readonly Line[], at: number, separator: Separator) {
  const labels = fieldsIn(lines[at], separator);
  const { contested, columnOf } = rolesOf(labels);
  const placesOf = (role: Role) => contested.find((one) => one.role === role)?.columns ?? [];
  const first = placesOf("x");
  const timesOf = (column: number) => labels.filter((label) => label === labels[column]).length;
  const isSide = first.length > 1 && [first, placesOf("y")].every((columns) => timesOf(columns[0]) === first.length);
  if (!isSide || !(columnOf.has("frame") || columnOf.has("time"))) return null;
  const above = lines.slice(Math.max(0, at - NAMES_ABOVE), at).map((line) => fieldsIn(line, separator));
  const names = above
    .filter((row) => row.length === labels.length)
    .map((row) => first.map((column) => row[column]))
    .find((row) => row.every((name) => name !== "") && new Set(row).size === row.length);
  const own = labels.map((label, column) => {
    const point = first.findLastIndex((begin) => begin <= column);
    return point < 0 || timesOf(column) !== first.length ? label : `${names?.[point] ?? point + 1}_${label}`;
  });
  return { labels: own, rows: 1 };
}

/** A header of points whose names stand in lines above x and y, as one line, and its lines from `at` on; null for any other. */
export const headerOfPoints = (lines: readonly Line[], at: number, separator: Separator) =>
  deepLabCutHeader(lines, at, separator) ?? headerSideBySide(lines, at, separator);
