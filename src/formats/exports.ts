import { formatGeff } from "./geff.js";
import { formatMot } from "./mot.js";
import { formatNapari } from "./napari.js";

/** Exports tracks with positions for other programs. */
export interface ExportedTracks {
  readonly frameStart: Uint32Array;
  readonly x: Float64Array;
  readonly y: Float64Array;
}

/**
 * Forms that `rmap export` writes: one file's content, or the files of a folder by their path in it. To add one: a file in src/formats, and a line here.
 */
export const EXPORTS = {
  mot: formatMot,
  napari: formatNapari,
  geff: formatGeff,
} as const satisfies Record<
  string,
  (tracks: ExportedTracks, track: Int32Array) => string | Map<string, string | Buffer>
>;

export type ExportName = keyof typeof EXPORTS;
