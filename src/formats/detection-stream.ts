/** Detections as they arrive, row by row; parseDetections is the same for a file at once. */

import { quoted } from "../files/csv-cell.js";
import { type Resumed, type RowPlace, type StreamEnd, streamTable, type TableStream } from "../files/csv-stream.js";
import type { TableRow } from "../files/csv-table.js";
import { refuse } from "../files/refusal.js";
import { MOST_COLUMNS } from "./attribute-columns.js";
import { refuseScale, requireUnitOfDepth } from "./depth.js";
import {
  depthRule,
  isDropped,
  labelOf,
  nothingDropped,
  otherUnit,
  positionRule,
  velocityOf,
  velocityRule,
} from "./detection-columns.js";
import { refuseOtherStep } from "./detection-times.js";
import { type DetectionsMetadata, readMetadata } from "./detections-metadata.js";
import { FrameCells, frameRule } from "./frame-cells.js";
import { type Reading, readingOf } from "./reading.js";
import { type ReadingOptions, refuseProperties, Z_SCALE } from "./reading-options.js";
import type { RowWarnings } from "./row-warnings.js";
import { type DetectionsForm, findForm } from "./table-form.js";
import { isFalseDetection } from "./target-labels.js";
import { DAY, type DateOrder, isClock, isDate, timeIn } from "./time-cells.js";

export interface DetectionRow {
  readonly frame: number;
  readonly x: number;
  readonly y: number;
  /** In units of x and y; 0 where there is no such column. */
  readonly z: number;
  /** True identity as in the file; null for a false detection, or where there is no such column. */
  readonly target: string | null;
  /** Measured velocity, NaN where there is none, or where velocities are not read. */
  readonly vx: number;
  readonly vy: number;
  readonly vz: number;
  /** Cells of the columns that are handed on, as CSV with a comma before each; empty without such columns. */
  readonly carried: string;
  /** Line of the file. */
  readonly line: number;
}

export interface DetectionStream {
  /** Told of each row, to warn the user. */
  readonly warnings?: RowWarnings;
  /** Whether velocities are read; else their columns may hold anything. */
  readonly velocities?: boolean;
  /** Whether positions may be in space; else a row whose z is not that of the first one is refused. */
  readonly space?: boolean;
  /** Whether columns that are not read are handed on, as many as whole recordings keep. */
  readonly carry?: boolean;
  readonly asked?: ReadingOptions;
  /** Called before the first row, with the metadata of the comments before the header, the columns that are not read and those handed on, and whether there are targets and depths. */
  onStart(
    metadata: DetectionsMetadata,
    ignored: readonly string[],
    carried: readonly string[],
    hasTargets: boolean,
    hasDepths: boolean,
  ): void;
  onRow(row: DetectionRow): void;
  /**
   * Called when all rows of a piece of input are done; the next piece may arrive much later.
   * @param place where the next row begins; null where reading cannot be resumed there
   */
  onPause(place: RowPlace | null): void | Promise<void>;
}

export interface DetectionStreamEnd extends StreamEnd {
  /** What was understood; null where no row came. */
  readonly reading: Reading | null;
}

const ROLES = new Set<string>(["frame", "x", "y", "vx", "vy", "target"]);

/** Reads detections piece by piece; rows before a defect are delivered before its InputError is thrown. */
export async function streamDetections(
  file: string,
  pieces: AsyncIterable<Buffer>,
  { velocities = false, space = false, carry = false, asked = {}, warnings, onStart, onRow, onPause }: DetectionStream,
  resumed: Resumed | null = null,
): Promise<DetectionStreamEnd> {
  refuseProperties(file, asked);
  let carried: readonly string[] = [];
  let form: DetectionsForm | null = null;
  let frames: StreamFrames | null = null;
  let depth: StreamDepth | null = null;
  let timeStep: Pick<Reading, "timeStep" | "timeStepFrom"> = { timeStep: 1, timeStepFrom: "assumed" };
  const dropped = nothingDropped();
  const table: TableStream<DetectionsForm> = {
    findForm: (head, isEnd) => findForm(file, head, asked, isEnd),
    onForm: (found) => {
      form = found;
      const metadata = metadataOf(file, found, asked);
      const other = velocities && found.isTimed && found.columnOf.has("vx") ? otherUnit(found) : null;
      if (other !== null) refuse(file, other, "convert one of them, or have the velocities estimated");
      timeStep = stepOf(metadata, asked);
      frames = new StreamFrames(file, found, metadata.timeStep, asked.dates);
      if (!found.columnOf.has("z")) refuseScale(file, asked);
      depth = found.columnOf.has("z") && asked.zScale !== 0 ? new StreamDepth(file, found, asked, space) : null;
      const hasDepths = depth !== null && space;
      const isPlaced = (name: string) => ROLES.has(name) || (hasDepths && (name === "z" || name === "vz"));
      const others = found.names.filter((name) => name !== "" && !isPlaced(name));
      carried = carry ? others.slice(0, MOST_COLUMNS) : [];
      const left = [...found.unread, ...(carry ? others.slice(MOST_COLUMNS) : others)];
      onStart(metadata, left, carried, found.columnOf.has("target"), hasDepths);
    },
    onRow: (row) => {
      if (form === null || frames === null || isDropped(row, form, dropped)) return;
      const z = depth?.of(row) ?? 0;
      const { vx, vy } = velocities ? velocityOf(row) : NO_VELOCITY;
      const vz = velocities && space && depth !== null ? depth.velocityOf(row) : Number.NaN;
      const frame = frames.of(row);
      const [x, y] = [row.number("x", positionRule), row.number("y", positionRule)];
      warnings?.addPlace(frame, x, y, z, row.line);
      onRow({
        frame,
        x,
        y,
        z,
        target: targetOf(row),
        vx,
        vy,
        vz,
        carried: carried.length === 0 ? "" : carried.map((name) => `,${quoted(row.plainText(name))}`).join(""),
        line: row.line,
      });
    },
    // Times count from the first one.
    onPause: (place) => onPause(form?.isTimed === true ? null : place),
  };
  const end = await streamTable(file, pieces, table, resumed);
  const reading = form && readingOf(form, "UTF-8", timeStep, dropped, asked, space && depth !== null);
  return { ...end, reading };
}

