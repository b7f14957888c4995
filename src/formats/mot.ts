import { decodeText } from "../files/encoding.js";
import { refuse, shown } from "../files/refusal.js";
import type { VelocityUse } from "./detection-columns.js";
import { type DetectionsFile, parseDetections, type ReadingSource } from "./detections.js";
import { BOX, type PlacedTracks } from "./tracks.js";

/**
 * The text of the MOTChallenge (motchallenge.net): a line per detection without a header,
 *
 *     frame, id, left, top, width, height, confidence[, x, y, z | class, visibility]
 *
 * frames from 1, id −1 where it is unknown. Boxes are in pixels; a line whose box is −1, −1, −1, −1 has its position in x and y.
 */
const FIELDS = { least: 6, most: 10 };
const COLUMNS = ["frame", "id", "left", "top", "width", "height", "confidence", "x", "y", "z"];

/** Some programs write a header above it. */
const HEADER = /^\W*frame\w*,\s*\w*id,\s*(bb_?)?left,\s*(bb_?)?top,\s*(bb_?)?w(idth)?,\s*(bb_?)?h(eight)?\s*(,|$)/i;

/** Begins the name of the format in what was understood. */
export const MOT = "MOTChallenge text";

/** Separated by commas; or by blanks, as DeepSORT's programs write it, in lines that end as MOTChallenge's and no table's. */
const fieldsOf = (line: string): string[] =>
  /^[^,]*\s-1(\.0*)?\s+-1(\.0*)?\s+(-1(\.0*)?|0)\s*$/.test(line)
    ? line.trim().split(/\s+/)
    : line.split(",").map((field) => field.trim());

/** Whether bytes look like it: a first line of six to ten fields that are numbers but for one or two, the first one among them, which no header begins with. */
export function isMot(bytes: Buffer): boolean {
  const [first] = bytes.toString("latin1", 0, 4096).trimStart().split(/\r?\n/);
  if (HEADER.test(first)) return true;
  const fields = fieldsOf(first);
  const isNumber = fields.map((field) => field !== "" && Number.isFinite(Number(field)));
  const defects = isNumber.filter((is) => !is).length;
  return isNumber[0] && defects <= 2 && fields.length >= FIELDS.least && fields.length <= FIELDS.most;
}

/**
 * Reads it as detections at the centres of the boxes, or at x, y where there is no box. Lines of confidence 0 are not to be considered, by the rules of the
 * benchmark, and are left out with a note.
 * @throws InputError naming line and column
 */
export function parseMot(
  file: string,
  bytes: Buffer,
  use: VelocityUse,
  { dt, zScale, statedBy, isTracks }: ReadingSource,
): DetectionsFile {
  const lines = Buffer.from(decodeText(file, bytes).bytes).toString("utf8").split(/\r?\n/);
  let ignored = 0;
  let identified = false;
  let boxed = false;
  const depths = new Set<number>();
  const rows = lines.map((line, n) => {
    if (line.trim() === "" || HEADER.test(line)) return "";
    const fields = fieldsOf(line);
    if (fields.length < FIELDS.least || fields.length > FIELDS.most) {
      refuse(`${file}:${n + 1}`, `has ${fields.length} fields`, "give frame,id,left,top,width,height,confidence,x,y,z");
    }
    const at = (k: number) => `${file}:${n + 1}, column ${COLUMNS[k]}`;
    const number = (k: number): number => {
      const value = fields[k] === "" ? Number.NaN : Number(fields[k]);
      if (!Number.isFinite(value)) refuse(at(k), `${shown(fields[k])} is not a number`, "correct it");
      return value;
    };
    const [frame, id, left, top, width, height] = [0, 1, 2, 3, 4, 5].map(number);
    if (fields.length > 6 && number(6) === 0) {
      ignored++;
      return "";
    }
    if (id >= 0) identified = true;
    const boxless = left === -1 && top === -1 && width === -1 && height === -1;
    if (boxless && fields.length < 9) {
      refuse(`${file}:${n + 1}`, "has neither a box nor x and y", "give one of them");
    }
    for (const [k, size] of boxless ? [] : [[4, width] as const, [5, height] as const]) {
      if (size < 0) refuse(at(k), `${size} is negative`, "give the size of the box, or -1 for all four and x and y");
    }
    const [x, y] = boxless ? [number(7), number(8)] : [left + width / 2, top + height / 2];
    // Of boxes x, y and z are in another unit, where they are there.
    const z = boxless && fields.length > 9 ? number(9) : "";
    if (z !== "") depths.add(z);
    boxed ||= !boxless;
    const box = boxless ? ["", "", "", ""] : [left, top, width, height];
    return [frame, x, y, z, id, ...box, fields.length > 6 ? number(6) : ""].join(",");
  });
  const text = Buffer.from((boxed ? rows : rows.map((row) => row.split(",", 5).join(","))).join("\n"));
  const names = ["frame", "x", "y", depths.size > 1 ? "z" : "", "target", ...(boxed ? [...BOX, "confidence"] : [])];
  if (ignored > 0 && rows.every((row) => row === "")) {
    const remedy =
      "name the columns where the seventh is no confidence, as in --columns frame=1,target=2,left=3,top=4,width=5,height=6";
    refuse(file, `has ${ignored} lines of confidence 0 alone, which MOTChallenge leaves out`, remedy);
  }
  const format = `${MOT}${boxed ? ", positions at the centres of the boxes" : ""}`;
  // Boxes are pixels of images, so y grows downwards.
  const source = { names, format, dt, zScale, statedBy, isTracks };
  const recording = { ...parseDetections(file, text, use, source), unit: "px" };
  const notes = [...recording.notes];
  if (ignored > 0) notes.push(`${ignored} ${ignored === 1 ? "line" : "lines"} of confidence 0 left out.`);
  if (identified) return { ...recording, notes };
  return { ...recording, detections: { ...recording.detections, target: null }, targetLabels: null, notes };
}

/** By how much frames leave later than they are numbered: a frame 0, which MOTChallenge text has not, leaves as 1. */
export const motShift = ({ frame }: Pick<PlacedTracks, "frame">): number => (frame[0] === 0 ? 1 : 0);

/**
 * Tracks in the same form, numbered from 1: frame, id, left, top, width, height, confidence, −1, −1, −1 where detections have boxes, and else
 * frame, id, −1, −1, −1, −1, 1, x, y, z, with −1 for z in the plane. Tracks of −1 are left out.
 */
export function formatMot({ frame, x, y, z, track, boxes }: PlacedTracks): string {
  const shift = motShift({ frame });
  const lines = Array.from(track, (one, d) => {
    if (one < 0) return "";
    const box = boxes === undefined ? [] : BOX.map((name) => boxes[name][d]);
    const isBoxed = box.length > 0 && !box.some(Number.isNaN);
    const confidence = boxes === undefined || Number.isNaN(boxes.confidence[d]) ? 1 : boxes.confidence[d];
    const place = isBoxed ? [...box, confidence, -1, -1, -1] : [-1, -1, -1, -1, 1, x[d], y[d], z?.[d] ?? -1];
    return `${[frame[d] + shift, one + 1, ...place].join(",")}\n`;
  });
  return lines.join("");
}
