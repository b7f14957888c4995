/** `rmap solve --window`: a recording as a stream, from CSV to CSV. */
import { basename, join } from "node:path";
import type { Readable } from "node:stream";
import { isStdin, openInputStream } from "../../files/input-stream.js";
import { type DetectionStream, streamDetections } from "../../formats/detection-stream.js";
import type { DetectionsMetadata } from "../../formats/detections-metadata.js";
import { FramesInOrder } from "../../formats/frames-in-order.js";
import { notesOfReading, type Reading } from "../../formats/reading.js";
import { RowWarnings } from "../../formats/row-warnings.js";
import { tracksHeader } from "../../formats/tracks.js";
import { relativeGap } from "../../map/certificate/gap.js";
import { DEFAULT_ASCENT } from "../../map/dual/ascents.js";
import { appendRow, ensureAppendable, type ResultRow } from "../../rows/results.js";
import { type Backend, openBackend } from "../../run/device.js";
import { NATS_PER_DETECTION, SOLVE_DEFAULTS } from "../../run/run.js";
import { openWindows, type WindowCaller } from "../../run/windows/caller.js";
import type { InputFrame } from "../../run/windows/frames.js";
import type { WindowSettings } from "../../run/windows/jobs.js";
import { KEEPS_NOTHING, KeepingFolder } from "../../run/windows/kept.js";
import { WindowRun } from "../../run/windows/windows.js";
import { now } from "../clock.js";
import type { Outcome } from "../declaration/declaration.js";
import { EXIT } from "../exit.js";
import { Interrupt } from "../interrupt.js";
import { many, printProblem } from "../print.js";
import type { Progress } from "../progress.js";
import { afterSolve, describeRun } from "../run-text.js";
import { shortcoming } from "../shortcoming.js";
import { windowCosts } from "./costs.js";
import { WindowOutput } from "./output.js";
import { refuseForWindows, type WindowFlags } from "./refusals.js";
import { windowsRow } from "./row.js";
import { type OpenShard, openShard, shardOutcome, surveyOfShards } from "./shard.js";
import { readSurveyed, type Survey } from "./survey.js";

/** Folder beside the results for the windows that an unfinished run has solved. */
const UNFINISHED = "unfinished";

/** Windows of fewer frames are closed as soon as they can be, on one thread. */
const PROMPT_BELOW = 20;

export async function solveWindows(
  input: string,
  flags: WindowFlags,
  progress: Progress,
): Promise<Outcome | undefined> {
  refuseForWindows(input, flags);
  const piped = isStdin(input);
  const source = openInputStream(input);
  if (flags.append !== undefined) ensureAppendable(flags.append);
  const threads = flags.window !== "auto" && flags.window < PROMPT_BELOW ? 1 : flags.threads;
  const backend = await openBackend("cpu", { threads, now });
  const solving = new WindowedSolve(input, source, { ...flags, threads }, backend, progress, piped);
  try {
    await solving.read();
  } finally {
    await solving.close();
    await backend.close();
  }
  return solving.outcome();
}

