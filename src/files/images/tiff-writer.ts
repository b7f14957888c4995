/** Bytes of the header, and of an entry of the directory. */
const HEADER = 8;
const ENTRY = 12;
const SHORT = 3;
const LONG = 4;

/**
 * A grey image of 16 bits as baseline TIFF: little-endian, uncompressed, in one strip (TIFF 6.0, section 4). geotiff, which reads TIFF here, takes a second
 * to write a million pixels.
 */
export function encodeGreyTiff(width: number, height: number, pixels: Uint16Array): Buffer {
  const entries = [
    [256, LONG, width],
    [257, LONG, height],
    [258, SHORT, 16],
    [259, SHORT, 1],
    // Black is 0.
    [262, SHORT, 1],
    // The strip follows the directory, its number of entries and the end of the list of directories.
    [273, LONG, HEADER + 2 + 10 * ENTRY + 4],
    [277, SHORT, 1],
    [278, LONG, height],
    [279, LONG, 2 * pixels.length],
    [339, SHORT, 1],
  ] as const;
  const start = HEADER + 2 + entries.length * ENTRY + 4;
  const bytes = Buffer.alloc(start + 2 * pixels.length);
  bytes.write("II*\0", 0, "latin1");
  bytes.writeUInt32LE(HEADER, 4);
  bytes.writeUInt16LE(entries.length, HEADER);
  entries.forEach(([tag, type, value], n) => {
    const at = HEADER + 2 + n * ENTRY;
    bytes.writeUInt16LE(tag, at);
    bytes.writeUInt16LE(type, at + 2);
    bytes.writeUInt32LE(1, at + 4);
    bytes.writeUInt32LE(value, at + 8);
  });
  pixels.forEach((value, n) => {
    bytes.writeUInt16LE(value, start + 2 * n);
  });
  return bytes;
}
