import { existsSync } from "node:fs";
import type { Readable } from "node:stream";
import { openInputStream } from "../../files/input-stream.js";
import { refuse } from "../../files/refusal.js";
import { writeWhole } from "../../files/whole-file.js";
import { streamDetections } from "../../formats/detection-stream.js";
import type { DetectionsMetadata } from "../../formats/detections-metadata.js";
import { notesOfReading } from "../../formats/reading.js";
import { READ, RowWarnings } from "../../formats/row-warnings.js";
import { readTrackState, type TrackStateFile, trackStateText } from "../../formats/track-state.js";
import { openAssociator } from "../../run/associators.js";
import { FrameClock } from "../../run/frame-clock.js";
import { LineComparison } from "../../run/line-errors.js";
import { TrackRun } from "../../run/track.js";
import type { TrackOptions } from "../../run/track-options.js";
import { warmUp } from "../../run/warm-up.js";
import type { Associator } from "../../track/associate.js";
import type { StreamCounts } from "../../track/stream.js";
import { Interrupt } from "../interrupt.js";
import type { TrackFlags } from "../options/track.js";
import { many } from "../print.js";
import type { Progress } from "../progress.js";
import { RowFile } from "../row-file.js";
import { catchUp, outputOf } from "./resume.js";
import type { TrackReport } from "./text.js";

/** Frames after which the state is left again, so that a killed run has little to catch up with. */
const STATE_EVERY = 1000;

/** Bytes of an earlier run's decisions in which an unfinished last row is looked for. */
const LAST = 4096;

const HEADER = "frame,detection,track,x,y";
const DECISIONS_HEADER = "track,decided,time,position,last_seen_time,last_seen_position,measurements";

/** A stream that is tracked, with the files that it writes. */
export class Tracking {
  readonly #rows: RowFile | null;
  readonly #decisions: RowFile | null;
  readonly #clock: FrameClock | null;
  readonly #comparison: LineComparison | null;
  readonly #run: TrackRun;
  readonly #warnings = new RowWarnings();
  readonly #notes: string[] = [];
  readonly #interrupt = new Interrupt(() => this.source.destroy());
  #crossings = 0;
  /** Frame up to which the state was left, −1 before there is one. */
  #left = -1;
  #timeStep: number | null = null;
  #unit: string | null = null;
  #warmed = 0;

  static async open(input: string, flags: TrackFlags, progress: Progress): Promise<Tracking> {
    const source = openInputStream(input);
    const state = flags.state !== undefined && existsSync(flags.state) ? readTrackState(flags.state) : null;
    const place = input === "-" ? "stdin" : input;
    const associator = await openAssociator(flags.associate, { ...flags, epsilon: flags.bidStep });
    const tracking = new Tracking(place, source, flags, state, associator, progress);
    await tracking.#prepare();
    return tracking;
  }

  private constructor(
    private readonly place: string,
    private readonly source: Readable,
    private readonly flags: TrackFlags,
    private readonly state: TrackStateFile | null,
    private readonly associator: Associator,
    private readonly progress: Progress,
  ) {
    const { output, decisions, realtime, line } = flags;
    const resumed = state !== null;
    this.#rows = output === undefined ? null : new RowFile(output, HEADER, resumed);
    this.#decisions = decisions === undefined ? null : new RowFile(decisions, DECISIONS_HEADER, resumed);
    if (this.#rows === null && !resumed) process.stdout.write(`${HEADER}\n`);
    this.#clock = realtime === undefined ? null : new FrameClock(realtime);
    this.#comparison = line === undefined ? null : new LineComparison(() => this.#run.summary().reach ?? 1);
    this.#run = new TrackRun(this.#options());
  }

  #options(): TrackOptions {
    const { flags } = this;
    return {
      associator: this.associator,
      reach: flags.dMax ?? null,
      displacement: flags.displacement ?? null,
      voteFrames: flags.voteFrames,
      noise: flags.filterNoise,
      score: flags.score,
      view: flags.view,
      line: flags.line ?? null,
      held: flags.reorder,
      state: this.state,
      clock: this.#clock,
      onRows: (text) => (this.#rows === null ? process.stdout.write(text) : this.#rows.write(text)),
      onCrossing: (crossing, target) => {
        this.#crossings++;
        const { track, decided, time, position, plainTime, plainPosition, measured } = crossing;
        this.#decisions?.write(`${track},${decided},${time},${position},${plainTime},${plainPosition},${measured}\n`);
        if (target !== null) this.#comparison?.decided(target, crossing);
      },
      onPassage: (target, time, position) => this.#comparison?.passed(target, time, position),
    };
  }

  /** Warms the engine up, and goes to where an earlier run was. */
  async #prepare(): Promise<void> {
    if (this.flags.realtime !== undefined) this.#warmed = await warmUp(this.associator);
    if (this.state === null) return;
    const frames = this.#rows === null ? 0 : await catchUp(this.#run, this.#rows, this.state);
    this.#decisions?.rowsFrom(Math.max(0, this.#decisions.bytes - LAST));
    this.#left = this.#run.closed;
    if (frames > 0)
      this.#notes.push(`${frames} frames that an earlier run wrote after it left its state were tracked again.`);
  }

