import { formatGeff } from "./geff.js";
import { formatMot } from "./mot.js";
import { formatNapari } from "./napari.js";
import type { PlacedTracks } from "./tracks.js";

/**
 * Forms that `rmap export` writes: one file's content, or the files of a folder by their path in it. To add one: a file in src/formats, and a line here.
 */
export const EXPORTS = {
  mot: formatMot,
  napari: formatNapari,
  geff: formatGeff,
} as const satisfies Record<string, (tracks: PlacedTracks) => string | Map<string, string | Buffer>>;

export type ExportName = keyof typeof EXPORTS;
