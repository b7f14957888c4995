import { convertIndexedToRgb, type DecodedPng, decode, encode } from "fast-png";
import { InputError } from "../../core/errors.js";
import type { Frame } from "../../core/frame.js";
import { refuse } from "../refusal.js";
import { readBytes } from "../text-file.js";
import { checkSize } from "./samples.js";

const FILE_LIMIT = { maxBytes: 2 ** 30, remedy: "cut the image into pieces" };
const HEADER_BYTES = 33;

/** What becomes of images that are transparent anywhere: their colours are taken as they are, or they are refused. */
export type Transparency = "ignored" | "refused";

/**
 * Reads a PNG file: grey, colour and palette images of 1 to 16 bits; grey of fewer than 8 bits is spread over 0…255. Damaged
 * files are refused (every chunk's checksum is compared).
 */
export function readPng(file: string, transparency: Transparency = "refused"): Frame {
  const bytes = readBytes(file, FILE_LIMIT);
  if (bytes.length < HEADER_BYTES || bytes.toString("latin1", 1, 4) !== "PNG") {
    refuse(file, "is not a PNG file", "convert the image, or name it by its format");
  }
  // Checked before the pixels are unpacked, since a small file may claim any size.
  checkSize(file, bytes.readUInt32BE(16), bytes.readUInt32BE(20));
  const { width, height, channels, samples } = decoded(file, bytes, transparency);
  const colours = channels >= 3 ? 3 : 1;
  if (samples.length !== width * height * channels) {
    refuse(
      file,
      `holds ${samples.length / channels} of ${width} × ${height} pixels`,
      "the file is damaged: copy it again",
    );
  }
  const opaque = channels === colours ? samples : withoutAlpha(file, samples, width, channels, transparency);
  return { width, height, channels: colours, samples: opaque, place: file };
}

/** The bytes of an 8-bit PNG file: grey, or colour where `samples` has three a pixel. */
export function encodePng(width: number, height: number, samples: Uint8Array): Uint8Array {
  return encode({ width, height, data: samples, depth: 8, channels: samples.length === width * height ? 1 : 3 });
}

interface Samples {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly samples: Uint8Array | Uint16Array;
}

function decoded(file: string, bytes: Buffer, transparency: Transparency): Samples {
  try {
    return unpacked(file, decode(bytes, { checkCrc: true }), transparency);
  } catch (error) {
    if (error instanceof InputError) throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : "";
    refuse(file, `cannot be decoded: ${(error as Error).message}${cause}`, "the file is damaged: copy it again");
  }
}

function unpacked(file: string, png: DecodedPng, transparency: Transparency): Samples {
  const { width, height, channels, depth, palette, data } = png;
  if (png.transparency !== undefined && transparency === "refused") refuseTransparent(file, "one colour is");
  if (palette !== undefined) {
    return { width, height, channels: palette[0].length, samples: convertIndexedToRgb(png) };
  }
  if (depth < 8) {
    const most = 2 ** depth - 1;
    const greys = Array.from({ length: most + 1 }, (_, value) => [(value * 255) / most]);
    return { width, height, channels: 1, samples: convertIndexedToRgb({ ...png, palette: greys }) };
  }
  return { width, height, channels, samples: data instanceof Uint16Array ? data : new Uint8Array(data) };
}

function withoutAlpha(
  file: string,
  samples: Uint8Array | Uint16Array,
  width: number,
  channels: number,
  transparency: Transparency,
) {
  const colours = channels - 1;
  const opaque = samples instanceof Uint16Array ? 0xffff : 0xff;
  const pixels = samples.length / channels;
  const kept = samples instanceof Uint16Array ? new Uint16Array(pixels * colours) : new Uint8Array(pixels * colours);
  for (let pixel = 0; pixel < pixels; pixel++) {
    if (transparency === "refused" && samples[pixel * channels + colours] !== opaque) {
      refuseTransparent(file, `pixel x ${pixel % width}, y ${Math.floor(pixel / width)} is`);
    }
    for (let c = 0; c < colours; c++) kept[pixel * colours + c] = samples[pixel * channels + c];
  }
  return kept;
}

function refuseTransparent(file: string, what: string): never {
  refuse(file, `${what} transparent`, "save the image without transparency");
}
