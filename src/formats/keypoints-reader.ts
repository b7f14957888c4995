/** Reads the keypoint files that src/formats/keypoints.ts writes: lowe, vlfeat and csv, told apart by how they begin. */
import { DESCRIPTOR_LENGTH, type Keypoints } from "../core/keypoints.js";
import { refuse } from "../files/refusal.js";
import { plainText, readBytes } from "../files/text-file.js";
import { mirrorDirections } from "./keypoints.js";

/** Below a comment where there are several images. Earlier revisions wrote no column frame. */
const CSV_HEADER = /^(?:#[^\n]*\n)?(frame,)?x,y,sigma,angle,response,place,d0,/;
const remedy = "write it with rmap detect --method sift --format lowe, vlfeat or csv";

/** Whether the name is that of a keypoint file and not of an image. */
export const isKeypointFile = (path: string): boolean => /\.(key|sift|csv|txt)$/i.test(path);

export function readKeypoints(file: string): Keypoints {
  const text = plainText(file, readBytes(file)).toString("utf8").trim();
  const header = CSV_HEADER.exec(text);
  if (header !== null) {
    const first = header[1] === undefined ? 0 : 1;
    const body = text.slice(header[0].length).replace(/^[^\n]*\n?/, "");
    const rows = rowsOf(file, body, /[,\n]+/, first + 6 + DESCRIPTOR_LENGTH);
    const other = first === 1 ? rows.find(([frame]) => frame !== rows[0][0]) : undefined;
    if (other !== undefined)
      refuse(file, `holds keypoints of frames ${rows[0][0]} and ${other[0]}`, "give a file for each");
    return fromRows(file, first === 1 ? rows.map((row) => row.slice(1)) : rows, 6);
  }
  const [first, second] = text.split(/\s+/, 2).map(Number);
  const lowe = second === DESCRIPTOR_LENGTH && Number.isInteger(first);
  const body = lowe ? text.replace(/^\S+\s+\S+/, "").trim() : text;
  const rows = rowsOf(file, body, /\s+/, 4 + DESCRIPTOR_LENGTH);
  if (!lowe) return fromRows(file, rows, 4);
  if (rows.length !== first) refuse(file, `says ${first} keypoints and holds ${rows.length}`, "copy it again");
  const turned = rows.map(([row, column, sigma, angle, ...descriptor]) => [
    column,
    row,
    sigma,
    -angle,
    ...mirrorDirections(Uint8Array.from(descriptor)),
  ]);
  return fromRows(file, turned, 4);
}

function rowsOf(file: string, text: string, separator: RegExp, columns: number): number[][] {
  const numbers = text === "" ? [] : text.split(separator).map(Number);
  const bad = numbers.findIndex((value) => !Number.isFinite(value));
  if (bad >= 0) refuse(file, `its number ${bad + 1} is none`, remedy);
  if (numbers.length % columns !== 0) {
    refuse(file, `holds ${numbers.length} numbers, no multiple of ${columns} a keypoint`, remedy);
  }
  return Array.from({ length: numbers.length / columns }, (_, k) => numbers.slice(k * columns, (k + 1) * columns));
}

/** Rows that begin x, y, sigma, angle. Without a column for it, rows that differ in their angle only share a place. */
function fromRows(file: string, rows: readonly number[][], before: number): Keypoints {
  const descriptors = new Uint8Array(rows.length * DESCRIPTOR_LENGTH);
  const place = new Uint32Array(rows.length);
  rows.forEach((row, k) => {
    const values = row.slice(before);
    const bad = values.find((value) => !Number.isInteger(value) || value < 0 || value > 255);
    if (bad !== undefined) refuse(file, `keypoint ${k}: descriptor value ${bad} is no integer of 0 … 255`, remedy);
    descriptors.set(values, k * DESCRIPTOR_LENGTH);
    const last = rows[k - 1];
    const same = last !== undefined && [0, 1, 2].every((column) => row[column] === last[column]);
    place[k] = before === 6 ? row[5] : k === 0 ? 0 : place[k - 1] + (same ? 0 : 1);
  });
  const column = (c: number) => Float32Array.from(rows, (row) => row[c]);
  const turn = 2 * Math.PI;
  return {
    x: column(0),
    y: column(1),
    sigma: column(2),
    angle: column(3).map((angle) => angle - turn * Math.floor(angle / turn)),
    response: before === 6 ? column(4) : new Float32Array(rows.length),
    place,
    descriptors,
  };
}
