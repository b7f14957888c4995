/** Detections as they arrive, row by row; parseDetections is the same for a file at once. */

import { quoted } from "../files/csv-cell.js";
import { type StreamEnd, streamTable } from "../files/csv-stream.js";
import type { TableRow } from "../files/csv-table.js";
import { refuse } from "../files/refusal.js";
import { MOST_COLUMNS } from "./attribute-columns.js";
import { isDropped, labelOf, nothingDropped, otherUnit, positionRule, velocityOf } from "./detection-columns.js";
import { refuseOtherStep } from "./detection-times.js";
import { type DetectionsMetadata, readMetadata } from "./detections-metadata.js";
import { FrameCells, frameRule } from "./frame-cells.js";
import { type Reading, readingOf } from "./reading.js";
import type { ReadingOptions } from "./reading-options.js";
import type { RowWarnings } from "./row-warnings.js";
import { type DetectionsForm, findForm } from "./table-form.js";
import { isFalseDetection } from "./target-labels.js";
import { DAY, type DateOrder, isClock, isDate, timeIn } from "./time-cells.js";

export interface DetectionRow {
  readonly frame: number;
  readonly x: number;
  readonly y: number;
  /** True identity as in the file; null for a false detection, or where there is no such column. */
  readonly target: string | null;
  /** Measured velocity, NaN where there is none, or where velocities are not read. */
  readonly vx: number;
  readonly vy: number;
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
  /** Whether columns that are not read are handed on, as many as whole recordings keep. */
  readonly carry?: boolean;
  readonly asked?: ReadingOptions;
  /** Called before the first row, with the metadata of the comments before the header, the columns that are not read and those handed on, and whether there are targets. */
  onStart(
    metadata: DetectionsMetadata,
    ignored: readonly string[],
    carried: readonly string[],
    hasTargets: boolean,
  ): void;
  onRow(row: DetectionRow): void;
  /** Called when all rows of a piece of input are done; the next piece may arrive much later. */
  onPause(): void | Promise<void>;
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
  { velocities = false, carry = false, asked = {}, warnings, onStart, onRow, onPause }: DetectionStream,
): Promise<DetectionStreamEnd> {
  let carried: readonly string[] = [];
  let form: DetectionsForm | null = null;
  let frames: StreamFrames | null = null;
  let timeStep: Pick<Reading, "timeStep" | "timeStepFrom"> = { timeStep: 1, timeStepFrom: "assumed" };
  const dropped = nothingDropped();
  const end = await streamTable<DetectionsForm>(file, pieces, {
    findForm: (head, isEnd) => findForm(file, head, asked, isEnd),
    onForm: (found) => {
      form = found;
      const metadata = metadataOf(file, found, asked);
      const other = velocities && found.isTimed && found.columnOf.has("vx") ? otherUnit(found) : null;
      if (other !== null) refuse(file, other, "convert one of them, or have the velocities estimated");
      timeStep = stepOf(metadata, asked);
      frames = new StreamFrames(file, found, metadata.timeStep, asked.dates);
      const others = found.names.filter((name) => name !== "" && !ROLES.has(name));
      carried = carry ? others.slice(0, MOST_COLUMNS) : [];
      const left = [...found.unread, ...(carry ? others.slice(MOST_COLUMNS) : others)];
      onStart(metadata, left, carried, found.columnOf.has("target"));
    },
    onRow: (row) => {
      if (form === null || frames === null || isDropped(row, form, dropped)) return;
      const { vx, vy } = velocities ? velocityOf(row) : NO_VELOCITY;
      const frame = frames.of(row);
      const [x, y] = [row.number("x", positionRule), row.number("y", positionRule)];
      warnings?.addRow(row);
      warnings?.addPlace(frame, x, y, row.line);
      onRow({
        frame,
        x,
        y,
        target: targetOf(row),
        vx,
        vy,
        carried: carried.length === 0 ? "" : carried.map((name) => `,${quoted(row.plainText(name))}`).join(""),
        line: row.line,
      });
    },
    onPause,
  });
  const reading = form && readingOf(form, "UTF-8", timeStep, dropped, asked);
  return { ...end, reading };
}

const NO_VELOCITY = { vx: Number.NaN, vy: Number.NaN };

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
