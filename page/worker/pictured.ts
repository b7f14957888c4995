/** Recordings, folders of results and runs, as the page draws them. */

import { NEAREST } from "../../dist/costs/motion/candidates.js";
import { memoryBytes } from "../../dist/files/memory.js";
import type { DetectionsFile } from "../../dist/formats/detections.js";
import { isOfImage } from "../../dist/report/plot-frame.js";
import type { FoundTracks, ResultFolder } from "../../dist/rows/result-folder.js";
import type { Corrected } from "../../dist/run/corrections/corrections.js";
import { doubtfulItems } from "../../dist/run/corrections/doubtful.js";
import { hostBytes } from "../../dist/run/memory.js";
import type { Problem } from "../../dist/run/problem.js";
import type { Run } from "../../dist/run/run.js";
import { linkErrors } from "../../dist/scores/links.js";
import type { Answer, Scene } from "./protocol.js";

export function sceneOf(recording: DetectionsFile | null, known: ResultFolder | null, canSolve: boolean): Scene {
  const tracks = known?.tracks ?? null;
  const detections = recording?.detections ?? null;
  const frameStart = detections?.frameStart ?? tracks?.frameStart;
  if (frameStart === undefined) throw new Error("this holds no detections that the page can draw");
  const count = frameStart[frameStart.length - 1];
  const { first, step } = recording?.numbers ?? tracks?.numbers ?? { first: 0, step: 1 };
  const unit = recording?.unit ?? tracks?.unit ?? null;
  const target = detections?.target ?? (typeof tracks?.target === "object" ? tracks.target : null);
  return {
    name: known?.row.name ?? recording?.file.replace(/^.*\//, "") ?? "",
    frames: frameStart.length - 1,
    frameStart,
    firstFrame: first,
    frameStep: step,
    ...placesOf(frameStart, detections ?? tracks),
    target,
    columns: [...(detections?.attributes ?? new Map<string, Float64Array>())],
    unit,
    isImage: isOfImage(unit),
    canSolve,
    memory: canSolve ? memoryOf(count) : "This run cannot be solved again here: the page has not its detections.",
    notes: [
      ...(recording?.notes ?? known?.row.notes ?? []),
      ...(typeof tracks?.target === "string" ? [`Wrong links cannot be marked: ${tracks.target}.`] : []),
    ],
    simulation: null,
  };
}

/** Without positions frames run along x, and detections along y. */
function placesOf(frameStart: Uint32Array, given: Pick<FoundTracks, "x" | "y" | "z"> | null) {
  if (given?.x && given.y) return { x: given.x, y: given.y, z: given.z ?? null };
  const count = frameStart[frameStart.length - 1];
  const [x, y] = [new Float64Array(count), new Float64Array(count)];
  for (let p = 0; p + 1 < frameStart.length; p++) {
    for (let d = frameStart[p]; d < frameStart[p + 1]; d++) [x[d], y[d]] = [p, d - frameStart[p]];
  }
  return { x, y, z: null };
}

/** Most links that a detection has are those over one frame; what is over more is a small part of it. */
function memoryOf(detections: number): string {
  const bytes = hostBytes({ detections, links: NEAREST * detections, triplets: NEAREST * NEAREST * detections });
  const shown = (size: number) =>
    size < 2 ** 30 ? `${Math.ceil(size / 2 ** 20)} MB` : `${(size / 2 ** 30).toFixed(1)} GB`;
  const most = memoryBytes();
  const words = `A solve takes at most ${shown(bytes)} of the ${shown(most)} that this browser gives.`;
  return bytes <= most ? words : `${words} It may end for want of memory; the command line has more.`;
}

/** The answer of a run's folder. */
export function answerOfFolder({ row, tracks }: ResultFolder): Answer {
  if (tracks === null) throw new Error("the run has found no tracks");
  const { track, frameStart, parents, target, margin: link, birthMargin: birth, deathMargin: death } = tracks;
  const { lowerBound, upperBound, gapPercent, status, notes, device } = row;
  return {
    ...linked(track, frameStart, parents, typeof target === "object" ? target : null),
    ...decided({ track, parents, margins: link && { link, birth, death } }),
    ...{ lowerBound, upperBound, gapPercent, status, notes },
    seconds: row.times.total ?? null,
    device: device.actual,
  };
}

/** The answer of a solve here. */
export function answerOf({ problem, run }: { readonly problem: Problem; readonly run: Run }): Answer {
  const { result, track, frameStart, parents, margins } = run;
  if (track === null) throw new Error("no tracks were found");
  const { lowerBound, upperBound, gapPercent, status, notes, device } = result;
  return {
    ...linked(track, frameStart, parents, problem.target),
    ...decided({ track, parents, margins }),
    ...{ lowerBound, upperBound, gapPercent, status, notes },
    seconds: null,
    device: device.actual,
  };
}

/** The answer that keeps to corrections. */
export function answerOfCorrected(
  { problem, run }: { readonly problem: Problem; readonly run: Run },
  given: Corrected,
): Answer {
  const { track, parents, margins, lowerBound, upperBound, gap, status } = given;
  return {
    ...linked(track, run.frameStart, parents, problem.target),
    ...decided({ track, parents, margins }),
    ...{ lowerBound, upperBound, gapPercent: 100 * gap, status, notes: run.result.notes },
    seconds: null,
    device: "cpu",
  };
}

/** Items of the list that a person may come to. */
const MOST_LISTED = 5000;

function decided(answer: Parameters<typeof doubtfulItems>[0]): Pick<Answer, "margin" | "doubtful" | "decided"> {
  const items = doubtfulItems(answer);
  return { margin: answer.margins?.link ?? null, doubtful: items.slice(0, MOST_LISTED), decided: items.length };
}

function linked(
  track: Int32Array,
  frameStart: Uint32Array,
  mothers: ReadonlyMap<number, number>,
  target: Int32Array | null,
): Pick<Answer, "track" | "next" | "divisions" | "mothers" | "wrong" | "missed"> {
  const next = new Int32Array(track.length).fill(-1);
  const count = track.reduce((most, one) => Math.max(most, one + 1), 0);
  const [first, last] = [new Int32Array(count).fill(-1), new Int32Array(count).fill(-1)];
  track.forEach((one, d) => {
    if (one < 0) return;
    if (last[one] >= 0) next[last[one]] = d;
    else first[one] = d;
    last[one] = d;
  });
  const divisions = [...mothers].map(([daughter, mother]) => [last[mother], first[daughter]] as const);
  const { wrong, missed } = target === null ? { wrong: [], missed: [] } : linkErrors(frameStart, target, track);
  return { track, next, divisions, mothers, wrong, missed };
}