  /** Tracks the stream to its end or to an interrupt. */
  async read(): Promise<void> {
    this.#interrupt.listen();
    this.#interrupt.answer();
    let failure: unknown = null;
    try {
      const { complete, reading } = await streamDetections(this.place, this.source, {
        asked: this.flags,
        warnings: this.#warnings,
        onStart: (metadata, ignored) => this.#start(metadata, ignored),
        // No more of a row is kept until its frame is closed.
        onRow: ({ frame, x, y, target }) => this.#run.add({ frame, x, y, target }),
        onPause: async () => {
          await this.#run.flush();
          const { closed } = this.#run;
          // A terminal to which the rows go shows how far it is.
          if (this.#rows !== null || !process.stdout.isTTY) this.progress.show("frame", closed);
          if (this.#left < 0 ? closed >= 0 : closed >= this.#left + STATE_EVERY) this.#leaveState();
        },
      });
      const said = reading === null ? [] : notesOfReading(reading);
      this.#notes.unshift(...said.filter((note) => note.startsWith(READ)));
      if (!complete)
        this.#notes.push("The last row has no line end: if the input was cut there, so may its last number be.");
      await this.#run.end();
    } catch (error) {
      // Frames that were closed are still tracked and written.
      if (!this.#interrupt.heard) failure = error;
      await this.#run.flush();
    } finally {
      this.#interrupt.close();
      await this.associator.close();
      this.#leaveState();
      this.#rows?.close();
      this.#decisions?.close();
    }
    if (failure !== null) throw failure;
  }

  #start({ timeStep, unit, step }: DetectionsMetadata, ignored: readonly string[]): void {
    this.#timeStep = timeStep;
    this.#unit = unit;
    if (step !== 1) {
      const problem = `states step=${step}, and track looks for targets in every frame`;
      refuse(this.place, problem, "number the frames one by one, or use rmap solve, which knows of steps");
    }
    if (ignored.length > 0) this.#notes.push(`Columns not read: ${ignored.join(", ")}.`);
  }

  #leaveState(): void {
    const now = this.#run.state();
    if (this.flags.state !== undefined && now !== null)
      writeWhole(this.flags.state, trackStateText({ ...now, output: outputOf(this.#rows) }));
    this.#left = this.#run.closed;
  }

  report(): TrackReport {
    const summary = this.#run.summary();
    const resumed = this.state !== null;
    const errors = this.#comparison?.errors() ?? null;
    return {
      input: this.place,
      associate: this.associator.name,
      ran: this.associator.ran,
      ...summary,
      timeStep: this.#timeStep,
      unit: this.#unit,
      resumed,
      interrupted: this.#interrupt.heard,
      crossings: this.flags.line === undefined ? null : this.#crossings,
      line: errors === null || errors.compared === 0 ? null : errors,
      times: this.#clock?.times() ?? null,
      warmed: this.#warmed,
      notes: [
        ...this.#notes,
        ...this.#warnings.notes(),
        ...this.#run.notes,
        ...emptyNote(summary.counts),
        // The rows that an earlier run has had come late in one that goes on.
        ...lateNote(resumed ? 0 : summary.counts.lateRows),
      ],
    };
  }
}

function emptyNote({ frames, emptyFrames }: StreamCounts): string[] {
  if (emptyFrames <= frames) return [];
  const all = frames + emptyFrames;
  return [
    `${emptyFrames} of ${all} frames are empty. If frames are counted in steps, divide their numbers by the step.`,
  ];
}

function lateNote(rows: number): string[] {
  if (rows === 0) return [];
  return [
    `${many(rows, "row")} came after a later frame had closed ${rows === 1 ? "its" : "their"} own, and ${rows === 1 ? "is" : "are"} in no track: sort the rows by frame, or hold frames back by --reorder.`,
  ];
}
