import { join } from "node:path";
import { type FrameNumbers, frameNumber } from "../../core/frame-numbers.js";
import { ensureFolder, writeWhole } from "../../files/whole-file.js";
import { PARENT } from "../../formats/tracks.js";
import { finiteOrNull, type ResultRow } from "../../rows/results.js";
import { FirstFrames } from "../../run/windows/first-frames.js";
import type { InputFrame } from "../../run/windows/frames.js";
import type { ClosedWindow, FrameTracks, WindowEvents } from "../../run/windows/windows.js";
import { pictureTitle, RUN_FILES, removeResult, resultText, WINDOW_LOG } from "../../run/write.js";
import { ScoreStream } from "../../scores/score-stream.js";
import { TrackLengths } from "../../scores/track-lengths.js";
import type { Progress } from "../progress.js";
import { RowFile } from "../row-file.js";
import { formatNumber } from "../text.js";

/** Tracks as their windows close: to files in a folder, or to standard output, and into scores where there are true targets. */
export class WindowOutput implements WindowEvents {
  readonly lengths = new TrackLengths();
  readonly #firstFrames = new FirstFrames();
  #headerWith: (written: readonly string[]) => string = () => "";
  /** Whether tracks have mothers, null until the first are written. */
  #divides: boolean | null = null;
  #scores: ScoreStream | null = null;
  #rows: RowFile | null = null;
  #log: RowFile | null = null;
  #nats = 0;

  constructor(
    private readonly folder: string | undefined,
    private readonly numbers: () => FrameNumbers,
    private readonly progress: Progress,
    private readonly mayDivide: () => boolean,
  ) {
    if (folder !== undefined) ensureFolder(folder);
  }

  /**
   * Begins the output, once the header of the input has been read.
   * @param headerWith the header of tracks.csv with some more columns
   */
  open(headerWith: (written: readonly string[]) => string, hasTargets: boolean): void {
    this.#headerWith = headerWith;
    if (hasTargets) this.#scores = new ScoreStream();
    if (this.folder === undefined) return;
    // Files of an earlier run would pass for this one's. Their links by other names stay.
    for (const name of [...RUN_FILES, WINDOW_LOG]) removeResult(this.folder, name);
    this.#rows = new RowFile(join(this.folder, "tracks.csv"), null, false);
    this.#log = new RowFile(join(this.folder, WINDOW_LOG), null, false);
  }

  onTracks(frame: number, input: InputFrame, { track, parent, single }: FrameTracks): void {
    this.#scores?.add(input.target ?? [], track, single);
    this.lengths.add(track);
    if (this.folder !== undefined) this.#firstFrames.add(input, track, parent);
    if (this.#divides === null) {
      this.#divides = this.mayDivide();
      this.#write(`${this.#headerWith(this.#divides ? [PARENT] : [])}\n`);
    }
    this.#write(formatFrame(frameNumber(this.numbers(), frame), input, track, this.#divides ? parent : null));
  }

  #write(text: string): void {
    if (this.#rows === null) process.stdout.write(text);
    else this.#rows.write(text);
  }

  onWindow(window: ClosedWindow): void {
    const numbers = this.numbers();
    this.#log?.write(`${JSON.stringify(windowRow(window, numbers))}\n`);
    this.#nats += window.cost - window.lowerBound;
    this.progress.show("windows closed:", window.window + 1, undefined, () => {
      const last = frameNumber(numbers, window.frames[1]);
      return `, up to frame ${last}, gap so far ${formatNumber(this.#nats)} nats`;
    });
  }

  close(): void {
    this.#rows?.close();
    this.#log?.close();
    this.progress.end();
  }

  /** null without true targets. */
  scores(): ReturnType<ScoreStream["scores"]> {
    return this.#scores?.scores() ?? null;
  }

  /** Writes the picture and the result into the folder; returns the names of all files there. */
  finish(row: ResultRow, unit: string | undefined): string[] {
    const { folder } = this;
    if (folder === undefined) return [];
    const picture = this.#firstFrames.svg(pictureTitle(row), row.frames, row.scores !== null, unit);
    writeWhole(join(folder, "tracks.svg"), picture);
    writeWhole(join(folder, "result.json"), resultText(row));
    return ["result.json", "tracks.csv", WINDOW_LOG, "tracks.svg"].map((name) => join(folder, name));
  }
}

/** Rows of tracks.csv, with the cells of the input that are handed on. */
function formatFrame(
  frame: number,
  { x, y, z, carried = [] }: InputFrame,
  track: readonly number[],
  parent: readonly number[] | null,
): string {
  const mother = (d: number) => (parent === null ? "" : `,${parent[d] < 0 ? "" : parent[d]}`);
  return track
    .map((t, d) => `${frame},${d},${t},${x[d]},${y[d]}${z ? `,${z[d]}` : ""}${mother(d)}${carried[d] ?? ""}\n`)
    .join("");
}

/** A line of windows.jsonl. */
function windowRow({ frames, lowerBound, cost, ...rest }: ClosedWindow, numbers: FrameNumbers) {
  return {
    ...rest,
    frames: frames.map((frame) => frameNumber(numbers, frame)),
    lowerBound: finiteOrNull(lowerBound),
    cost,
    gapNats: finiteOrNull(cost - lowerBound),
  };
}
