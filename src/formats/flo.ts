import type { FlowField } from "../core/flow-field.js";
import { refuse } from "../files/refusal.js";
import { readBytes } from "../files/text-file.js";

/** "PIEH" as bytes, 202021.25 as f32. */
const MAGIC = 202021.25;
const HEADER_BYTES = 12;
const LIMIT = { maxBytes: 2 ** 31, remedy: "cut the field into pieces" };

/** Reads a Middlebury .flo file: f32 202021.25, i32 width and height, then u, v by rows, all little-endian. */
export function readFlo(file: string): FlowField {
  const bytes = readBytes(file, LIMIT);
  if (bytes.length < HEADER_BYTES || bytes.readFloatLE(0) !== MAGIC) {
    refuse(file, 'does not start with "PIEH"', "name a .flo file");
  }
  const width = bytes.readInt32LE(4);
  const height = bytes.readInt32LE(8);
  if (width < 1 || height < 1) refuse(file, `has a size of ${width} × ${height} pixels`, "name a .flo file");
  const expected = HEADER_BYTES + 8 * width * height;
  if (bytes.length !== expected) {
    refuse(
      file,
      `holds ${bytes.length} bytes where ${width} × ${height} pixels make ${expected}`,
      "the file is damaged: copy it again",
    );
  }
  const u = new Float32Array(width * height);
  const v = new Float32Array(width * height);
  for (let i = 0, at = HEADER_BYTES; i < u.length; i++, at += 8) {
    u[i] = bytes.readFloatLE(at);
    v[i] = bytes.readFloatLE(at + 4);
    if (Number.isNaN(u[i]) || Number.isNaN(v[i])) {
      const place = `x ${i % width}, y ${Math.floor(i / width)}`;
      refuse(file, `is not a number at ${place}`, "write 1e10 where the flow is not known");
    }
  }
  return { width, height, u, v };
}

/** The bytes of a .flo file, which readFlo reads back bit for bit. */
export function formatFlo({ width, height, u, v }: FlowField): Uint8Array {
  const bytes = Buffer.alloc(HEADER_BYTES + 8 * width * height);
  bytes.writeFloatLE(MAGIC, 0);
  bytes.writeInt32LE(width, 4);
  bytes.writeInt32LE(height, 8);
  for (let i = 0, at = HEADER_BYTES; i < u.length; i++, at += 8) {
    bytes.writeFloatLE(u[i], at);
    bytes.writeFloatLE(v[i], at + 4);
  }
  return bytes;
}
