import type { Frame } from "../../core/frame.js";
import { refuse, shown } from "../refusal.js";
import { readBytes } from "../text-file.js";
import { checkSize, samplesOfBigEndian } from "./samples.js";

const FILE_LIMIT = { maxBytes: 2 ** 31, remedy: "cut the image into pieces" };
const DAMAGED = "the file is damaged: copy it again";

/**
 * Reads a PGM or PPM file, binary (P5, P6) or plain (P2, P3), of up to 16 bits a sample; values stay as they are, up to the
 * file's maximum. https://netpbm.sourceforge.net/doc/pgm.html
 */
export function readNetpbm(file: string): Frame {
  const bytes = readBytes(file, FILE_LIMIT);
  const magic = bytes.toString("latin1", 0, 2);
  if (!/^P[2356]$/.test(magic)) {
    refuse(file, `starts with ${shown(magic)}, not P2, P3, P5 or P6`, "convert it to PGM or PPM");
  }
  const words = new Words(file, bytes);
  const [width, height, most] = [words.number("width"), words.number("height"), words.number("maximum")];
  checkSize(file, width, height);
  if (most < 1 || most > 65535) refuse(file, `has a maximum value of ${most}`, "give one from 1 to 65535");
  const channels = magic === "P2" || magic === "P5" ? 1 : 3;
  const count = width * height * channels;
  const samples = magic === "P2" || magic === "P3" ? words.samples(count, most) : binary(file, words, count, most);
  const above = samples.findIndex((value) => value > most);
  if (above >= 0) {
    const pixel = Math.floor(above / channels);
    const place = `pixel x ${pixel % width}, y ${Math.floor(pixel / width)}`;
    refuse(file, `${place} is ${samples[above]}, above the maximum ${most} of its header`, DAMAGED);
  }
  return { width, height, channels, samples, place: file };
}

function binary(file: string, words: Words, count: number, most: number): Uint8Array | Uint16Array {
  // One white-space character ends the header.
  const pixels = words.bytes.subarray(words.at + 1);
  const expected = count * (most > 255 ? 2 : 1);
  if (pixels.length < expected) refuse(file, `holds ${pixels.length} of ${expected} bytes of pixels`, DAMAGED);
  if (pixels.length > expected) {
    refuse(file, `holds ${pixels.length - expected} bytes after its pixels`, "keep one image in a file");
  }
  return most > 255 ? samplesOfBigEndian(pixels) : new Uint8Array(pixels);
}

/** White-space separated numbers; a # starts a comment to the end of its line. */
class Words {
  at = 2;

  constructor(
    readonly file: string,
    readonly bytes: Buffer,
  ) {}

  number(what: string): number {
    const word = this.next();
    if (!/^\d{1,9}$/.test(word)) refuse(this.file, `has the ${what} ${shown(word)}`, DAMAGED);
    return Number(word);
  }

  samples(count: number, most: number): Uint8Array | Uint16Array {
    const samples = most > 255 ? new Uint16Array(count) : new Uint8Array(count);
    for (let i = 0; i < count; i++) {
      const value = this.number(`value number ${i}`);
      if (value > most) refuse(this.file, `value number ${i} is ${value}, above its maximum ${most}`, DAMAGED);
      samples[i] = value;
    }
    const rest = this.next();
    if (rest !== "") refuse(this.file, `goes on after its pixels with ${shown(rest)}`, "keep one image in a file");
    return samples;
  }

  private next(): string {
    const { bytes } = this;
    const blank = (byte: number) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
    while (this.at < bytes.length && (blank(bytes[this.at]) || bytes[this.at] === 0x23)) {
      if (bytes[this.at] === 0x23) while (this.at < bytes.length && bytes[this.at] !== 0x0a) this.at++;
      else this.at++;
    }
    const start = this.at;
    while (this.at < bytes.length && !blank(bytes[this.at])) this.at++;
    return bytes.toString("latin1", start, this.at);
  }
}