/** One recording, from its rows to its tracks. */
class WindowedSolve {
  readonly #began = now();
  readonly #interrupt = new Interrupt(() => {
    this.source.destroy();
    this.#caller.close();
  });
  /** The input as messages name it. */
  readonly #place: string;
  readonly #velocities: boolean;
  readonly #frames: FramesInOrder;
  readonly #output: WindowOutput;
  readonly #warnings = new RowWarnings();
  readonly #notes: string[] = [];
  readonly #limits;
  readonly #nats: number;
  readonly #caller: WindowCaller;
  /** null where nothing is kept. */
  readonly #kept: KeepingFolder | null;
  #run: WindowRun | null = null;
  #shard: OpenShard | null = null;
  /** Where shards have looked through the recording before. */
  #survey: Survey | null = null;
  #learned: Pick<ResultRow, "motion" | "choices" | "estimates"> = {};
  #mayDivide = false;
  #unit: string | undefined;
  #reading: Reading | null = null;
  #failure: unknown = null;

  constructor(
    private readonly input: string,
    private readonly source: Readable,
    private readonly flags: WindowFlags,
    private readonly backend: Backend,
    progress: Progress,
    private readonly piped: boolean,
  ) {
    this.#place = piped ? "stdin" : input;
    this.#velocities = flags.estimateVelocities !== true;
    this.#frames = new FramesInOrder(this.#place);
    this.#output = new WindowOutput(
      flags.output,
      () => this.#frames.numbers,
      progress,
      () => this.#mayDivide,
    );
    this.#limits = {
      gapPercent: flags.gap ?? SOLVE_DEFAULTS.gapPercent,
      iterations: flags.iterations ?? SOLVE_DEFAULTS.iterations,
      seconds: null,
    };
    this.#nats = flags.gap === undefined ? NATS_PER_DETECTION : 0;
    const { threads, output } = flags;
    this.#caller = openWindows(threads, this.#pause);
    // The rows of a pipe may never end, and need not come again.
    this.#kept = output === undefined || piped ? null : new KeepingFolder(join(output, UNFINISHED));
  }

  /** Reads and solves the recording to its end, or to an interrupt or a failure. */
  async read(): Promise<void> {
    this.#interrupt.listen();
    this.#interrupt.answer();
    try {
      const isHeard = () => this.#interrupt.heard;
      if (this.flags.shard !== undefined)
        this.#shard = await openShard(this.input, this.flags, (timeStep) => this.#settings(timeStep), isHeard);
      else if (this.#kept !== null) this.#survey = await surveyOfShards(this.#kept, this.input, this.flags);
      if (this.flags.shard?.number === 0) return;
      const rows: DetectionStream = {
        ...{ asked: this.flags, velocities: this.#velocities, space: true, carry: true, warnings: this.#warnings },
        onStart: (...read) => this.#begin(...read),
        onRow: (row) => this.#frames.add(row),
        onPause: this.#solveRead,
      };
      const { complete, reading } = await this.#readAll(rows);
      this.#reading = reading;
      if (!complete)
        this.#notes.push("The last row has no line end: if the input was cut there, so may its last number be.");
      if (!this.#interrupt.heard) await (this.#shard?.decisions ?? this.#run)?.end();
    } catch (error) {
      if (this.#shard?.decisions.isDone === true) await this.#shard.decisions.end();
      else if (!this.#interrupt.heard) this.#failure = error;
    }
  }

  async #readAll(rows: DetectionStream) {
    const survey = this.#survey;
    if (survey === null || survey.places.length === 0) {
      const place = this.#shard?.place ?? null;
      const resumed = place && { place, pieces: openInputStream(this.input, undefined, place.offset) };
      const end = await streamDetections(this.#place, this.source, rows, resumed);
      this.#frames.end();
      await this.#solveRead();
      return end;
    }
    const frames = readSurveyed(this.input, this.source, survey, rows, this.#caller);
    for await (const [, some] of frames) await this.#solve(some);
    return survey;
  }

  async close(): Promise<void> {
    this.#interrupt.close();
    await this.#caller.close();
    this.#output.close();
  }

  /** Writes the last files of a run, and describes it; undefined where there is nothing but a problem. */
  outcome(): Outcome | undefined {
    if (this.#shard !== null && this.#failure === null)
      return shardOutcome(this.#name(), this.flags, this.#shard, this.#interrupt.heard);
    const totals = this.#run?.totals() ?? null;
    if (this.#failure !== null || totals === null || (totals.windows === 0 && !totals.ended)) {
      if (totals !== null && totals.windows > 0)
        printProblem(`${totals.windows} windows were closed before; their tracks are written`);
      if (this.#failure !== null) throw this.#failure;
      printProblem(this.#describeInterrupted());
      process.exitCode = EXIT.interrupted;
      return undefined;
    }
    const { output, append } = this.flags;
    const others = totals.ended ? (this.#kept?.others ?? 0) : 0;
    if (others > 0) {
      const what = `${many(others, "decided window")} in ${join(output as string, UNFINISHED)}`;
      this.#notes.push(`Not used, and left there: ${what}, of other options, costs, another input or version.`);
    }
    const row = windowsRow(totals, {
      name: this.#name(),
      file: this.input,
      flags: this.flags,
      limits: this.#limits,
      nats: this.#nats,
      learned: this.#learned,
      numbers: this.#frames.numbers,
      reading: this.#reading,
      warnings: this.#survey?.warnings ?? this.#warnings.notes(),
      output: this.#output,
      notes: [...this.#notesOfReading(), ...this.#notes],
      goesOn: this.#kept !== null,
      taken: this.#run?.found.taken ?? 0,
      seconds: now() - this.#began,
    });
    const written = this.#output.finish(row, this.#unit);
    if (totals.ended) this.#kept?.forget();
    if (append !== undefined) appendRow(append, row);
    const next = afterSolve(output, "the tracks and a picture of them");
    const told = { written, doubts: null, verbose: this.flags.verbose === true, next };
    const outcome = { text: describeRun(row, told), json: row, aside: output === undefined };
    const gap = totals.ended ? relativeGap(totals.lowerBound, totals.upperBound) : Number.POSITIVE_INFINITY;
    return { ...outcome, ...shortcoming(row, { status: row.status, gap }, this.flags, this.#interrupt.heard) };
  }

  #name(): string {
    return basename(this.#place).replace(/\.[^.]*$/, "");
  }

  #notesOfReading(): string[] {
    return this.#reading === null ? [] : notesOfReading(this.#reading);
  }

  /** Lets a signal be heard between two iterations, which then ends them: the tracks of closed windows are kept. */
  readonly #pause = async (): Promise<void> => {
    await new Promise((resume) => setImmediate(resume));
    if (this.#interrupt.heard) throw new Error("interrupted");
  };

  #begin(
    metadata: DetectionsMetadata,
    ignored: readonly string[],
    carried: readonly string[],
    hasTargets: boolean,
    hasDepths: boolean,
  ): void {
    if (ignored.length > 0) this.#notes.push(`Columns not read: ${ignored.join(", ")}.`);
    this.#unit = metadata.unit ?? undefined;
    this.#frames.begin(metadata, hasDepths);
    if (this.#survey !== null) this.#frames.resume(0, this.#survey.numbers);
    if (this.#shard !== null) {
      const { place, survey } = this.#shard;
      if (place !== null) this.#frames.resume(place.frame, survey.numbers);
      return;
    }
    this.#run = new WindowRun(this.#settings(metadata.timeStep ?? 1), this.#output);
    const headerWith = (written: readonly string[]) => tracksHeader(written, carried, hasDepths, this.#frames.numbers);
    this.#output.open(headerWith, hasTargets);
  }

  #settings(timeStep: number): WindowSettings {
    const { window, overlap, learn, ascent = DEFAULT_ASCENT } = this.flags;
    const { iterations, gapPercent } = this.#limits;
    return {
      size: window === "auto" ? null : window,
      overlap: overlap ?? null,
      learnFrames: learn ?? null,
      timeStep,
      velocities: this.#velocities,
      options: { ascent, iterations, gap: gapPercent / 100, differencePerDetection: this.#nats },
      caller: this.#caller,
      keeper: this.#kept ?? KEEPS_NOTHING,
      learn: (sample) => this.#learn(sample),
    };
  }

  async #learn(sample: Parameters<WindowSettings["learn"]>[0]): ReturnType<WindowSettings["learn"]> {
    const { name, estimate } = windowCosts(sample, this.flags, this.#limits);
    const make = () => estimate(this.backend, () => this.#interrupt.heard);
    const { value } = await (this.#kept ?? KEEPS_NOTHING).keep("costs", () => name, make);
    const { learned, fields, notes } = value;
    this.#learned = fields;
    this.#mayDivide = learned.statement.division !== null;
    this.#notes.push(...notes);
    return { ...learned, name };
  }

  /** Solves the frames that have been read. */
  readonly #solveRead = (): Promise<void> => this.#solve(this.#frames.taken());

  async #solve(frames: readonly InputFrame[]): Promise<void> {
    for (const frame of frames) {
      if (this.#interrupt.heard) return;
      await (this.#shard?.decisions ?? this.#run)?.add(frame);
      // Ends the reading.
      if (this.#shard?.decisions.isDone === true) throw new Error("no frame that comes later matters");
    }
  }

  /** How to go on after an interruption before any window was closed. */
  #describeInterrupted(): string {
    const { output } = this.flags;
    const held = this.#run?.found.held ?? 0;
    const ended = "interrupted before the first window was closed: no tracks are written";
    if (output !== undefined && held > 0)
      return `${ended}; ${many(held, "window")} found so far ${held === 1 ? "is" : "are"} kept in ${join(output, UNFINISHED)}, and the same command goes on with ${held === 1 ? "it" : "them"}`;
    if (output !== undefined && !this.piped)
      return `${ended} and no window was found yet; the same command begins anew`;
    const remedy = this.piped ? "a file and -o FOLDER" : "-o FOLDER";
    return `${ended} and nothing is kept; with ${remedy} the same command goes on with the windows that were found`;
  }
}
