import type { TableForm } from "../files/csv-table.js";
import { refuse, shown } from "../files/refusal.js";
import type { Role } from "./column-names.js";

export type DecimalMark = "point" | "comma";

/** Numbers in which a comma or a point can only be the decimal mark, or only stand between groups of three digits. */
const COMMA = /^[+-]?(\d*,\d{1,2}|\d*,\d{4,}|\d{4,},\d+|0*,\d+|0\d*,\d+|\d{1,3}(\.\d{3})+,\d*|\d*,\d*e[+-]?\d+)$/i;
const GROUPS_OF_COMMAS = /^[+-]?\d{1,3}((,\d{3})+\.\d*|(,\d{3}){2,})$/;
const POINT = /^[+-]?\d*\.\d+(e[+-]?\d+)?$/i;
/** A number that may be either: 1,234. */
const EITHER = /^[+-]?[1-9]\d{0,2},\d{3}$/;

/**
 * The decimal mark of a table.
 * @throws InputError where the numbers allow both and the user has not said
 */
export function decimalOf(
  place: string,
  rows: readonly (readonly string[])[],
  columnOf: ReadonlyMap<Role, number>,
  asked: DecimalMark | undefined,
): Pick<TableForm, "decimal" | "grouped"> {
  if (asked !== undefined) return { decimal: asked === "comma" ? "," : ".", grouped: true };
  const cells = rows.flat();
  const own = rows.flatMap((fields) => [...columnOf.values()].map((at) => fields[at] ?? ""));
  const isComma = cells.some((cell) => COMMA.test(cell));
  const hasPoint = own.some((cell) => POINT.test(cell));
  // Other columns may hold lists, so that they decide only where the columns of detections have neither mark.
  if (!own.some((cell) => cell.includes(","))) return { decimal: isComma && !hasPoint ? "," : ".", grouped: false };
  const isPoint = hasPoint || cells.some((cell) => GROUPS_OF_COMMAS.test(cell));
  if (isComma && !isPoint) return { decimal: ",", grouped: true };
  if (isPoint && !isComma) return { decimal: ".", grouped: true };
  const either = own.find((cell) => EITHER.test(cell)) ?? own.find((cell) => COMMA.test(cell));
  if (either === undefined) return { decimal: ".", grouped: false };
  const both = `${either.replaceAll(",", ".")} or ${either.replaceAll(",", "")}`;
  refuse(place, `${shown(either)} may mean ${both}`, "give --decimal comma or --decimal point");
}
