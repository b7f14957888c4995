import { refuse, shown } from "./refusal.js";

/** A field of an array of records. */
export interface NpyField {
  readonly name: string | null;
  readonly dtype: string;
}

export interface NpyHeader {
  /** NumPy's name of the element type, such as "<f4". */
  readonly dtype: string;
  readonly fortranOrder: boolean;
  readonly shape: readonly number[];
}

/**
 * Reads the text of a .npy header; `place` names the file in errors.
 * https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
 */
export function parseNpyHeader(place: string, header: string): NpyHeader {
  const dtype = /'descr':\s*'([^']*)'/.exec(header)?.[1];
  const order = /'fortran_order':\s*(True|False)/.exec(header)?.[1];
  const shape = /'shape':\s*\(([\d,\s]*)\)/.exec(header)?.[1];
  if (dtype === undefined && header.includes("'descr'")) {
    refuse(place, "is a structured array", "save an array of one type of number with numpy.save");
  }
  if (dtype === undefined || order === undefined || shape === undefined) {
    refuse(place, `has the header ${shown(header.trim())}`, "save it with numpy.save");
  }
  return { dtype, fortranOrder: order === "True", shape: (shape.match(/\d+/g) ?? []).map(Number) };
}

const PREFIX = 12;

/** The header of a .npy file in memory, whose elements may be records, and the byte at which its data begin. */
export function npyHeaderOf(
  place: string,
  bytes: Buffer,
): { readonly header: NpyHeader & { readonly fields: readonly NpyField[] | null }; readonly dataStart: number } {
  if (bytes.length < PREFIX || bytes.toString("latin1", 0, 6) !== "\x93NUMPY")
    refuse(place, "is not a .npy file", "save it with numpy.save");
  const prefix = bytes[6] === 1 ? 10 : PREFIX;
  const length = bytes[6] === 1 ? bytes.readUInt16LE(8) : bytes.readUInt32LE(8);
  const dataStart = prefix + length;
  if (dataStart > bytes.length) refuse(place, "ends within its header", "the file is cut short: copy it again");
  const text = bytes.toString(bytes[6] === 3 ? "utf8" : "latin1", prefix, dataStart);
  const records = /'descr':\s*\[(.*?)\]\s*,\s*'(?:fortran_order|shape)'/s.exec(text)?.[1];
  if (records === undefined) return { header: { ...parseNpyHeader(place, text), fields: null }, dataStart };
  const fields = Array.from(records.matchAll(/\(\s*'([^']*)'\s*,\s*'([^']*)'\s*\)/g), ([, name, dtype]) => ({
    name,
    dtype,
  }));
  // Anything left over is a field of several values, or of fields.
  const left = records.replace(/\(\s*'[^']*'\s*,\s*'[^']*'\s*\)/g, "").replace(/[\s,]/g, "");
  if (fields.length === 0 || left !== "") refuse(place, "has records in records", "save fields of single numbers");
  const plain = text.replace(/'descr':\s*\[.*?\]\s*,\s*'(?=fortran_order|shape)/s, "'descr': '|V1', '");
  return { header: { ...parseNpyHeader(place, plain), fields }, dataStart };
}
