/** geotiff over files that are held in memory. */
import { fromArrayBuffer } from "geotiff";
import { readFileSync } from "./fs.js";

export const fromFile = (path: string) => fromArrayBuffer(Uint8Array.from(readFileSync(path) as Uint8Array).buffer);
