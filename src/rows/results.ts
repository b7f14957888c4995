import {
  accessSync,
  appendFileSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { invariant } from "../core/errors.js";
import { parseJson } from "../files/json-file.js";
import { oneLine, refuse, withFile } from "../files/refusal.js";
import { plainText, readBytes } from "../files/text-file.js";
import { ensureFolder, refuseOtherThanFile } from "../files/whole-file.js";
import { readingSchema } from "../formats/reading.js";
import { LINEAGE_NAMES, type LineageMetric } from "../scores/lineages.js";
import { METRIC_NAMES, type MetricName } from "../scores/metrics.js";
import { type Measurement, made } from "./measurement.js";

const count = z.int().min(0);
const seconds = z.number().min(0);
const percent = z.number().min(0);

/** Margin, in units of cost, below which a link is counted as weak. */
export const WEAK_MARGIN = 1;

/** Digest of all that decides a run's result. */
export const runKey = z.string().regex(/^[0-9a-f]{32}$/, "give 32 hexadecimal digits");

/** By metric, in its unit (src/scores/metrics.ts); rows older than a metric lack it. */
export const score = Object.fromEntries(METRIC_NAMES.map((name) => [name, z.number().nullable().optional()])) as Record<
  MetricName,
  z.ZodOptional<z.ZodNullable<z.ZodNumber>>
>;

const ofLineages = Object.fromEntries(LINEAGE_NAMES.map((name) => [name, percent.nullable()])) as Record<
  LineageMetric,
  z.ZodNullable<z.ZodNumber>
>;

/**
 * One run. JSON has no infinities and no NaN: a bound, gap or score that is not known, or not finite, is null. Seconds for
 * all times, percent for the gap and the scores.
 */
export const resultRow = z.strictObject({
  /** Scenario's name, or the input file's. */
  name: z.string(),
  /** How the run ended, as the solver puts it; "failed" where it was refused or ended by an error. */
  status: z.string().min(1),
  lowerBound: z.number().nullable(),
  upperBound: z.number().nullable(),
  gapPercent: percent.nullable(),
  /** All costs are multiples of it, so the lower bound was rounded up to one; absent where they have none, and from older rows. */
  grain: z.number().positive().optional(),
  iterations: count,
  ascent: z.string(),
  /** `hosts` of the shards, in order, where an ascent ran on several. */
  device: z.strictObject({
    ...{ requested: z.string(), actual: z.string(), why: z.string().optional() },
    hosts: z.array(z.string()).optional(),
  }),
  /** On a GPU, the frame pairs whose X-LAPs each kind of kernel solved; absent from older rows, where all were block Hungarian. */
  xLaps: z.strictObject({ sparse: count, blockHungarian: count }).optional(),
  /** Of the ascent; the bounds, tracks and scores are f64 always. */
  precision: z.enum(["f64", "f32"]),
  threads: count,
  frames: count,
  /** Of the frames in the input and in tracks.csv, where they are not 0, 1, 2, …; absent from older rows. */
  frameNumbers: z.strictObject({ first: count, step: z.int().min(1) }).optional(),
  /** What was understood of a file of detections; absent from older rows. */
  reading: readingSchema.optional(),
  /** Length unit of the positions; absent where it is not stated, and from older rows. */
  unit: z.string().optional(),
  detections: count,
  edges: count,
  triplets: count,
  /** How the triplets were held; absent from older rows. */
  storage: z.enum(["implicit", "csr"]).optional(),
  /**
   * Links of the tracks, those that are proved to be in every optimal set of tracks, and those whose margin is below 1. null where there
   * are no tracks or too many triplets for margins; absent from older rows.
   */
  links: z.strictObject({ total: count, sure: count, weak: count }).nullable().optional(),
  /**
   * The tracks, those of one detection among them, and the median number of detections of a track (of an even number of tracks the lower middle
   * one), of all and of those of two or more; and the targets that divide into two tracks, where any do. null where there are no tracks; absent from older rows.
   */
  tracks: z
    .strictObject({
      count,
      singles: count,
      medianLength: count,
      medianLinked: count.optional(),
      divisions: count.optional(),
    })
    .nullable()
    .optional(),
  /**
   * How an exact solve went: the solver of its linear programs, on which no proof rests, how it ended, the cuts with multipliers and the
   * leaves of the tree. null where there was none; absent from older rows. closed: the bounds meet as far as they can. large: the core has too many triplets. time: the
   * time was over, or the run interrupted. still: what it may do by default, or its leaves, were at an end. fruitless: as much work as the ascent's closed no tenth of the gap.
   * failed: a linear program was not solved.
   */
  exact: z
    .strictObject({
      solver: z.string(),
      outcome: z.enum(["closed", "large", "time", "still", "fruitless", "failed"]),
      cuts: count,
      leaves: count,
    })
    .nullable()
    .optional(),
  /** null where true identities are unknown. */
  scores: z.strictObject(score).nullable(),
  /** Scores of who is whose daughter (src/scores/lineages.ts), in percent; absent where the input names no mothers, and from older rows. */
  lineages: z.strictObject(ofLineages).optional(),
  /** Passes made and numbers of the motion model that came out, where the cost is estimated from tracks. */
  motion: z.record(z.string(), z.number()).optional(),
  /** Where the cost is estimated: the choices that were made, and the estimates with their sources, a line each; absent from older rows. */
  choices: z.record(z.string(), z.string()).optional(),
  estimates: z.array(z.string()).optional(),
  /**
   * Where the recording was solved in windows (docs/how-to/long-recordings.md): frames of each, beyond it on either side, and learned from; and how many
   * of them workers of a queue solved.
   */
  windows: z
    .strictObject({ count, frames: count, overlap: count, learned: count, delay: count, queued: count.optional() })
    .optional(),
  /** By phase. */
  times: z.record(z.string(), seconds),
  /** null where nothing was drawn. */
  seed: count.nullable(),
  /** The scenario with its defaults applied, or other data that repeats the run; null where the name is enough. */
  scenario: z.json().nullable(),
  /** When the ascent had to stop; absent from older rows. */
  stop: z
    .strictObject({
      gapPercent: percent,
      iterations: count,
      seconds: seconds.nullable(),
      risePercent: percent.optional(),
      /** A difference of the bounds at which it might stop as well, in nats. */
      nats: z.number().min(0).optional(),
    })
    .optional(),
  /** Which run of which sweep this is: the key identifies the run, and the values are its place in the design. */
  sweep: z.strictObject({ name: z.string(), key: runKey, values: z.record(z.string(), z.json()) }).optional(),
  /** Why a run failed; its bounds are null then, and its counts and times are not known. */
  error: z.string().optional(),
  /** Assumptions, estimates and omissions, a sentence each. */
  notes: z.array(z.string()),
  ...made.shape,
});

export type ResultRow = z.infer<typeof resultRow>;

/** A run's row as reports read it, with any further fields that its writer added. */
export const runRow = z.looseObject(resultRow.shape);

export type RunRow = z.infer<typeof runRow>;

/** The number, or null where JSON cannot hold it. */
export function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** The row as one line of JSON, without a line end. */
export function formatRow(row: ResultRow): string {
  const checked = resultRow.safeParse(row);
  invariant(
    checked.success,
    () => `result row: ${checked.error?.issues[0].path.join(".")} ${checked.error?.issues[0].message}`,
  );
  return oneLine(JSON.stringify(checked.data));
}

/** Appends one row to a JSON Lines file, creating it and its folder; rows already there are never touched. */
export function appendRow(file: string, row: ResultRow): void {
  appendLine(file, formatRow(row));
}

/** appendRow for a measurement, checked by the schema of its benchmark first. */
export function appendMeasurement<Row extends Measurement>(file: string, schema: z.ZodType<Row>, row: Row): void {
  appendLine(file, JSON.stringify(schema.parse(row)));
}

function appendLine(file: string, line: string): void {
  ensureFolder(dirname(file));
  withFile(file, () => {
    const descriptor = openSync(file, "a");
    let replaced: boolean;
    try {
      writeSync(descriptor, `${endsMidLine(file) ? "\n" : ""}${line}\n`);
      replaced = statSync(file, { throwIfNoEntry: false })?.ino !== fstatSync(descriptor).ino;
    } finally {
      closeSync(descriptor);
    }
    // A sweep that opened the file put its copy there meanwhile, with this line or without.
    if (replaced && !readFileSync(file, "utf8").split("\n").includes(line)) appendFileSync(file, `${line}\n`);
  });
}

/** Makes sure that appendRow can write there, without making the file. */
export function ensureAppendable(file: string): void {
  if (!existsSync(file)) {
    ensureFolder(dirname(file));
    return;
  }
  withFile(file, () => {
    refuseOtherThanFile(file);
    accessSync(file, constants.W_OK);
  });
}

/** Whether an interrupted write left a last line without its end. */
function endsMidLine(file: string): boolean {
  const descriptor = openSync(file, "a+");
  try {
    const { size } = fstatSync(descriptor);
    const last = Buffer.alloc(1);
    return size > 0 && readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] !== 10;
  } finally {
    closeSync(descriptor);
  }
}

