/** Functions that the formats share: they refuse sizes and missing values, and convert byte orders. */
import type { Frame } from "../../core/frame.js";
import { gigabytes, memoryBytes } from "../memory.js";
import { refuse } from "../refusal.js";

/** Largest number of pixels of an image. */
const MOST_PIXELS = 2 ** 28;

export const SAMPLE_TYPES = ["u8", "u16le", "f32le"] as const;
export type SampleType = (typeof SAMPLE_TYPES)[number];

export const SAMPLE_BYTES: Readonly<Record<SampleType, number>> = { u8: 1, u16le: 2, f32le: 4 };

/**
 * Refuses an image before its pixels are read, since a small file may claim any size.
 * @param each bytes that a pixel takes at the peak of the work
 */
export function checkSize(place: string, width: number, height: number, each = 16, memory = memoryBytes()): void {
  const valid = (n: number) => Number.isSafeInteger(n) && n >= 1;
  const size = `has a size of ${width} × ${height} pixels`;
  if (!valid(width) || !valid(height) || width * height > MOST_PIXELS) {
    refuse(place, size, `give an image of 1 to ${MOST_PIXELS} pixels`);
  }
  const bytes = width * height * each;
  if (bytes <= memory) return;
  const needed = `which need about ${gigabytes(bytes)}, but there are ${gigabytes(memory)}`;
  refuse(place, `${size}, ${needed}`, `give an image of up to ${Math.floor(memory / each)} pixels`);
}

/** `bytes`, which must start a buffer of their own or be copied, as samples of `type`. */
export function samplesOf(bytes: Uint8Array, type: SampleType): Frame["samples"] {
  if (type === "u8") return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
  if (type === "u16le") return new Uint16Array(aligned.buffer, aligned.byteOffset, aligned.length / 2);
  return new Float32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4);
}

/** Big-endian 16-bit samples, as in PGM files. */
export function samplesOfBigEndian(bytes: Uint8Array): Uint16Array {
  return samplesOf(Buffer.from(bytes).swap16(), "u16le") as Uint16Array;
}

/** Refuses NaN and infinities, naming the first. */
export function checkFinite({ samples, width, channels, place }: Frame): void {
  if (!(samples instanceof Float32Array)) return;
  for (let i = 0; i < samples.length; i++) {
    if (Number.isFinite(samples[i])) continue;
    const pixel = Math.floor(i / channels);
    const [x, y] = [pixel % width, Math.floor(pixel / width)];
    refuse(place, `pixel x ${x}, y ${y} is ${samples[i]}`, "replace values that are not finite numbers");
  }
}
