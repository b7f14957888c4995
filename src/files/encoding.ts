import { isUtf8 } from "node:buffer";
import { TextDecoder } from "node:util";
import { refuse } from "./refusal.js";
import { plainText } from "./text-file.js";

export type Encoding = "UTF-8" | "UTF-16" | "Latin-1";

/** A text as UTF-8 without a byte order mark, and how it was written. */
export interface DecodedText {
  readonly bytes: Uint8Array;
  readonly encoding: Encoding;
}

/** Bytes in which a text without a byte order mark shows that it is UTF-16. */
const UTF16_HEAD = 64;

/**
 * Text in UTF-8, in UTF-16 or, where it is neither and holds no control characters, in Latin-1, which is read as Windows-1252 as browsers do.
 * @throws InputError for binary files, and for text in which UTF-8 and other bytes are mixed
 */
export function decodeText(file: string, given: Uint8Array): DecodedText {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  const utf16 = utf16Of(bytes);
  if (utf16 !== null) return { bytes: plainText(file, Buffer.from(decoded(file, bytes, utf16))), encoding: "UTF-16" };
  if (isUtf8(bytes) || !isLatin1(bytes)) return { bytes: plainText(file, bytes), encoding: "UTF-8" };
  return { bytes: Buffer.from(new TextDecoder("windows-1252").decode(bytes)), encoding: "Latin-1" };
}

/** The kind of UTF-16 that a text begins with, by its mark or by the zeros in its first characters; null for any other. */
export function utf16Of(bytes: Uint8Array): "utf-16le" | "utf-16be" | null {
  if (bytes.length >= 2 && bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes.length >= 2 && bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  const head = bytes.subarray(0, Math.min(UTF16_HEAD, bytes.length - (bytes.length % 2)));
  if (head.length < 8) return null;
  const zeroAt = (parity: number) => head.every((byte, at) => (at % 2 === parity) === (byte === 0));
  return zeroAt(1) ? "utf-16le" : zeroAt(0) ? "utf-16be" : null;
}

function decoded(file: string, bytes: Buffer, encoding: string): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    refuse(file, "is UTF-16 text with bytes that are none", "the file may be cut short: save it again as UTF-8");
  }
}

/** Whether each byte is a letter or a blank, and none of them are UTF-8 beyond ASCII, which a text would not mix with other bytes. */
function isLatin1(bytes: Buffer): boolean {
  const isControl = (byte: number) => byte < 32 && !(byte >= 9 && byte <= 13);
  if (bytes.some((byte) => isControl(byte) || byte === 127)) return false;
  return !/[\u0080-\ufffc]|[\ud800-\udbff]/.test(bytes.toString("utf8"));
}
