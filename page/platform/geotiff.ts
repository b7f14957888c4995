/** geotiff over files that are held in memory, and what it takes of other packages: Deflate of fflate, which the page has, and nothing of Zstandard and LERC, which few images have and which would take 0.2 MB. */
import { unzlibSync } from "fflate";
import { fromArrayBuffer } from "geotiff";
import { InputError } from "../../dist/core/errors.js";
import { readFileSync } from "./fs.js";

export const fromFile = (path: string) => fromArrayBuffer(Uint8Array.from(readFileSync(path) as Uint8Array).buffer);

/** pako */
export const inflate = (bytes: Uint8Array): Uint8Array => unzlibSync(bytes);

/** zstddec, without which lerc is not asked either */
export class ZSTDDecoder {
  init(): never {
    throw new InputError("TIFF in Zstandard or LERC is not read on the page; save it with Deflate or LZW");
  }
}
export default null;
