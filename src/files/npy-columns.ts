/** NumPy's arrays as columns of numbers: a table in two dimensions, one column, or an array of records. */
import { type NpyField, npyHeaderOf } from "./npy-header.js";
import { refuse, shown } from "./refusal.js";

export interface NamedColumn {
  /** null where the array has no names. */
  readonly name: string | null;
  readonly values: Float64Array;
}

type Read = (view: DataView, at: number, little: boolean) => number;

/** By the kind and the bytes of an element. */
const ELEMENTS: Readonly<Record<string, Read>> = {
  f4: (view, at, little) => view.getFloat32(at, little),
  f8: (view, at, little) => view.getFloat64(at, little),
  i1: (view, at) => view.getInt8(at),
  i2: (view, at, little) => view.getInt16(at, little),
  i4: (view, at, little) => view.getInt32(at, little),
  i8: (view, at, little) => Number(view.getBigInt64(at, little)),
  u1: (view, at) => view.getUint8(at),
  u2: (view, at, little) => view.getUint16(at, little),
  u4: (view, at, little) => view.getUint32(at, little),
  u8: (view, at, little) => Number(view.getBigUint64(at, little)),
  b1: (view, at) => view.getUint8(at),
};

/** Seconds in a unit of datetime64; its least integer is "not a time". */
const SECONDS: Readonly<Record<string, number>> = { s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9 };
const NOT_A_TIME = -(2n ** 63n);

interface Element {
  readonly bytes: number;
  readonly read: (view: DataView, at: number) => number;
}

/** @throws InputError naming the place for arrays of other elements or shapes, and for bytes that are too few */
export function npyColumns(place: string, bytes: Buffer): NamedColumn[] {
  const { header, dataStart } = npyHeaderOf(place, bytes);
  const { shape, fortranOrder } = header;
  if (shape.length !== 1 && shape.length !== 2)
    refuse(place, `has the shape (${shape.join(", ")})`, "give one row for each detection, in two dimensions");
  const rows = shape[0];
  const fields: readonly NpyField[] =
    header.fields ?? Array.from({ length: shape[1] ?? 1 }, () => ({ name: null, dtype: header.dtype }));
  const elements = fields.map(({ dtype }) => elementOf(place, dtype));
  const rowBytes = elements.reduce((sum, { bytes }) => sum + bytes, 0);
  if (header.fields !== null && shape.length > 1)
    refuse(place, `has records in the shape (${shape.join(", ")})`, "give records in one dimension");
  if (bytes.length < dataStart + rows * rowBytes)
    refuse(
      place,
      `ends after ${bytes.length} bytes of ${dataStart + rows * rowBytes}`,
      "the file is cut short: copy it again",
    );
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let offset = dataStart;
  return elements.map(({ bytes: size, read }, column) => {
    const [first, stride] = fortranOrder ? [dataStart + column * rows * size, size] : [offset, rowBytes];
    offset += size;
    const values = Float64Array.from({ length: rows }, (_, row) => read(view, first + row * stride));
    return { name: fields[column].name, values };
  });
}

function elementOf(place: string, dtype: string): Element {
  const [, order, kind, size, unit] = /^([<>|=]?)([a-zA-Z])(\d+)(?:\[(\w+)\])?$/.exec(dtype) ?? [];
  const little = order !== ">";
  const read = ELEMENTS[`${kind}${size}`];
  if (read !== undefined && unit === undefined)
    return { bytes: Number(size), read: (view, at) => read(view, at, little) };
  if (kind === "M" && SECONDS[unit] !== undefined) {
    const time = (view: DataView, at: number) => {
      const ticks = view.getBigInt64(at, little);
      return ticks === NOT_A_TIME ? Number.NaN : Number(ticks) * SECONDS[unit];
    };
    return { bytes: 8, read: time };
  }
  refuse(place, `has elements of type ${shown(dtype)}`, "save numbers: integers, f4, f8 or datetime64");
}
