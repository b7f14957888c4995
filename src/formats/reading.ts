/** What was understood of a file of detections. */
import { z } from "zod";
import type { Encoding } from "../files/encoding.js";
import type { Role } from "./column-names.js";
import { asWord } from "./header-refusals.js";
import { optionsKept, type ReadingOptions, readingOptions } from "./reading-options.js";
import { READ } from "./row-warnings.js";
import type { DetectionsForm } from "./table-form.js";

const TABLE = "a table";

/** Points of a table that states likelihoods are left out below this: DeepLabCut's own limit (pcutoff). */
export const LEAST_LIKELIHOOD = 0.6;

const count = z.int().min(0);

/** As result.json has it. */
export const readingSchema = z.strictObject({
  format: z.string(),
  encoding: z.string(),
  separator: z.enum([",", ";", "\t", "|", " "]),
  decimal: z.enum([".", ","]),
  /** Name in the file of each column that was used, by what it is. */
  columns: z.record(z.string(), z.string()),
  units: z.record(z.string(), z.string()).optional(),
  /** Lines before and below the header that were skipped. */
  skippedLines: count,
  /** Whether frames are counted from the first time, and so have numbers that are not in the file. */
  framesCounted: z.boolean().optional(),
  timeStep: z.number(),
  /** Where the time step is from: stated, assumed, --dt, a proof or scenario, or a column. */
  timeStepFrom: z.string(),
  rows: count,
  /** Rows without a position, and headers that stand again between rows; `firstDropped` is the line of the first. */
  dropped: count,
  repeatedHeaders: count,
  /** Of those dropped, the points of a likelihood below `LEAST_LIKELIHOOD`. */
  unlikely: count.optional(),
  /** Of those dropped, the rows that say Mean, SD or the like in place of a frame. */
  summary: count.optional(),
  /** The names of the points, where each row has several: rows are points then. */
  points: z.array(z.string()).optional(),
  /** Columns in pairs of x and y that are not taken for points, as their names are those of errors, sizes and the like. */
  noPoints: z.array(z.string()).optional(),
  firstDropped: count.nullable(),
  /** The options by which the file was read. */
  options: readingOptions.optional(),
});

export type Reading = z.infer<typeof readingSchema>;

/** Rows that were not read as detections. */
export interface Dropped {
  rows: number;
  dropped: number;
  repeatedHeaders: number;
  unlikely?: number;
  summary?: number;
  firstDropped: number | null;
}

export function readingOf(
  form: DetectionsForm,
  encoding: Encoding,
  step: Pick<Reading, "timeStep" | "timeStepFrom">,
  dropped: Dropped,
  asked: ReadingOptions,
  isDeep: boolean,
): Reading {
  const isUsed = (role: Role) => isDeep || (role !== "z" && role !== "vz");
  const used = [...form.columnOf].filter(([role]) => isUsed(role));
  const labelled = used.map(([role, at]) => [role, form.labels[at]] as const);
  return {
    format: TABLE,
    encoding,
    separator: form.separator,
    decimal: form.decimal,
    columns: Object.fromEntries(labelled),
    ...(form.unitOf.size > 0 && { units: Object.fromEntries(form.unitOf) }),
    skippedLines: form.preamble + form.moreHeader,
    ...step,
    ...dropped,
    ...(form.points && { points: [...form.points] }),
    ...(form.noPoints && { noPoints: [...form.noPoints] }),
    ...optionsKept(asked),
  };
}

