/** Rows that hold more than their cells: the centre of a box, or a frame by their order. */
import { isMissing, isNumber, type TableForm, withPoint } from "../files/csv-table.js";
import { ROW, type Role } from "./column-names.js";

/** The columns of a table as they are read, which may be others than those of the file. */
export interface LongForm {
  readonly labels: readonly string[];
  readonly columnOf: ReadonlyMap<Role, number>;
  readonly unfold?: TableForm["unfold"];
  /** The names of the points, where each row has several. */
  readonly points?: readonly string[];
}

/** The columns of the box and its centre take the place of those that it was found in. */
export function boxFormOf(
  box: ReadonlyMap<Role, number>,
  { labels, columnOf }: LongForm,
  { decimal, grouped }: Pick<TableForm, "decimal" | "grouped">,
): LongForm {
  const at = (role: Role) => box.get(role) as number;
  const isCorner = box.has("right") && box.has("bottom");
  const ends = isCorner ? [at("right"), at("bottom")] : [at("width"), at("height")];
  const own = new Set([at("left"), at("top"), ...ends]);
  const common = labels.flatMap((_, column) => (own.has(column) ? [] : [column]));
  const first = common.length;
  const others = [...columnOf].flatMap(([role, column]) => {
    const place = common.indexOf(column);
    return place < 0 || role === "x" || role === "y" || box.has(role) ? [] : [[role, place] as const];
  });
  /** Centre, corner and size on an axis; a cell that is no number stays, to be refused, and an empty one has no position. */
  const along = (fields: readonly string[], from: number, to: number): readonly string[] => {
    const cells = [fields[from], fields[to]].map((cell) => withPoint(cell, decimal, grouped));
    if (cells.some(isMissing)) return ["", "", ""];
    const other = cells.find((cell) => !isNumber(cell));
    if (other !== undefined) return [other, "", ""];
    const [corner, end] = cells.map(Number);
    const size = isCorner ? end - corner : end;
    return [String(isCorner ? (corner + end) / 2 : corner + size / 2), String(corner), String(size)];
  };
  const centre = (from: number, to: number) => `centre of ${labels[from]}, ${labels[to]}`;
  return {
    labels: [
      ...common.map((column) => labels[column]),
      centre(at("left"), ends[0]),
      centre(at("top"), ends[1]),
      ...["left", "top", "width", "height"],
    ],
    columnOf: new Map([...others, ["x", first], ["y", first + 1]]),
    unfold: {
      width: labels.length,
      rowsOf: (fields) => {
        const [x, left, width] = along(fields, at("left"), ends[0]);
        const [y, top, height] = along(fields, at("top"), ends[1]);
        return [[...common.map((column) => fields[column]), x, y, left, top, width, height]];
      },
    },
  };
}

/** Each record of the file is a frame of its own, in their order. */
export function countedForm({ labels, columnOf, unfold, points }: LongForm): LongForm {
  let record = 0;
  return {
    labels: [...labels, ROW],
    columnOf: new Map([...columnOf, ["frame", labels.length]]),
    unfold: {
      width: unfold?.width ?? labels.length,
      rowsOf: (fields) => {
        const number = String(record++);
        return (unfold?.rowsOf(fields) ?? [fields]).map((row) => [...row, number]);
      },
    },
    ...(points && { points }),
  };
}
