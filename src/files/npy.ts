import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { parseNpyHeader } from "./npy-header.js";
import { refuse, shown, withFile } from "./refusal.js";
import { refuseNoFile } from "./text-file.js";

/** Element types: NumPy's name, bytes, and how to read one; all little-endian. */
const elements: Record<string, { bytes: number; read: (view: DataView, at: number) => number }> = {
  "<f8": { bytes: 8, read: (view, at) => view.getFloat64(at, true) },
  "<f4": { bytes: 4, read: (view, at) => view.getFloat32(at, true) },
  "<i8": { bytes: 8, read: (view, at) => Number(view.getBigInt64(at, true)) },
  "<i4": { bytes: 4, read: (view, at) => view.getInt32(at, true) },
};

const dtypeRemedy = 'save numpy.ascontiguousarray(a, dtype="<f8") with numpy.save';
const blockBytes = 2 ** 20;
const maxHeaderBytes = 2 ** 16;
const maxRows = 2 ** 31;

/**
 * Reads a two-dimensional array from a NumPy .npy file (format 1.0 to 3.0, C order, little-endian f4, f8, i4 or i8), block by
 * block. `onShape` is called with the number of rows first, once the file is known to hold them; then `onRow` gets each row in turn,
 * in an array that is reused. https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
 */
export function readNpy(
  file: string,
  columns: number,
  onShape: (rows: number) => void,
  onRow: (values: Float64Array, row: number) => void,
): void {
  const descriptor = withFile(file, () => {
    refuseNoFile(file);
    return openSync(file, "r");
  });
  try {
    withFile(file, () => readArray(file, descriptor, columns, onShape, onRow));
  } finally {
    closeSync(descriptor);
  }
}

function readArray(
  file: string,
  descriptor: number,
  columns: number,
  onShape: (rows: number) => void,
  onRow: (values: Float64Array, row: number) => void,
): void {
  const { size } = fstatSync(descriptor);
  const { rows, dtype, dataStart } = readHeader(file, descriptor, columns);
  const { bytes, read } = elements[dtype];
  const rowBytes = columns * bytes;
  const expected = dataStart + rows * rowBytes;
  if (size !== expected) {
    const remedy = size < expected ? "the file is cut short: copy it again" : "save the array alone with numpy.save";
    refuse(file, `holds ${size} bytes where its shape (${rows}, ${columns}) of ${dtype} makes ${expected}`, remedy);
  }
  if (!(rows < maxRows)) refuse(file, `has ${rows} rows, more than ${maxRows - 1}`, "gate more tightly");
  onShape(rows);
  const values = new Float64Array(columns);
  const block = Buffer.alloc(Math.max(1, Math.floor(blockBytes / rowBytes)) * rowBytes);
  const view = new DataView(block.buffer, block.byteOffset, block.length);
  for (let row = 0; row < rows; ) {
    const length = Math.min(block.length, (rows - row) * rowBytes);
    fill(file, descriptor, block.subarray(0, length), dataStart + row * rowBytes);
    for (let at = 0; at < length; row++) {
      for (let column = 0; column < columns; column++, at += bytes) values[column] = read(view, at);
      onRow(values, row);
    }
  }
}

function readHeader(file: string, descriptor: number, columns: number) {
  const start = Buffer.alloc(12);
  fill(file, descriptor, start, 0);
  if (start.toString("latin1", 0, 6) !== "\x93NUMPY") refuse(file, "is not a .npy file", "save it with numpy.save");
  const version = start[6];
  if (version < 1 || version > 3)
    refuse(file, `has .npy version ${version}`, "save it with numpy.save, version 1 to 3");
  const prefix = version === 1 ? 10 : 12;
  const length = version === 1 ? start.readUInt16LE(8) : start.readUInt32LE(8);
  if (length > maxHeaderBytes) refuse(file, `has a header of ${length} bytes`, "save it with numpy.save");
  const bytes = Buffer.alloc(length);
  fill(file, descriptor, bytes, prefix);
  const { dtype, fortranOrder, shape } = parseNpyHeader(file, bytes.toString("latin1"));
  if (!(dtype in elements)) {
    refuse(file, `has elements of type ${shown(dtype)}, not ${Object.keys(elements).join(", ")}`, dtypeRemedy);
  }
  if (fortranOrder) refuse(file, "is in Fortran order", dtypeRemedy);
  const [rows] = shape;
  if (shape.length !== 2 || shape[1] !== columns) {
    refuse(file, `has the shape (${shape.join(", ")})`, `give an array of ${columns} columns`);
  }
  return { rows, dtype, dataStart: prefix + length };
}

/** Fills `target` from `position` on; the file may be shorter than its header says. */
function fill(file: string, descriptor: number, target: Buffer, position: number): void {
  for (let at = 0; at < target.length; ) {
    const count = readSync(descriptor, target, at, target.length - at, position + at);
    if (count === 0) refuse(file, `ends after ${position + at} bytes`, "the file is cut short: copy it again");
    at += count;
  }
}
