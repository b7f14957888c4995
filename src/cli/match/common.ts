import type { Everywhere, FlagsOf } from "../declaration/declaration.js";
import { option } from "../declaration/declaration.js";
import { outputFile } from "../options/files.js";
import { picture } from "../options/output.js";
import { device } from "../options/running.js";

/** Options of every method of `rmap match`. */
export const COMMON = {
  output: option("-o, --output <file>", "write the matches or the tracked points there", outputFile),
  picture: picture("draw the matches, or with klt the motion, over the images there (.svg)"),
  device: device("it runs"),
};

export type MatchFlags = FlagsOf<typeof COMMON> & Everywhere;

/** The two images. */
export interface Pair {
  readonly a: string;
  readonly b: string;
}
