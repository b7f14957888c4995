import { refuse, shown } from "../files/refusal.js";

function bytesOf(values: Float64Array | Uint32Array | Int32Array | Uint8Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

export function encoded(values: Float64Array | Int32Array | Uint32Array | Uint8Array): string {
  return Buffer.from(bytesOf(values)).toString("base64");
}

export function decoded(text: string, width: number, place: string): Uint8Array {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*$/.test(text.replace(/={1,2}$/, "")))
    refuse(place, `is ${shown(text)}`, "give base64");
  const bytes = Uint8Array.from(Buffer.from(text, "base64"));
  if (bytes.length % width !== 0)
    refuse(place, `has ${bytes.length} bytes`, `give whole numbers of ${width} bytes each`);
  return bytes;
}

export function floats(text: string, place: string): Float64Array {
  const bytes = decoded(text, 8, place);
  const values = new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8);
  const at = values.findIndex((value) => !Number.isFinite(value));
  if (at >= 0) refuse(`${place}[${at}]`, `is ${values[at]}`, "give finite numbers");
  return values;
}

export function integers(text: string, place: string): Int32Array {
  const bytes = decoded(text, 4, place);
  return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}
