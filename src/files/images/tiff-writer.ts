/** Bytes of the header, of an entry of a directory, and of a directory: the number of its entries, ten of these, and where the next one is. */
const HEADER = 8;
const ENTRY = 12;
const DIRECTORY = 2 + 10 * ENTRY + 4;
const SHORT = 3;
const LONG = 4;

/**
 * Grey images of 16 bits as the pages of a baseline TIFF: little-endian, uncompressed, a strip each (TIFF 6.0, section 4). geotiff, which reads TIFF here, takes a second
 * to write a million pixels.
 */
export function encodeGreyTiff(width: number, height: number, ...pages: readonly Uint16Array[]): Buffer {
  const bytes = Buffer.alloc(HEADER + pages.length * (DIRECTORY + 2 * width * height));
  bytes.write("II*\0", 0, "latin1");
  bytes.writeUInt32LE(HEADER, 4);
  pages.forEach((pixels, page) => {
    const start = HEADER + page * (DIRECTORY + 2 * width * height);
    writePage(bytes, start, page + 1 === pages.length, { width, height, pixels });
  });
  return bytes;
}

interface Page {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint16Array;
}

function writePage(bytes: Buffer, start: number, isLast: boolean, { width, height, pixels }: Page): void {
  const strip = start + DIRECTORY;
  const entries = [
    [256, LONG, width],
    [257, LONG, height],
    [258, SHORT, 16],
    [259, SHORT, 1],
    // Black is 0.
    [262, SHORT, 1],
    [273, LONG, strip],
    [277, SHORT, 1],
    [278, LONG, height],
    [279, LONG, 2 * pixels.length],
    [339, SHORT, 1],
  ] as const;
  bytes.writeUInt16LE(entries.length, start);
  entries.forEach(([tag, type, value], n) => {
    const at = start + 2 + n * ENTRY;
    bytes.writeUInt16LE(tag, at);
    bytes.writeUInt16LE(type, at + 2);
    bytes.writeUInt32LE(1, at + 4);
    bytes.writeUInt32LE(value, at + 8);
  });
  bytes.writeUInt32LE(isLast ? 0 : strip + 2 * pixels.length, strip - 4);
  pixels.forEach((value, n) => {
    if (value !== 0) bytes.writeUInt16LE(value, strip + 2 * n);
  });
}
