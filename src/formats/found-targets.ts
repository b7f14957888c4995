/** Detections with velocities and scores as CSV, and the truth that they are scored against. */
import type { FoundTarget, TrueTarget } from "../core/found-target.js";
import { readTable } from "../files/csv-table.js";
import { refuse } from "../files/refusal.js";
import { readBytes } from "../files/text-file.js";

export interface FoundRows {
  /** Number of the image, counted from 0. */
  readonly frame: number;
  readonly detections: readonly FoundTarget[];
  /** Target of each detection, −1 for a false one; or left out. */
  readonly target?: readonly number[];
}

/**
 * Rows frame,x,y,vx,vy,score[,target] below one line of key=value pairs, vx and vy empty where no velocity was measured. `frame` is the number of
 * the image, counted from 0; where outputs are `step` images apart the line says step.
 * @param perFrame time between images, by which velocities are divided: 1 leaves them in pixels a frame
 */
export function* formatFoundTargets(
  frames: readonly FoundRows[],
  metadata: Iterable<readonly [key: string, value: string | number]>,
  perFrame = 1,
): Generator<string> {
  yield `# ${Array.from(metadata, ([key, value]) => `${key}=${value}`).join(" ")}\n`;
  const labelled = frames.some(({ target }) => target !== undefined);
  yield `frame,x,y,vx,vy,score${labelled ? ",target" : ""}\n`;
  for (const { frame, detections, target } of frames) {
    for (const [n, { x, y, vx, vy, score }] of detections.entries()) {
      const cells = [
        frame,
        shortest(x),
        shortest(y),
        shortest(vx / perFrame),
        shortest(vy / perFrame),
        score.toFixed(4),
      ];
      yield `${cells.join(",")}${target === undefined ? "" : `,${target[n]}`}\n`;
    }
  }
}

/** At most seven digits, without trailing zeros; empty for NaN. */
const shortest = (value: number) => (Number.isNaN(value) ? "" : String(Number(value.toPrecision(7))));

const columns = { required: ["frame", "x", "y", "vx", "vy", "target"], optional: ["snr"] };
const place = { below: 1e15, remedy: "give a number of pixels" };
const whole = { integer: true, below: 2 ** 31 };

/**
 * Reads a truth file: frame,x,y,vx,vy,target[,snr], a row for each target in each frame that it is in; frames count from 0.
 * @throws InputError also for a file of an earlier rmap, whose frames count from 1
 */
export function readTruth(file: string): TrueTarget[] {
  const rows: TrueTarget[] = [];
  const { comments } = readTable(file, readBytes(file), columns, (row) => {
    rows.push({
      frame: row.number("frame", { ...whole, min: 0, remedy: "number the frames 0, 1, 2, …" }),
      x: row.number("x", place),
      y: row.number("y", place),
      vx: row.number("vx", place),
      vy: row.number("vy", place),
      target: row.number("target", { ...whole, min: 0, remedy: "number the targets 0, 1, 2, …" }),
      snr: row.text("snr") === "" ? null : row.number("snr", { below: 1e15, remedy: "give peak over σ, or nothing" }),
    });
  });
  const drawn = comments.find(({ text }) => /(^|\s)scene=/.test(text));
  if (drawn !== undefined && !/(^|\s)frames=/.test(drawn.text)) {
    refuse(
      `${file}:${drawn.line}`,
      "says no frames=: its frames count from 1, as they once did",
      "render the scene again",
    );
  }
  return rows;
}

export function* formatTruth(truth: readonly TrueTarget[], metadata: string): Generator<string> {
  yield `# ${metadata}\nframe,x,y,vx,vy,target,snr\n`;
  for (const { frame, x, y, vx, vy, target, snr } of truth) {
    yield `${[frame, shortest(x), shortest(y), shortest(vx), shortest(vy), target, snr ?? ""].join(",")}\n`;
  }
}

/** Reads motion vectors: a table with the columns vx,vy. */
export function readVectors(file: string): { x: number; y: number }[] {
  const vectors: { x: number; y: number }[] = [];
  const rule = { below: 1e4, remedy: "give pixels a frame, below 10000" };
  readTable(file, readBytes(file), { required: ["vx", "vy"], optional: [] }, (row) => {
    vectors.push({ x: row.number("vx", rule), y: row.number("vy", rule) });
  });
  return vectors;
}
