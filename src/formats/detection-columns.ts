import { GrowingArray } from "../core/growing-array.js";
import { isMissing, type NumberRule, type TableRow } from "../files/csv-table.js";
import { refuse } from "../files/refusal.js";
import { AttributeColumns } from "./attribute-columns.js";
import type { Role } from "./column-names.js";
import { FrameCells } from "./frame-cells.js";
import { type Dropped, LEAST_LIKELIHOOD } from "./reading.js";
import type { ReadingOptions } from "./reading-options.js";
import { RowWarnings } from "./row-warnings.js";
import type { DetectionsForm } from "./table-form.js";
import { TargetLabels } from "./target-labels.js";
import { TimeColumn } from "./time-cells.js";

/** Positions and velocities are below this in size. */
export const maxCoordinate = 1e15;

/**
 * Use of vx and vy. "if-complete": rows without them have NaN, with a note. "required": every row must have them. "ignored": they are not used,
 * but checked all the same.
 */
export type VelocityUse = "if-complete" | "required" | "ignored";

export const positionRule: NumberRule = {
  below: maxCoordinate,
  remedy: "give a finite position in a unit that keeps it below 1e15, or leave the row out",
};
export const velocityRule: NumberRule = {
  below: maxCoordinate,
  remedy: "give a finite velocity below 1e15, or leave vx and vy empty",
};
export const depthRule: NumberRule = {
  below: maxCoordinate,
  remedy: "give z in every row, or leave it out with --z-scale 0",
};
const velocityRemedy = "give vx and vy in every row, or have the velocities estimated or left out";

/** The name of a role's column in the file. */
export const labelOf = ({ columnOf, labels }: DetectionsForm, role: Role): string => {
  const at = columnOf.get(role);
  return at === undefined ? role : labels[at];
};

/** A row's velocity; NaN twice where either half of it is missing. */
export function velocityOf(row: TableRow): { vx: number; vy: number } {
  const [vx, vy] = [row.numberOrMissing("vx", velocityRule), row.numberOrMissing("vy", velocityRule)];
  return Number.isNaN(vx + vy) ? { vx: Number.NaN, vy: Number.NaN } : { vx, vy };
}

/** In place of a frame or time: rows that tables have below the others. */
const SUMMARY =
  /^(mean|average|avg|median|sd|std|st\.?dev\.?|stdev|min(imum)?|max(imum)?|sum|total|count|mittelwert|summe)\W*$/i;

/** Whether a row has no position, is a summary of others, or is the header once more; it is counted then. */
export function isDropped(row: TableRow, form: DetectionsForm, counts: Dropped): boolean {
  const [frame, x, y] = [row.text("frame"), row.text("x"), row.text("y")];
  const isUnlikely = form.points !== undefined && Number(row.plainText("likelihood") || 1) < LEAST_LIKELIHOOD;
  const isSummary = frame.charCodeAt(0) > 64 && SUMMARY.test(frame);
  if (isUnlikely || isSummary || isMissing(x) || isMissing(y)) {
    if (isUnlikely) counts.unlikely = (counts.unlikely ?? 0) + 1;
    if (isSummary) counts.summary = (counts.summary ?? 0) + 1;
    counts.rows++;
    counts.dropped++;
    counts.firstDropped ??= row.line;
    return true;
  }
  const isHeader = form.header !== null && x === labelOf(form, "x") && y === labelOf(form, "y");
  if (isHeader) counts.repeatedHeaders++;
  else counts.rows++;
  return isHeader;
}

export const nothingDropped = (): Dropped => ({ rows: 0, dropped: 0, repeatedHeaders: 0, firstDropped: null });

/** The numbers of a table of detections, by column and row. */
export interface DetectionRows {
  /** The numbers of the frames, or the times. */
  readonly frame: Float64Array | TimeColumn;
  /** The times that stand beside frames; null where there are none, or some are no times. */
  readonly time: Float64Array | null;
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** NaN where there is none; null where there is no such column, or it is left out. */
  readonly z: Float64Array | null;
  readonly vx: Float64Array;
  readonly vy: Float64Array;
  readonly vz: Float64Array | null;
  readonly line: Uint32Array;
}

/** Reads the rows of a table of detections. */
export class DetectionColumns {
  readonly target = new TargetLabels();
  readonly attributeColumns: AttributeColumns;
  readonly warnings = new RowWarnings();
  readonly dropped = nothingDropped();
  readonly #frame: GrowingArray<Float64Array> | TimeColumn;
  readonly #frames = new FrameCells();
  readonly #x = new GrowingArray(Float64Array);
  readonly #y = new GrowingArray(Float64Array);
  readonly #vx = new GrowingArray(Float64Array);
  readonly #vy = new GrowingArray(Float64Array);
  readonly #z: GrowingArray<Float64Array> | null;
  readonly #vz: GrowingArray<Float64Array> | null;
  readonly #line = new GrowingArray(Uint32Array);
  #time: GrowingArray<Float64Array> | null;