const NO_VELOCITY = { vx: Number.NaN, vy: Number.NaN };

/** The depths of rows as they come. */
class StreamDepth {
  readonly #scale: number;
  readonly #hasVelocity: boolean;
  #first: number | null = null;

  constructor(
    file: string,
    form: DetectionsForm,
    asked: ReadingOptions,
    private readonly space: boolean,
  ) {
    if (space) requireUnitOfDepth(`${file}, column ${labelOf(form, "z")}`, form, asked);
    this.#scale = asked.zScale ?? 1;
    this.#hasVelocity = form.columnOf.has("vz");
  }

  of(row: TableRow): number {
    const z = this.space ? row.number("z", depthRule) : row.numberOrMissing("z", depthRule);
    this.#first ??= z;
    if (!this.space && z !== this.#first && !Number.isNaN(z - this.#first))
      row.refuse(
        "z",
        `${z} comes after ${this.#first}: only positions in a plane are taken here`,
        `${Z_SCALE} 0 leaves z out`,
      );
    return this.#scale * z;
  }

  /** Along z; NaN where none was measured. */
  velocityOf(row: TableRow): number {
    return this.#hasVelocity ? this.#scale * row.numberOrMissing("vz", velocityRule) : Number.NaN;
  }
}

function metadataOf(file: string, form: DetectionsForm, { dt }: ReadingOptions): DetectionsMetadata {
  const metadata = readMetadata(file, form.comments);
  refuseOtherStep(file, metadata, dt ?? null);
  return { ...metadata, timeStep: dt ?? metadata.timeStep, unit: metadata.unit ?? form.unitOf.get("x") ?? null };
}

const stepOf = ({ timeStep }: DetectionsMetadata, { dt }: ReadingOptions) => ({
  timeStep: timeStep ?? 1,
  timeStepFrom: dt !== undefined ? "--dt" : timeStep !== null ? "stated" : "assumed",
});

/** The frames of rows as they come: times have a step only where it is stated, since those to come are not known. */
class StreamFrames {
  readonly #cells = new FrameCells();
  #first: number | null = null;
  #last = Number.NEGATIVE_INFINITY;
  #day = 0;

  constructor(
    private readonly file: string,
    private readonly form: DetectionsForm,
    private readonly timeStep: number | null,
    private readonly dates: DateOrder | undefined,
  ) {}

  of(row: TableRow): number {
    if (!this.form.isTimed) return this.#cells.of(row);
    const time = this.#day + timeIn(row, "frame", this.dates);
    if (this.timeStep === null) {
      if (!isDate(row.text("frame")) && Number.isInteger(time)) return row.number("frame", frameRule);
      const problem = `has times in the column ${labelOf(this.form, "time")}, whose step a stream does not show`;
      refuse(this.file, problem, "give it, as in --dt 0.5");
    }
    this.#first ??= time;
    // A clock that falls by more than half a day has passed midnight.
    const isNextDay = isClock(row.text("frame")) && time - this.#day < DAY && this.#last - time > DAY / 2;
    if (isNextDay) this.#day += DAY;
    this.#last = isNextDay ? time + DAY : time;
    const frame = Math.round((this.#last - this.#first) / this.timeStep);
    if (frame < 0) row.refuse("frame", `${row.text("frame")} comes before the first time`, "sort the rows by time");
    return frame;
  }
}

function targetOf(row: TableRow): string | null {
  const text = row.text("target").replace(/^([+-]?\d+)\.0*$/, "$1");
  return isFalseDetection(text) ? null : text;
}
