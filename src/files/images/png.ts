import { inflateSync } from "node:zlib";
import { convertIndexedToRgb, type DecodedPng, decode, encode } from "fast-png";
import type { Frame } from "../../core/frame.js";
import { refuse } from "../refusal.js";
import { readBytes } from "../text-file.js";
import { checkSize } from "./samples.js";

const FILE_LIMIT = { maxBytes: 2 ** 30, remedy: "cut the image into pieces" };
const HEADER_BYTES = 33;

const DAMAGED = "the file is damaged: copy it again";

/** Samples of a pixel by the number of the colour type. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Colour type of images with a palette. */
const INDEXED = 3;

/** First column and row, and steps between columns and rows, of the seven passes of an interlaced image. */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/**
 * Reads a PNG file: grey, colour and palette images of 1 to 16 bits; grey of fewer than 8 bits is spread over 0…255. Damaged
 * files are refused (every chunk's checksum is compared, but that of a colour profile, which is not read).
 * @param note is told when the image is transparent somewhere, and its colours are then taken as they are; without it that is refused
 */
export function readPng(file: string, note: Note | null = null): Frame {
  const bytes = readBytes(file, FILE_LIMIT);
  if (bytes.length < HEADER_BYTES || bytes.toString("latin1", 1, 4) !== "PNG") {
    refuse(file, "is not a PNG file", "convert the image, or name it by its format");
  }
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const bits = bytes[24] * (CHANNELS[bytes[25]] ?? 4);
  // Packed, unpacked, without filters, and as samples.
  checkSize(file, width, height, 16 + bits / 2);
  const png = decoded(file, withCheckedPixels(file, bytes, rowsOf(width, height, bits, bytes[28] === 1)));
  const colours = png.channels >= 3 ? 3 : 1;
  const opaque = png.channels === colours ? null : firstTransparent(png);
  const where = png.colour ? "one colour" : opaque;
  if (where !== null && note === null) refuse(file, `${where} is transparent`, "save the image without transparency");
  if (where !== null) note?.(`${file}: ${where} is transparent; its colours are taken as they are.`);
  return { width, height, channels: colours, samples: withoutAlpha(png, colours), place: file };
}

/** Is told of each omission, in a sentence. */
export type Note = (sentence: string) => void;

/** Bytes of the rows before they are packed, each with that of its filter. */
function rowsOf(width: number, height: number, bits: number, interlaced: boolean): number {
  const passes = interlaced ? PASSES : ([[0, 0, 1, 1]] as const);
  return passes.reduce((sum, [x, y, dx, dy]) => {
    const [columns, rows] = [Math.ceil((width - x) / dx), Math.ceil((height - y) / dy)];
    return columns <= 0 || rows <= 0 ? sum : sum + rows * (1 + Math.ceil((columns * bits) / 8));
  }, 0);
}

/**
 * The file without its colour profile, once it is known that its pixels unpack to `rows` bytes: a few hundred kilobytes may unpack to
 * gigabytes.
 */
function withCheckedPixels(file: string, bytes: Buffer, rows: number): Buffer {
  const kept: Buffer[] = [bytes.subarray(0, 8)];
  const packed: Buffer[] = [];
  for (let at = 8, end = at; at < bytes.length; at = end) {
    if (at + 12 > bytes.length) break;
    end = at + 12 + bytes.readUInt32BE(at);
    const type = bytes.toString("latin1", at + 4, at + 8);
    if ((type === "IHDR") !== (at === 8)) refuse(file, "does not have one header at its start", DAMAGED);
    if (type === "IDAT") packed.push(bytes.subarray(at + 8, end - 4));
    if (type !== "iCCP") kept.push(bytes.subarray(at, end));
  }
  let unpacked: number;
  try {
    unpacked = inflateSync(Buffer.concat(packed), { maxOutputLength: rows }).length;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ERR_BUFFER_TOO_LARGE") refuse(file, `holds more than the ${rows} bytes of its pixels`, DAMAGED);
    refuse(file, `cannot be decoded: ${message}`, DAMAGED);
  }
  if (unpacked < rows) refuse(file, `holds ${unpacked} of the ${rows} bytes of its pixels`, DAMAGED);
  return Buffer.concat(kept);
}

/** The bytes of an 8-bit PNG file: grey, or colour where `samples` has three a pixel. */
export function encodePng(width: number, height: number, samples: Uint8Array): Uint8Array {
  return encode({ width, height, data: samples, depth: 8, channels: samples.length === width * height ? 1 : 3 });
}

interface Samples {
  readonly width: number;
  readonly channels: number;
  readonly samples: Uint8Array | Uint16Array;
  /** Whether one colour is transparent. */
  readonly colour: boolean;
}

function decoded(file: string, bytes: Buffer): Samples {
  try {
    const png = decode(bytes, { checkCrc: true });
    if (bytes[25] === INDEXED && png.palette === undefined) throw new Error("there is no palette");
    return unpacked(png);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : "";
    refuse(file, `cannot be decoded: ${(error as Error).message}${cause}`, DAMAGED);
  }
}

function unpacked(png: DecodedPng): Samples {
  const { width, channels, depth, palette, data } = png;
  const colour = png.transparency !== undefined;
  if (palette !== undefined) {
    return { width, channels: palette[0].length, samples: convertIndexedToRgb(png), colour };
  }
  if (depth < 8) {
    const most = 2 ** depth - 1;
    const greys = Array.from({ length: most + 1 }, (_, value) => [(value * 255) / most]);
    return { width, channels: 1, samples: convertIndexedToRgb({ ...png, palette: greys }), colour };
  }
  return { width, channels, samples: data instanceof Uint16Array ? data : new Uint8Array(data), colour };
}

/** The place of the first pixel that is not opaque, by the last channel; null where there is none. */
function firstTransparent({ width, channels, samples }: Samples): string | null {
  const opaque = samples instanceof Uint16Array ? 0xffff : 0xff;
  for (let pixel = 0, at = channels - 1; at < samples.length; pixel++, at += channels) {
    if (samples[at] !== opaque) return `pixel x ${pixel % width}, y ${Math.floor(pixel / width)}`;
  }
  return null;
}

function withoutAlpha({ channels, samples }: Samples, colours: number): Uint8Array | Uint16Array {
  if (channels === colours) return samples;
  const pixels = samples.length / channels;
  const kept = samples instanceof Uint16Array ? new Uint16Array(pixels * colours) : new Uint8Array(pixels * colours);
  for (let pixel = 0; pixel < pixels; pixel++) {
    for (let c = 0; c < colours; c++) kept[pixel * colours + c] = samples[pixel * channels + c];
  }
  return kept;
}
