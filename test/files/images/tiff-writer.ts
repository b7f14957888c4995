import { deflateSync } from "node:zlib";

export interface TiffPage {
  readonly width: number;
  readonly height: number;
  readonly samples: Uint8Array | Uint16Array | Int16Array | Int32Array | Uint32Array | Float32Array;
  readonly channels?: number;
}

export interface TiffForm {
  readonly bigEndian?: boolean;
  readonly deflate?: boolean;
  readonly rowsPerStrip?: number;
  readonly description?: string;
  /** Further tags, or other values of those that are written, by their number. */
  readonly tags?: Readonly<Record<number, number>>;
}

const FORMATS = new Map<unknown, number>([
  [Uint8Array, 1],
  [Uint16Array, 1],
  [Uint32Array, 1],
  [Int16Array, 2],
  [Int32Array, 2],
  [Float32Array, 3],
]);

/** A TIFF file written by the specification alone (Adobe, TIFF revision 6.0), to test the reader with. */
export function tiffFile(pages: readonly TiffPage[], form: TiffForm = {}): Buffer {
  const { bigEndian = false, deflate = false, description } = form;
  const u16 = (value: number) => (bigEndian ? Buffer.of(value >> 8, value) : Buffer.of(value, value >> 8));
  const u32 = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes[bigEndian ? "writeUInt32BE" : "writeUInt32LE"](value);
    return bytes;
  };
  const parts: Buffer[] = [];
  let length = 0;
  const add = (bytes: Buffer) => {
    const offset = length;
    parts.push(bytes);
    length += bytes.length;
    return offset;
  };
  add(Buffer.concat([Buffer.from(bigEndian ? "MM" : "II"), u16(42)]));
  let link = add(u32(0));
  const linkTo = (offset: number) => {
    const n = parts.findIndex((_, k) => parts.slice(0, k).reduce((sum, part) => sum + part.length, 0) === link);
    parts[n] = u32(offset);
  };
  pages.forEach(({ width, height, samples, channels = 1 }, page) => {
    const each = samples.BYTES_PER_ELEMENT;
    const { rowsPerStrip = height } = form;
    const pixels = Buffer.from(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));
    if (bigEndian && each === 2) pixels.swap16();
    if (bigEndian && each === 4) pixels.swap32();
    const rowBytes = width * channels * each;
    const strips = Array.from({ length: Math.ceil(height / rowsPerStrip) }, (_, n) => {
      const rows = pixels.subarray(n * rowsPerStrip * rowBytes, (n + 1) * rowsPerStrip * rowBytes);
      return deflate ? deflateSync(rows) : rows;
    });
    const text = page === 0 && description !== undefined ? Buffer.from(`${description}\0`) : null;
    const tags = new Map<number, readonly [type: 2 | 3 | 4, values: readonly number[]]>([
      [256, [4, [width]]],
      [257, [4, [height]]],
      [258, [3, new Array(channels).fill(8 * each)]],
      [259, [3, [deflate ? 8 : 1]]],
      [262, [3, [channels === 3 ? 2 : 1]]],
      ...(text === null ? [] : [[270, [2, [...text]]] as const]),
      [273, [4, strips.map(add)]],
      [277, [3, [channels]]],
      [278, [4, [rowsPerStrip]]],
      [279, [4, strips.map((strip) => strip.length)]],
      [339, [3, new Array(channels).fill(FORMATS.get(samples.constructor))]],
    ] as const);
    for (const [tag, value] of Object.entries(form.tags ?? {})) tags.set(Number(tag), [4, [value]]);
    const entries = [...tags]
      .sort(([a], [b]) => a - b)
      .map(([tag, [type, values]]) => {
        const data = Buffer.concat(
          values.map((value) => (type === 2 ? Buffer.of(value) : type === 3 ? u16(value) : u32(value))),
        );
        const inline = data.length <= 4 ? Buffer.concat([data, Buffer.alloc(4 - data.length)]) : u32(add(data));
        return Buffer.concat([u16(tag), u16(type), u32(values.length), inline]);
      });
    const offset = add(Buffer.concat([u16(entries.length), ...entries]));
    linkTo(offset);
    link = add(u32(0));
  });
  return Buffer.concat(parts);
}
