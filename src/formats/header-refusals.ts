/** What is said of a header in which the columns of detections are not found. */
import { refuse, shown } from "../files/refusal.js";
import { BOX_ROLES, type HeaderRoles, HINTS, type NamedColumns, ROW, type Role } from "./column-names.js";

/** Says which column is not there, or may be one of several, and the option that settles it. */
export function refuseRoles(
  place: string,
  labels: readonly string[],
  { absent, contested, missing }: HeaderRoles,
  columns: NamedColumns = {},
): never {
  const has = shown(labels.filter((label) => label !== "").join(", "));
  if (absent !== null) {
    const named = `--columns ${absent}=${columns[absent]}`;
    refuse(place, `has no column for ${named}`, `its columns are ${has}: name one of them, or its number from 1`);
  }
  if (contested.length > 0) refuseContested(place, labels, contested);
  const flag = missing.map((role) => flagFor(role, labels)).join(",");
  const isRowFrame = `where each row is a frame of its own, give --columns ${asWord(flag.replace("frame=NAME", `frame=${ROW}`))}`;
  const alone = labels.length < 3 ? "add a column frame, or" : "say which it is: --columns frame=NAME; or";
  const remedy =
    flag === "frame=NAME"
      ? `${alone}, ${isRowFrame}`
      : `name the columns frame,x,y, or say which they are: --columns ${asWord(flag)}${flag.startsWith("frame=NAME") ? `; ${isRowFrame}` : ""}`;
  refuse(place, `the header ${shown(labels.join(","))} lacks the column ${missing[0]}`, remedy);
}

/** Of columns that the user named for boxes: they need all four, and leave no other position. */
export function refuseBox(columns: NamedColumns = {}, box: unknown): void {
  const [role] = BOX_ROLES.filter((one) => columns[one] !== undefined);
  const place = `--columns ${role}=${columns[role]}`;
  if (columns.x !== undefined || columns.y !== undefined)
    refuse(place, "a position is x and y, or the centre of a box", "leave one of them out");
  if (!box)
    refuse(place, "the box is not complete", "name left, top, right and bottom, or left, top, width and height");
}

function refuseContested(place: string, labels: readonly string[], contested: HeaderRoles["contested"]): never {
  const [{ columns: places }] = contested;
  const names = places.map((column) => labels[column]);
  const isTwice = names.some((name, at) => names.findIndex((one) => sameName(one, name)) < at);
  // Columns of several targets side by side belong together.
  const together = isTwice
    ? contested.filter(({ columns }) => columns.length === places.length)
    : contested.slice(0, 1);
  const flags = names.map((_, at) => {
    const named = together.map(({ role, columns }) => {
      return `${role}=${isTwice ? columns[at] + 1 : labels[columns[at]].trim()}`;
    });
    return `--columns ${asWord(named.join(","))}`;
  });
  const problem = isTwice
    ? `the header names ${shown(names[1])} twice`
    : `the columns ${names.map(shown).join(" and ")} may each be the ${contested[0].role}`;
  refuse(place, problem, `${isTwice ? "rename or remove one, or " : ""}give ${flags.join(" or ")}`);
}

/** A role with the column that seems to be meant, where there is one. */
function flagFor(role: Role, labels: readonly string[]): string {
  for (const one of role === "frame" ? (["frame", "time"] as const) : [role]) {
    const meant = labels.filter((label) => HINTS[one]?.test(label));
    if (meant.length === 1) return `${one}=${meant[0].trim()}`;
  }
  return `${role}=NAME`;
}

const sameName = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase();

/** Of rows without a header: their columns have numbers, where they are those of a table. */
export function refuseData(place: string, labels: readonly string[], rows: readonly (readonly string[])[]): never {
  const other = rows.find((fields) => fields.length !== labels.length);
  if (other !== undefined) {
    const problem = `is followed by rows of other widths (${labels.length} fields, then ${other.length}), which are no table`;
    refuse(place, problem, "give a table with a row for each detection: frame,x,y");
  }
  const remedy = "name the columns frame,x,y in a first line, or by their numbers, as in --columns frame=1,x=2,y=3";
  refuse(place, `the first row ${shown(labels.join(","))} is data, not a header`, remedy);
}

/** As one word of a command line. */
export const asWord = (text: string) => (/[^\w.,=:#-]/.test(text) ? `'${text}'` : text);

/** Of a table whose rows may have two targets, or the corners of a box. */
export function refuseCorners(place: string): never {
  const problem = "x1,y1,x2,y2 may be two targets, or two corners of a box";
  const box = "--columns left=x1,top=y1,right=x2,bottom=y2";
  refuse(place, problem, `give ${box} for boxes, or rename the columns of two targets a_x,a_y,b_x,b_y`);
}
