/** Tracks with positions of any program, as `rmap evaluate` compares them with detections. */
import { statSync } from "node:fs";
import { frameOfDetections } from "../core/detections.js";
import { type FrameNumbers, frameNumber, frameOfNumber } from "../core/frame-numbers.js";
import { refuse, withFile } from "../files/refusal.js";
import { readBytes } from "../files/text-file.js";
import { BRANCHES } from "./branches.js";
import type { NamedColumns } from "./column-names.js";
import { isCtc, readCtc } from "./ctc.js";
import { readGeff } from "./geff-reader.js";
import { isZarr } from "./geff-store.js";
import { parseRecording } from "./input.js";
import { isMot } from "./mot.js";
import { mothersOf, seenMothers } from "./mothers.js";
import { isNapari } from "./napari.js";
import { READ } from "./row-warnings.js";
import { BOX, type PlacedTracks, type ReadTracks, readPlacedTracks } from "./tracks.js";

export function isFolder(path: string): boolean {
  return withFile(path, () => statSync(path)).isDirectory();
}

/** Whether bytes are a table with a column track, as rmap writes it. */
export function isTrackTable(bytes: Buffer): boolean {
  const lines = bytes
    .toString("utf8", 0, 65_536)
    .replace(/^\ufeff/, "")
    .split(/\r?\n/);
  const header = lines.find((line) => line.trim() !== "" && !line.startsWith("#")) ?? "";
  return header.split(",").some((name) => name.trim() === "track");
}

/** A folder of the Cell Tracking Challenge, of whose volumes a page is `zScale` pixels thick, or of GEFF. */
export async function readFolder(path: string, zScale?: number): Promise<ReadTracks> {
  if (isCtc(path)) return readCtc(path, zScale);
  if (isZarr(path)) return readGeff(path);
  refuse(path, "is no folder of tracks", "name one of the Cell Tracking Challenge or of GEFF, or a file");
}

/** The tracks of a file or folder of any form, in its own frames. */
export async function readAnyTracks(path: string, columns?: NamedColumns): Promise<ReadTracks> {
  if (isFolder(path)) return readFolder(path);
  const bytes = readBytes(path);
  const tracks =
    columns === undefined && isTrackTable(bytes)
      ? { ...readPlacedTracks(path), notes: [] }
      : parseForeign(path, bytes, { first: 1, step: 1 }, columns);
  const { parent, notes } = seenMothers(tracks.frame, tracks.track, tracks.parent);
  return { ...tracks, parent, notes: [...tracks.notes, ...notes] };
}

/** A file of detections whose targets are the tracks: MOTChallenge text, TrackMate, napari, trackpy and other tables. */
export function parseForeign(path: string, bytes: Buffer, recording: FrameNumbers, columns?: NamedColumns): ReadTracks {
  const asked = columns ?? (isNapari(bytes) ? { frame: "t" } : undefined);
  const source = { isTracks: true, ...(asked && { columns: asked }) };
  const found = parseRecording(path, bytes, "ignored", source);
  const { detections, numbers, reading, notes: said } = found;
  const { frameStart, x, y, z, target, attributes } = detections;
  if (target === null)
    refuse(
      path,
      "says of no point which track it is on",
      reading?.format.includes("TrackMate")
        ? "save tracks in it that pass TrackMate's filters"
        : "give a column track, particle or track_id, or name it: --track-columns target=NAME",
    );
  if (reading?.framesCounted === true) {
    const problem = `has times in the column ${reading.columns.time}, and no numbers of frames`;
    refuse(path, problem, "give the number of the frame of each point in a column frame");
  }
  // MOTChallenge text counts frames from 1, and some programs write it from 0.
  const shift = isMot(bytes) && recording.first === 0 && numbers.first > 0 ? 1 : 0;
  const shifted = "MOTChallenge text counts frames from 1, the recording from 0: its frame 1 is frame 0.";
  const notes = [
    ...said.filter((note) => note.startsWith(READ) || note.startsWith(BRANCHES)),
    ...(shift > 0 ? [shifted] : []),
  ];
  const frame = Float64Array.from(frameOfDetections(frameStart), (p) => frameNumber(numbers, p) - shift);
  const boxes = boxesOf(attributes);
  return {
    frame,
    x,
    y,
    ...(z && { z }),
    track: target,
    parent: mothersOf(path, found),
    notes,
    shift,
    ...(boxes && { boxes }),
  };
}

/** The boxes of MOTChallenge text. */
function boxesOf(attributes: ReadonlyMap<string, Float64Array> = new Map()): PlacedTracks["boxes"] {
  if (!BOX.every((name) => attributes.has(name))) return undefined;
  const [left, top, width, height, confidence] = [...BOX, "confidence"].map((name) => attributes.get(name));
  return { left, top, width, height, confidence } as PlacedTracks["boxes"];
}

/** Points on a track by the recording's frames. */
export function answerOf(path: string, tracks: ReadTracks, numbers: FrameNumbers, frames: number) {
  const { shift = 0 } = tracks;
  const kept = [...tracks.track.keys()].filter((d) => tracks.track[d] >= 0);
  const frame = kept.map((d) => frameOfNumber(numbers, tracks.frame[d]));
  const outside = frame.findIndex((p) => !(Number.isInteger(p) && p >= 0 && p < frames));
  if (outside >= 0) {
    const [first, last] = [0, frames - 1].map((p) => frameNumber(numbers, p));
    const problem = `has a point in frame ${tracks.frame[kept[outside]] + shift}, and the recording has ${first} to ${last}${shift === 0 ? "" : `, which are ${first + shift} to ${last + shift} there`}`;
    refuse(path, problem, "use the recording's frames");
  }
  return {
    frame: Uint32Array.from(frame),
    x: Float64Array.from(kept, (d) => tracks.x[d]),
    y: Float64Array.from(kept, (d) => tracks.y[d]),
    ...(tracks.z && { z: Float64Array.from(kept, (d) => tracks.z?.[d] ?? 0) }),
    identity: Int32Array.from(kept, (d) => tracks.track[d]),
  };
}