const SEPARATORS = { ",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "blanks" } as const;
const SHOWN: readonly Role[] = ["frame", "time", "x", "y", "z", "vx", "vy", "vz", "target"];

/** Whether the table is as rmap writes tables itself, so that nothing had to be understood. */
function isPlain(reading: Reading, isTracks: boolean): boolean {
  const { format, encoding, separator, decimal, columns, skippedLines, dropped, repeatedHeaders, timeStepFrom } =
    reading;
  const isNamed = Object.entries(columns).every(
    ([role, label]) => role !== "time" && label.toLowerCase() === nameOfRole(role, isTracks),
  );
  const isDropped = dropped + repeatedHeaders > 0;
  const isStated = timeStepFrom === "stated" || timeStepFrom === "assumed";
  return (
    format === TABLE &&
    encoding === "UTF-8" &&
    separator === "," &&
    decimal === "." &&
    isNamed &&
    skippedLines === 0 &&
    !isDropped &&
    isStated
  );
}

/** The targets of a file of tracks are its tracks. */
const nameOfRole = (role: string, isTracks: boolean) => (role === "target" && isTracks ? "track" : role);

/** The one line for the user; null where the table is as rmap writes it. */
function describeReading(reading: Reading, isTracks: boolean): string | null {
  if (isPlain(reading, isTracks)) return null;
  const { format, encoding, separator, decimal, columns, units = {}, skippedLines, timeStep, timeStepFrom } = reading;
  const { rows, dropped, repeatedHeaders, firstDropped, unlikely = 0, summary = 0 } = reading;
  const marks = `${decimal === "," ? " and decimal commas" : ""}${encoding === "UTF-8" ? "" : `, in ${encoding}`}`;
  const shownRoles = SHOWN.filter((role) => columns[role] !== undefined);
  const names = shownRoles.map((role) => {
    const unit = units[role] === undefined || columns[role].includes(units[role]) ? "" : ` in ${units[role]}`;
    const name = nameOfRole(role, isTracks);
    return columns[role] === name && unit === "" ? name : `${name} = ${columns[role]}${unit}`;
  });
  const step = timeStepFrom === "stated" ? "" : timeStepFrom === "assumed" ? " assumed" : ` from ${timeStepFrom}`;
  const row = reading.points === undefined ? "row" : "point";
  const doubted = unlikely === 0 ? "" : ` or, ${unlikely} of them, a likelihood below ${LEAST_LIKELIHOOD}`;
  const why =
    summary === dropped
      ? "which summarise others"
      : `which have no position${doubted}${summary === 0 ? "" : ` or, ${summary} of them, summarise others`}`;
  const parts = [
    `${format}${format === TABLE ? ` with ${SEPARATORS[separator]}${marks}` : ""}: ${names.join(", ")}`,
    ...(skippedLines > 0
      ? [`${skippedLines} further ${skippedLines === 1 ? "line" : "lines"} around its header skipped`]
      : []),
    ...(isTracks ? [] : [`time step ${Number(timeStep.toPrecision(6))}${step}`]),
    ...(repeatedHeaders > 0
      ? [`the header stands ${repeatedHeaders === 1 ? "once more" : `${repeatedHeaders} more times`} between rows`]
      : []),
    dropped === 0
      ? `no ${row} dropped`
      : `${dropped} of ${rows} ${row}s dropped, ${why}, the first on line ${firstDropped}`,
  ];
  return `${READ}${parts.join("; ")}.`;
}

/** Said where nothing tells the time between two frames. */
const STEP_ASSUMED = "No dt in the first comment line: time step 1 assumed.";

/** What was understood, for the user. */
export function notesOfReading(reading: Reading, isTracks = false): string[] {
  const said = describeReading(reading, isTracks);
  const target = reading.columns.target ?? "target";
  const isOther = !isTracks && target.toLowerCase() !== "target";
  const { points, noPoints } = reading;
  if (points !== undefined && said !== null)
    return [said, ...noteOfPoints(reading, points), ...(noPoints === undefined ? [] : [noteOfOthers(noPoints)])];
  return [
    ...(said !== null ? [said] : reading.timeStepFrom === "assumed" ? [STEP_ASSUMED] : []),
    ...(isOther ? [`The column ${target} counts as the true targets: scores compare with it.`] : []),
  ];
}

/** Said of pairs of x and y that are no points by their names. */
const noteOfOthers = (labels: readonly string[]) =>
  `No points, by their names: ${labels.join(", ")} (one alone as the position: --columns ${asWord(`x=${labels[0]},y=${labels[1]}`)}).`;

/** Said of a table with several points in each row. */
function noteOfPoints({ columns }: Reading, points: readonly string[]): string[] {
  if (points.length === 1) return [];
  const [x, y] = [columns.x, columns.y].map((labels) => labels.split(", ", 1)[0]);
  const targets = columns.target === undefined ? "" : "; their names count as the true targets";
  const one = asWord(`x=${x},y=${y}`);
  return [
    `Each row has ${points.length} points, each of which is a detection${targets} (one alone: --columns ${one}).`,
  ];
}
