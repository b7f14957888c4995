/** NumPy's .npy, format 1.0, C order, little-endian. https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */

const TYPES = { Float64Array: "<f8", Float32Array: "<f4", Uint8Array: "|u1" } as const;
const ALIGNMENT = 64;
const PREFIX = 10;

/** The bytes of an array of that shape. */
export function encodeNpy(shape: readonly number[], data: Float64Array | Float32Array | Uint8Array): Uint8Array {
  const type = TYPES[data.constructor.name as keyof typeof TYPES];
  const dimensions = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
  const text = `{'descr': '${type}', 'fortran_order': False, 'shape': (${dimensions}), }`;
  const header = text.padEnd(Math.ceil((PREFIX + text.length + 1) / ALIGNMENT) * ALIGNMENT - PREFIX - 1);
  const start = Buffer.alloc(PREFIX + header.length + 1);
  start.write("\x93NUMPY\x01\x00", "latin1");
  start.writeUInt16LE(header.length + 1, 8);
  start.write(`${header}\n`, PREFIX, "latin1");
  return Buffer.concat([start, Buffer.from(data.buffer, data.byteOffset, data.byteLength)]);
}
