import { existsSync } from "node:fs";
import { formatCtc, notesOfCtc } from "./ctc.js";
import { formatGeff } from "./geff.js";
import { formatMot, motShift } from "./mot.js";
import { formatNapari, formatNapariGraph, napariGraphFile } from "./napari.js";
import { formatPlain } from "./plain-tracks.js";
import { formatTrackMate } from "./trackmate-writer.js";
import type { PlacedTracks } from "./tracks.js";

/** Files of a folder by their path in it. */
export type ExportedFiles = Iterable<[string, string | Buffer]>;

/**
 * Forms that `rmap export` writes: one file's content, or the files of a folder. To add one: a file in src/formats, and a line here and in LOSSES.
 */
export const EXPORTS = {
  csv: formatPlain,
  mot: formatMot,
  trackmate: formatTrackMate,
  ctc: formatCtc,
  napari: formatNapari,
  geff: formatGeff,
} as const satisfies Record<string, (tracks: PlacedTracks) => string | ExportedFiles>;

/** The names in a folder that is an export, which another one replaces as a whole. */
export const PARTS = /^(res_track\.txt|mask\d+\.tif|\.zattrs|\.zgroup|nodes|edges)$/;

export type ExportName = keyof typeof EXPORTS;

/** What a form has no place for, or changes: a sentence each, where tracks have it. */
type Loss = (tracks: PlacedTracks) => readonly string[];

const count = (some: number, one: string, several: string) =>
  some === 0 ? [] : [some === 1 ? `1 ${one}` : `${some} ${several}`];
const loose: Loss = ({ track }) =>
  count(
    track.filter((one) => one < 0).length,
    "detection in no track is left out.",
    "detections in no track are left out.",
  );
const boxes: Loss = (tracks) => (tracks.boxes === undefined ? [] : ["The boxes around the detections are left out."]);
const daughters: Loss = ({ parent }) =>
  count(
    parent.size,
    "track has a mother, for which there is no place.",
    "tracks have a mother, for which there is no place.",
  );
const depths: Loss = ({ z, boxes }) =>
  z === undefined || boxes === undefined
    ? []
    : ["z is left out where a detection has a box, beside which it has no place."];
const shift: Loss = (tracks) => {
  const later = motShift(tracks);
  return later === 0 ? [] : [`Frame 0 is frame ${later}, as MOTChallenge has no frame 0; those after it follow.`];
};
const singles: Loss = ({ track, parent }) => {
  const detections = new Map<number, number>();
  for (const one of track) if (one >= 0) detections.set(one, (detections.get(one) ?? 0) + 1);
  const related = new Set([...parent].flat());
  const alone = [...detections].filter(([one, size]) => size === 1 && !related.has(one)).length;
  return count(
    alone,
    "track of one detection is a spot without a track.",
    "tracks of one detection are spots without a track.",
  );
};

const LOSSES: Readonly<Record<ExportName, readonly Loss[]>> = {
  csv: [loose, boxes],
  mot: [loose, daughters, depths, shift],
  trackmate: [singles, boxes],
  ctc: [loose, boxes, notesOfCtc],
  napari: [loose, boxes],
  geff: [boxes],
};

/** What became of what a form cannot hold. */
export function exportNotes(as: ExportName, tracks: PlacedTracks): string[] {
  return LOSSES[as].flatMap((loss) => loss(tracks));
}

/** Files that stand beside the one that is written. */
export function filesBeside(as: ExportName, output: string, tracks: PlacedTracks): [file: string, content: string][] {
  if (as !== "napari") return [];
  // A graph of an earlier export would be taken for that of these tracks.
  return tracks.parent.size > 0 || existsSync(napariGraphFile(output))
    ? [[napariGraphFile(output), formatNapariGraph(tracks)]]
    : [];
}
