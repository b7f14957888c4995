import type { TableHeader } from "../files/csv-table.js";
import { refuse, shown } from "../files/refusal.js";

/** The metadata in the comments before the header of a detections file. */
export interface DetectionsMetadata {
  /** dt, the time between frames, or null where not given. */
  readonly timeStep: number | null;
  /** Number of frames, empty ones included, or null where not given. */
  readonly frames: number | null;
  /** step, by which the numbers of frames go up from one frame to the next; 1 where not given. */
  readonly step: number;
  /** Of positions, or null where not given. */
  readonly unit: string | null;
  readonly metadata: ReadonlyMap<string, string>;
}

/** Longest and shortest time step, in either direction of 1. */
const timeStepRange = [1e-15, 1e15] as const;

/** Reads `key=value` pairs; a value goes on until the next ` key=`, so that it may hold blanks. */
export function readMetadata(file: string, comments: TableHeader["comments"]): DetectionsMetadata {
  const metadata = new Map<string, string>();
  let timeStep: number | null = null;
  let frames: number | null = null;
  let step = 1;
  for (const { line, text } of comments) {
    for (const [key, value] of keyValues(text)) {
      if (metadata.has(key) && (key === "dt" || key === "frames" || key === "step")) {
        refuse(`${file}:${line}`, `gives ${key} twice`, "keep one of them");
      }
      metadata.set(key, value);
      if (key === "dt") timeStep = readTimeStep(`${file}:${line}, dt`, value);
      if (key === "frames") frames = readFrames(`${file}:${line}, frames`, value);
      if (key === "step") step = readStep(`${file}:${line}, step`, value);
    }
  }
  const unit = metadata.get("units")?.split(/[,;\s]/, 1)[0];
  return { timeStep, frames, step, unit: unit || null, metadata };
}

function keyValues(text: string): [string, string][] {
  const starts = [...text.matchAll(/(?:^|\s)([A-Za-z]\w*)=/g)];
  return starts.map((start, n) => {
    const end = starts[n + 1]?.index ?? text.length;
    return [start[1], text.slice(start.index + start[0].length, end).trim()];
  });
}

function readTimeStep(place: string, text: string): number {
  const value = /^[\d.]+(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  const [least, most] = timeStepRange;
  if (!(value >= least && value <= most)) {
    refuse(place, `${shown(text)} is not a time step`, `give a number between ${least} and ${most} without its unit`);
  }
  return value;
}

function readFrames(place: string, text: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  if (value < 2) refuse(place, `${shown(text)} is not a number of frames`, "give an integer of 2 or more");
  return value;
}

function readStep(place: string, text: string): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value < 1) refuse(place, `${shown(text)} is not a step of frame numbers`, "give an integer of 1 or more");
  return value;
}
