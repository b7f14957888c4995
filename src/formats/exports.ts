import { formatCtc } from "./ctc.js";
import { formatGeff } from "./geff.js";
import { formatMot } from "./mot.js";
import { formatNapari } from "./napari.js";
import { formatPlain } from "./plain-tracks.js";
import { formatTrackMate } from "./trackmate-writer.js";
import type { PlacedTracks } from "./tracks.js";

/** Files of a folder by their path in it. */
export type ExportedFiles = Iterable<[string, string | Buffer]>;

/**
 * Forms that `rmap export` writes: one file's content, or the files of a folder. To add one: a file in src/formats, and a line here.
 */
export const EXPORTS = {
  csv: formatPlain,
  mot: formatMot,
  trackmate: formatTrackMate,
  ctc: formatCtc,
  napari: formatNapari,
  geff: formatGeff,
} as const satisfies Record<string, (tracks: PlacedTracks) => string | ExportedFiles>;

export type ExportName = keyof typeof EXPORTS;
