import { closeSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { refuse, withFile } from "../files/refusal.js";
import { isThere } from "../files/text-file.js";
import {
  type Content,
  clearUnfinished,
  ensureFolder,
  isOtherProcess,
  stageFile,
  stageFolder,
} from "../files/whole-file.js";
import { isZarr } from "../formats/geff-store.js";
import { formatProof } from "../formats/proof.js";
import { formatTracks } from "../formats/tracks.js";
import type { PictureImage, TrackPicture } from "../report/track-picture.js";
import { tracksSvg } from "../report/tracks-svg.js";
import { formatHistory } from "../rows/history.js";
import { formatRow, type ResultRow } from "../rows/results.js";
import { formatScore, METRICS } from "../scores/metrics.js";
import type { Problem } from "./problem.js";
import { MOST_PROVED_EDGES, proofOf } from "./proof-of.js";
import type { Run } from "./run.js";
import { SOLUTION, solutionGraph } from "./solution-graph.js";

/** Detections up to which tracks are drawn; viewers do not show larger pictures. */
const MOST_DRAWN = 1_000_000;

/** Notes about files that are too large to be written, a sentence each. */
export function notWritten({ track, frameStart, graph, solution }: Run): string[] {
  const notes: string[] = [];
  const detections = frameStart[frameStart.length - 1];
  if (track !== null && detections > MOST_DRAWN) {
    notes.push(
      `tracks.svg is not drawn: ${detections} detections are more than the ${MOST_DRAWN} that can be looked at.`,
    );
  }
  if (solution.proof !== null && graph.edges > MOST_PROVED_EDGES) {
    notes.push(`proof.json is not written: ${graph.edges} edges are more than ${MOST_PROVED_EDGES}.`);
  }
  return notes;
}

/** The files of a run's folder; result.json, which makes the folder a result, comes last. */
export const RUN_FILES = ["history.csv", "tracks.csv", "tracks.svg", "proof.json", SOLUTION, "result.json"] as const;

/** A line for each window of a run in windows. */
export const WINDOW_LOG = "windows.jsonl";

/**
 * Writes the files of a run's folder; returns the paths. All files of the folder belong to one run: the new ones are written
 * beside the old, then result.json is removed, then each takes its place, result.json last. A run that is killed in between leaves the
 * old result, or a folder without result.json, which is no result, but never files of two runs that look like one result.
 */
export function writeRun(folder: string, problem: Problem, run: Run, row: ResultRow, image?: PictureImage): string[] {
  ensureFolder(folder);
  refuseOtherSolution(folder);
  for (const name of RUN_FILES) withFile(folder, () => clearUnfinished(join(folder, name)));
  const contents = contentsOf(problem, run, row, image);
  const staged = new Map<string, ReturnType<typeof stageFile>>();
  try {
    for (const [name, content] of contents) staged.set(name, stageFile(join(folder, name), content));
    const solution = solutionGraph(problem, run);
    if (solution !== null) staged.set(SOLUTION, stageFolder(join(folder, SOLUTION), solution));
    alone(folder, () => {
      // Tracks of an earlier run would be taken for those of this one.
      for (const name of RUN_FILES) {
        if (name === "result.json" || !staged.has(name)) removeResult(folder, name);
      }
      for (const name of RUN_FILES) staged.get(name)?.commit();
    });
  } catch (error) {
    for (const file of staged.values()) file.discard();
    throw error;
  }
  return ["result.json", ...RUN_FILES]
    .filter((name, n, all) => all.indexOf(name) === n && staged.has(name))
    .map((name) => join(folder, name));
}

/** The text of result.json. */
export function resultText(row: ResultRow): string {
  return `${JSON.stringify(JSON.parse(formatRow(row)), null, 2)}\n`;
}

function contentsOf(
  problem: Problem,
  run: Run,
  row: ResultRow,
  image: PictureImage | undefined,
): Map<(typeof RUN_FILES)[number], Content> {
  const contents = new Map<(typeof RUN_FILES)[number], Content>([
    ["history.csv", formatHistory(run.solution.history)],
    ["result.json", resultText(row)],
  ]);
  const { track } = run;
  if (track === null) return contents;
  const x = problem.detections?.x ?? null;
  const y = problem.detections?.y ?? null;
  const z = problem.detections?.z;
  contents.set(
    "tracks.csv",
    formatTracks(
      { frameStart: run.frameStart, x, y, z },
      track,
      problem.numbers,
      run.margins,
      problem.carried,
      run.parents,
    ),
  );
  const picture = (): TrackPicture => ({
    title: pictureTitle(row),
    frameStart: run.frameStart,
    x,
    y,
    z,
    track,
    target: problem.target,
    margin: run.margins?.link ?? null,
    image,
    unit: problem.unit ?? undefined,
    numbers: problem.numbers,
    parents: run.parents,
  });
  if (track.length <= MOST_DRAWN) contents.set("tracks.svg", tracksSvg(picture()));
  const proof = proofOf(run);
  if (proof !== null) contents.set("proof.json", formatProof(proof));
  return contents;
}

/** Removes a file of an earlier run, or the folder of its solution. */
export function removeResult(folder: string, name: string): void {
  const path = join(folder, name);
  if (name === SOLUTION) refuseOtherSolution(folder);
  withFile(path, () => rmSync(path, { force: true, recursive: name === SOLUTION }));
}

/** Makes sure that a folder in the place of the solution is one that may be replaced. */
export function refuseOtherSolution(folder: string): void {
  const path = join(folder, SOLUTION);
  if (isThere(path) && !isZarr(path))
    refuse(path, "is not a solution that rmap wrote", "move it away, or name another folder");
}

/** Milliseconds after which a run that holds a folder, for which it needs a few renames, counts as frozen; and milliseconds between two checks. */
const FROZEN = 5000;
const LOOK_EVERY = 20;

/** Does some work while no other run does it in the same folder. */
function alone(folder: string, work: () => void): void {
  const lock = join(folder, ".rmap-writing");
  for (let waited = 0; !withFile(folder, () => takes(lock, waited >= FROZEN)); waited += LOOK_EVERY) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_EVERY);
  }
  try {
    work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function takes(lock: string, force: boolean): boolean {
  try {
    const descriptor = openSync(lock, "wx");
    writeSync(descriptor, String(process.pid));
    closeSync(descriptor);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    if (force || !isOtherProcess(holderOf(lock))) rmSync(lock, { force: true });
    return false;
  }
}

/** The number of the process that holds a lock; one that is just being written is this process's to wait for. */
function holderOf(lock: string): number {
  try {
    return Number(readFileSync(lock, "utf8") || process.ppid);
  } catch {
    return 0;
  }
}

/** The two shares of wrong links and the share of points on the right track. */
function describeErrors(scores: NonNullable<ResultRow["scores"]>): string {
  const shown = (["misses", "falseLinks", "idf1"] as const).map(
    (name) => ` · ${METRICS[name].label} ${formatScore(name, scores[name] ?? null)}`,
  );
  return shown.join("");
}

/** The heading of a picture: the problem, the gap and the scores. */
export function pictureTitle({ name, gapPercent, scores, status }: ResultRow): string {
  const gap = gapPercent === null ? "gap unknown" : `certified gap ${Number(gapPercent.toPrecision(2))} %`;
  const errors = scores ? describeErrors(scores) : "";
  return `${name}\n${status === "optimal" ? "proved optimal" : gap}${errors}`;
}
