/** Detections as they arrive, row by row; parseDetections is the same for a file at once. */
import { quoted } from "../files/csv-cell.js";
import { type StreamEnd, streamTable } from "../files/csv-stream.js";
import type { TableRow } from "../files/csv-table.js";
import { shown } from "../files/refusal.js";
import { MOST_COLUMNS } from "./attribute-columns.js";
import { frameRule, positionRule, velocityRule } from "./detections.js";
import { type DetectionsMetadata, readMetadata } from "./detections-metadata.js";
import type { RowWarnings } from "./row-warnings.js";

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

const columns = { required: ["frame", "x", "y"], optional: ["target", "vx", "vy"] };

/** Reads detections piece by piece; rows before a defect are delivered before its InputError is thrown. */
export async function streamDetections(
  file: string,
  pieces: AsyncIterable<Buffer>,
  { velocities = false, carry = false, warnings, onStart, onRow, onPause }: DetectionStream,
): Promise<StreamEnd> {
  let carried: readonly string[] = [];
  return await streamTable(file, pieces, columns, {
    onHeader: (header) => {
      const others = [...new Set(header.ignored.map((name) => name.toLowerCase()))];
      carried = carry ? others.slice(0, MOST_COLUMNS) : [];
      const left = carry ? others.slice(MOST_COLUMNS) : header.ignored;
      onStart(readMetadata(file, header.comments), left, carried, header.has.has("target"));
    },
    onRow: (row) => {
      const { vx, vy } = velocities ? velocityOf(row) : NO_VELOCITY;
      const frame = row.number("frame", frameRule);
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
        carried: carried.length === 0 ? "" : carried.map((name) => `,${quoted(row.text(name))}`).join(""),
        line: row.line,
      });
    },
    onPause,
  });
}

const NO_VELOCITY = { vx: Number.NaN, vy: Number.NaN };

function velocityOf(row: TableRow): { vx: number; vy: number } {
  if (row.text("vx") === "" && row.text("vy") === "") return NO_VELOCITY;
  return { vx: row.number("vx", velocityRule), vy: row.number("vy", velocityRule) };
}

function targetOf(row: TableRow): string | null {
  const text = row.text("target").replace(/^([+-]?\d+)\.0*$/, "$1");
  if (text === "" || text === "-1") return null;
  if (/^[+-]?(nan|na|null|none|inf(inity)?)$/i.test(text)) {
    row.refuse(
      "target",
      `${shown(text)} is no target`,
      "give a number or a name, and leave it empty for a false detection",
    );
  }
  return text;
}