/** Reads all rows of a JSON Lines file; a line that is no row is an InputError naming it. */
export function readRows(file: string): ResultRow[] {
  const rows = placedRows(file, readBytes(file)).map(({ row }) => row);
  if (rows.length === 0) refuse(file, "holds no result rows", "name a file that rmap wrote with --json or bench");
  return rows;
}

/** readRows on the bytes of a file, which may hold none. */
export function placedRows(file: string, bytes: Uint8Array): Placed<ResultRow>[] {
  return rowsOf(file, bytes, () => resultRow);
}

/** A row and its place in the files. */
export interface Placed<Row> {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly row: Row;
}

/** The JSON values of lines that are not blank, each by the schema that `schemaOf` has for it; undefined is given for a line that is no JSON. */
export function rowsOf<Row>(
  file: string,
  bytes: Uint8Array,
  schemaOf: (value: unknown) => z.ZodType<Row>,
): Placed<Row>[] {
  const lines = plainText(file, bytes).toString("utf8").split(/\r?\n/);
  return lines.flatMap((text, n) => (text.trim() === "" ? [] : [rowOf(file, n + 1, text, schemaOf)]));
}

/** The row that is the JSON `text`, which begins on that line of the file. */
export function rowOf<Row>(
  file: string,
  line: number,
  text: string,
  schemaOf: (value: unknown) => z.ZodType<Row>,
): Placed<Row> {
  const value = parsed(text);
  const schema = schemaOf(value);
  const { success, data } = schema.safeParse(value);
  // Blank lines are put before it so that messages name the right line.
  const row = success ? data : parseJson(file, Buffer.from("\n".repeat(line - 1) + text), schema);
  return { file, line, row };
}

/** undefined for text that is no JSON; reading it by the schema then gives the reason. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
