import { crc32, deflateSync } from "node:zlib";

export const COLOUR_TYPES = { grey: 0, rgb: 2, palette: 3, greyAlpha: 4, rgba: 6 } as const;

/** A PNG file written by the standard alone (https://www.w3.org/TR/png), to test the reader with; `rows` are packed samples. */
export function pngFile(
  size: readonly [width: number, height: number],
  depth: number,
  type: keyof typeof COLOUR_TYPES,
  rows: readonly (readonly number[])[],
  extra: Readonly<Record<string, readonly number[]>> = {},
): Buffer {
  return pngOf(size, depth, type, deflateSync(Buffer.from(rows.flatMap((row) => [0, ...row]))), extra);
}

/** A PNG file whose pixels are packed already, whatever they unpack to. */
export function pngOf(
  size: readonly [width: number, height: number],
  depth: number,
  type: keyof typeof COLOUR_TYPES,
  packed: Uint8Array,
  extra: Readonly<Record<string, ArrayLike<number>>> = {},
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size[0], 0);
  header.writeUInt32BE(size[1], 4);
  header.set([depth, COLOUR_TYPES[type], 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    ...Object.entries(extra).map(([name, bytes]) => chunk(name, Uint8Array.from(bytes))),
    chunk("IDAT", packed),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A part of a file, with its checksum. */
export function chunk(name: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}