  constructor(
    private readonly form: DetectionsForm,
    { dates, zScale }: ReadingOptions,
  ) {
    const isDeep = form.columnOf.has("z") && zScale !== 0;
    this.#z = isDeep ? new GrowingArray(Float64Array) : null;
    this.#vz = isDeep && form.columnOf.has("vz") ? new GrowingArray(Float64Array) : null;
    this.#frame = form.isTimed ? new TimeColumn(dates) : new GrowingArray(Float64Array);
    this.attributeColumns = new AttributeColumns(form.unread);
    const isBeside = form.columnOf.has("time") && !form.isTimed;
    this.#time = isBeside ? new GrowingArray(Float64Array) : null;
  }

  add(row: TableRow): void {
    if (isDropped(row, this.form, this.dropped)) return;
    if (this.#frame instanceof TimeColumn) this.#frame.add(row);
    else this.#frame.push(this.#frames.of(row));
    this.#x.push(row.number("x", positionRule));
    this.#y.push(row.number("y", positionRule));
    const { vx, vy } = velocityOf(row);
    this.#vx.push(vx);
    this.#vy.push(vy);
    this.#z?.push(row.numberOrMissing("z", depthRule));
    this.#vz?.push(row.numberOrMissing("vz", velocityRule));
    this.#line.push(row.line);
    if (this.#time !== null) this.#addTime(row);
    this.target.add(row);
    this.attributeColumns.add(row);
  }

  /** Times beside frames may be anything: they are left out where one of them is no number. */
  #addTime(row: TableRow): void {
    const time = Number(row.plainText("time") || Number.NaN);
    if (Number.isFinite(time)) this.#time?.push(time);
    else this.#time = null;
  }

  get rows(): DetectionRows {
    const [x, y, time] = [this.#x.values, this.#y.values, this.#time?.values ?? null];
    const frame = this.#frame instanceof TimeColumn ? this.#frame : this.#frame.values;
    const [z, vz] = [this.#z?.values ?? null, this.#vz?.values ?? null];
    return { frame, time, x, y, z, vx: this.#vx.values, vy: this.#vy.values, vz, line: this.#line.values };
  }
}

/** The unit of time in the unit of a time or a velocity: ms of px/ms; null where it has none. */
const timeUnitOf = (unit = ""): string | null => {
  const [, last] = /(?:^|[/_])(s|sec|secs|seconds?|[mnuµμ]s|min|h|frame)$/i.exec(unit.trim()) ?? [];
  return last === undefined ? null : /^sec/i.test(last) ? "s" : last;
};

/** Why velocities do not fit to a time step that is in the unit of the column of times; null where they do, or no unit is known. */
export function otherUnit({ unitOf }: DetectionsForm): string | null {
  const [time, velocity] = [timeUnitOf(unitOf.get("time")), timeUnitOf(unitOf.get("vx"))];
  if (time === null || time === (velocity ?? "s")) return null;
  return `times are in ${time}, and velocities ${velocity === null ? "say no unit" : `are per ${velocity}`}`;
}

/**
 * Whether the rows' velocities are used; refuses a file that lacks required ones.
 * @param isOfColumn whether the time between frames is in the unit of the column of times
 * @param isDeep whether positions are in space: velocities are then, too
 */
export function useVelocities(
  file: string,
  form: DetectionsForm,
  { line, vx, vz }: DetectionRows,
  wanted: VelocityUse,
  isOfColumn: boolean,
  isDeep: boolean,
  notes: string[],
): boolean {
  if (wanted === "ignored") return false;
  const { columnOf } = form;
  for (const [one, other] of [
    ["vx", "vy"],
    ["vy", "vx"],
  ] as const) {
    if (columnOf.has(one) && !columnOf.has(other)) {
      refuse(file, `has a column ${one} but no ${other}`, `add ${other} or remove ${one}`);
    }
  }
  if (isDeep && columnOf.has("vx")) {
    const problem = "positions have z, and velocities no column vz";
    if (vz === null && wanted === "required") refuse(file, problem, "add vz, or have the velocities estimated");
    if (vz === null) {
      notes.push(`Velocities are not used: ${problem}.`);
      return false;
    }
    vx.forEach((_, row) => {
      if (Number.isNaN(vz[row])) vx[row] = Number.NaN;
    });
  }
  const total = line.length;
  const without = vx.reduce((sum, value) => sum + (Number.isNaN(value) ? 1 : 0), 0);
  const firstWithout = line[vx.findIndex(Number.isNaN)];
  const other = columnOf.has("vx") && isOfColumn ? otherUnit(form) : null;
  if (other !== null) {
    const remedy = `convert one of them${form.isTimed ? "" : ", or give --dt in the unit of the velocities"}`;
    if (wanted === "required") refuse(file, other, remedy);
    notes.push(`Velocities are not used: ${other}. To use them, ${remedy}.`);
    return false;
  }
  if (without === 0) return true;
  if (wanted === "required") {
    if (!columnOf.has("vx")) refuse(file, "has no columns vx and vy", velocityRemedy);
    refuse(`${file}:${firstWithout}, column vx`, "has no velocity", velocityRemedy);
  }
  if (without < total) {
    const first = `the first on line ${firstWithout}`;
    notes.push(`Velocities are estimated in ${without} of ${total} rows, where vx or vy is missing, ${first}.`);
    return true;
  }
  if (columnOf.has("vx")) notes.push("Columns vx and vy are empty: no velocities.");
  return false;
}
