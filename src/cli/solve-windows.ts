/** `rmap solve --window`: a recording as a stream, from CSV to CSV. */
import { rmSync } from "node:fs";
import { basename, join } from "node:path";
import { performance } from "node:perf_hooks";
import { areCounted, frameNumber } from "../core/frame-numbers.js";
import { loadQueue } from "../experiments/sweep/load-queue.js";
import { openInputStream } from "../files/input-stream.js";
import { ensureFolder, writeWhole } from "../files/whole-file.js";
import { streamDetections } from "../formats/detection-stream.js";
import type { DetectionsMetadata } from "../formats/detections-metadata.js";
import { FramesInOrder } from "../formats/frames-in-order.js";
import { RowWarnings } from "../formats/row-warnings.js";
import { tracksHeader } from "../formats/tracks.js";
import { meetsGap, relativeGap } from "../map/certificate/gap.js";
import { DEFAULT_ASCENT } from "../map/dual/ascents.js";
import { provenance } from "../rows/provenance.js";
import { appendRow, ensureAppendable, finiteOrNull, formatRow, type ResultRow } from "../rows/results.js";
import { openBackend } from "../run/device.js";
import { roughSolves } from "../run/estimate-costs.js";
import { motionFields } from "../run/motion-passes.js";
import { NATS_PER_DETECTION, plainPricing, SOLVE_DEFAULTS, warnOfSingles } from "../run/run.js";
import { FirstFrames } from "../run/windows/first-frames.js";
import { keepWindows } from "../run/windows/kept.js";
import { learnCosts } from "../run/windows/learn.js";
import { solveHere, type WindowCaller, WindowRun } from "../run/windows/windows.js";
import { pictureTitle, RUN_FILES, resultText, WINDOW_LOG } from "../run/write.js";
import { METRIC_NAMES, METRICS } from "../scores/metrics.js";
import { ScoreStream } from "../scores/score-stream.js";
import { TrackLengths } from "../scores/track-lengths.js";
import { EXIT } from "./exit.js";
import { Interrupt } from "./interrupt.js";
import { many, printProblem, printText } from "./print.js";
import { RowFile } from "./row-file.js";
import { describeRun, formatPercent } from "./text.js";
import { refuseForWindows, type WindowFlags } from "./window-refusals.js";
import { formatFrame, WindowProgress, windowRow } from "./window-text.js";

/** Folder beside the results for what an unfinished run has found. */
const UNFINISHED = "unfinished";

/** Windows of fewer frames are closed as soon as they can be, on one thread. */
const PROMPT_BELOW = 20;

export async function solveWindows(inputPath: string, flags: WindowFlags): Promise<void> {
  refuseForWindows(inputPath, flags);
  const began = performance.now();
  const now = () => performance.now() / 1000;
  const piped = inputPath === "-" || inputPath === "/dev/stdin";
  const source = openInputStream(inputPath);
  const { output, births = "auto", gate = "auto" } = flags;
  if (output !== undefined) ensureFolder(output);
  if (flags.append !== undefined) ensureAppendable(flags.append);
  const threads = flags.window !== "auto" && flags.window < PROMPT_BELOW ? 1 : flags.threads;
  const queued = { solved: 0, here: 0 };
  /** Lets a signal be heard between two iterations, which then ends them: what was found in closed windows is kept. */
  const pause = async (): Promise<void> => {
    await new Promise((resume) => setImmediate(resume));
    if (interrupt.heard) throw new Error("interrupted");
  };
  const solver =
    flags.queue === undefined ? solveHere(threads, pause) : await openQueue(flags.queue, threads, queued, pause);
  // What comes through a pipe may never end, and need not come again.
  const kept = output === undefined || piped ? null : keepWindows(solver, join(output, UNFINISHED));
  const caller = kept ?? solver;
  let header = "";
  let rows: RowFile | null = null;
  let log: RowFile | null = null;
  /** Once the header of the input has been read. */
  const openOutput = (): void => {
    if (output === undefined) process.stdout.write(`${header}\n`);
    else {
      // What an earlier run left would pass for this one's; and what is linked to it by another name stays.
      for (const name of [...RUN_FILES, WINDOW_LOG]) rmSync(join(output, name), { force: true });
      rows = new RowFile(join(output, "tracks.csv"), header, false);
      log = new RowFile(join(output, WINDOW_LOG), null, false);
    }
  };
  const progress = new WindowProgress(flags.quiet !== true && process.stderr.isTTY === true);

  const stop = {
    gapPercent: flags.gap ?? SOLVE_DEFAULTS.gapPercent,
    iterations: flags.iterations ?? SOLVE_DEFAULTS.iterations,
    seconds: null,
  };
  const ascent = flags.ascent ?? DEFAULT_ASCENT;
  const nats = flags.gap === undefined ? NATS_PER_DETECTION : 0;
  const backend = await openBackend("cpu", { threads, now });
  let learned: Pick<ResultRow, "motion" | "choices" | "estimates"> = {};
  const drawn = new FirstFrames();
  let unit: string | undefined;
  let scores: ScoreStream | null = null;
  const lengths = new TrackLengths();
  const frames = new FramesInOrder(piped ? "stdin" : inputPath);
  let run: WindowRun | null = null;
  const open = ({ timeStep }: DetectionsMetadata): WindowRun =>
    new WindowRun(
      {
        size: flags.window === "auto" ? null : flags.window,
        overlap: flags.overlap ?? null,
        learnFrames: flags.learn ?? null,
        timeStep: timeStep ?? 1,
        velocities: flags.estimateVelocities !== true,
        options: { ascent, iterations: stop.iterations, gap: stop.gapPercent / 100, differencePerDetection: nats },
        caller,
        pause,
        async learn(sample) {
          const rough = roughSolves(flags.passes ?? null, ascent, stop);
          const overrides = { births, gate, ...(flags.maxGap !== undefined && { maxGap: flags.maxGap }) };
          const pause = () => new Promise<void>((resume) => setImmediate(resume));
          const interrupted = () => interrupt.heard;
          const made = await learnCosts(sample, overrides, { now, threads, backend, pause, interrupted }, rough);
          // Costs of passes that were cut short are none to go on with.
          if (interrupt.heard) throw new Error("interrupted");
          const fields = motionFields(made.motion);
          // Links are counted in the first frames only.
          const { candidates: _, ...choices } = fields.choices;
          learned = { ...fields, choices };
          return made.learned;
        },
      },
      {
        onTracks: (frame, input, track, single) => {
          scores?.add(input.target ?? [], track, single);
          lengths.add(track);
          if (output !== undefined) drawn.add(input, track);
          const text = formatFrame(frameNumber(frames.numbers, frame), input, track);
          if (rows === null) process.stdout.write(text);
          else rows.write(text);
        },
        onWindow: (window) => {
          log?.write(`${JSON.stringify(windowRow(window, frames.numbers))}\n`);
          progress.show(window, frames.numbers);
        },
      },
    );

  const interrupt = new Interrupt(() => {
    source.destroy();
    // The workers go on; waiting for them ends.
    caller.close();
  });
  interrupt.listen();
  interrupt.answer();
  const notes: string[] = [];
  const warnings = new RowWarnings();
  let failure: unknown = null;
  try {
    const take = async () => {
      for (const frame of frames.taken()) {
        if (interrupt.heard) return;
        await run?.add(frame);
      }
    };
    const { complete } = await streamDetections(piped ? "stdin" : inputPath, source, {
      velocities: flags.estimateVelocities !== true,
      carry: true,
      warnings,
      onStart: (metadata, ignored, carried, hasTargets) => {
        if (ignored.length > 0) notes.push(`Columns not read: ${ignored.join(", ")}.`);
        if (metadata.timeStep === null) notes.push("No dt in the first comment line: time step 1 assumed.");
        unit = metadata.unit ?? undefined;
        header = tracksHeader([], carried);
        if (hasTargets) scores = new ScoreStream();
        frames.start(metadata);
        run = open(metadata);
        openOutput();
      },
      onRow: (row) => frames.add(row),
      onPause: take,
    });
    if (!complete) notes.push("The last row has no line end: if the input was cut there, so may its last number be.");
    frames.end();
    await take();
    if (!interrupt.heard) await (run as WindowRun | null)?.end();
  } catch (error) {
    if (!interrupt.heard) failure = error;
  } finally {
    interrupt.close();
    await caller.close();
    await backend.close();
    (rows as RowFile | null)?.close();
    (log as RowFile | null)?.close();
    progress.end();
  }
  const totals = (run as WindowRun | null)?.totals() ?? null;
  if (failure !== null || totals === null || (totals.windows === 0 && !totals.ended)) {
    if (totals !== null && totals.windows > 0) {
      printProblem(`${totals.windows} windows were closed before; their tracks are written`);
    }
    if (failure !== null) throw failure;
    printProblem(describeInterrupted(kept?.held ?? 0, output, piped));
    process.exitCode = EXIT.interrupted;
    return;
  }
  const { ended, lowerBound, upperBound, plan, detections } = totals;
  const tracks = lengths.counts();
  notes.push(...warnings.notes(), ...warnOfSingles(tracks, detections));
  const gap = ended ? relativeGap(lowerBound, upperBound) : Number.POSITIVE_INFINITY;
  if (!ended)
    notes.push(
      `Interrupted: ${totals.windows} windows were closed, with ${detections} detections; no bound of the whole.${kept === null ? "" : " The same command goes on with what was found."}`,
    );
  if (kept !== null && kept.taken > 0)
    notes.push(`Windows found by a run that had stopped, priced and certified again: ${kept.taken}.`);
  if (queued.here > 0) notes.push(`Windows solved here, since a worker of the queue failed on them: ${queued.here}.`);
  const scored = (scores as ScoreStream | null)?.scores() ?? null;
  const unscored = METRIC_NAMES.filter((name) => scored !== null && !(name in scored));
  if (unscored.length > 0)
    notes.push(`Not computed for windows: ${unscored.map((name) => METRICS[name].label).join(", ")}.`);
  const row: ResultRow = {
    name: piped ? "stdin" : basename(inputPath).replace(/\.[^.]*$/, ""),
    status: !ended ? "stopped" : statusOf(gap, stop.gapPercent / 100, upperBound - lowerBound, nats * detections),
    lowerBound: ended ? finiteOrNull(lowerBound) : null,
    upperBound: ended ? finiteOrNull(upperBound) : null,
    gapPercent: finiteOrNull(100 * gap),
    iterations: totals.iterations,
    ascent,
    device: { requested: flags.device, actual: "cpu" },
    precision: "f64",
    threads,
    frames: totals.frames,
    ...(!areCounted(frames.numbers) && { frameNumbers: frames.numbers }),
    detections,
    edges: totals.edges,
    triplets: totals.triplets,
    storage: "csr",
    links: null,
    tracks,
    exact: null,
    scores: scored,
    ...learned,
    ...(plan && {
      windows: {
        count: totals.windows,
        frames: plan.size,
        overlap: plan.overlap,
        learned: totals.learned,
        delay: totals.delay,
        ...(flags.queue !== undefined && { queued: queued.solved }),
      },
    }),
    times: { total: (performance.now() - began) / 1000 },
    seed: null,
    scenario: {
      source: { kind: "detections", file: inputPath, velocitiesEstimated: flags.estimateVelocities === true },
      pricing: plainPricing({ cost: "motion", gate, births }),
    },
    stop: nats > 0 ? { ...stop, nats: nats * detections } : stop,
    notes,
    ...provenance(new Date()),
  };
  const written =
    output === undefined
      ? []
      : ["result.json", "tracks.csv", WINDOW_LOG, "tracks.svg"].map((name) => join(output, name));
  if (output !== undefined) {
    writeWhole(join(output, "tracks.svg"), drawn.svg(pictureTitle(row), totals.frames, scored !== null, unit));
    writeWhole(join(output, "result.json"), resultText(row));
    if (ended) kept?.forget();
  }
  if (flags.append !== undefined) appendRow(flags.append, row);
  const text = flags.json ? `${formatRow(row)}\n` : describeRun(row, written);
  printText(text, output === undefined ? process.stderr : process.stdout);
  if (interrupt.heard) process.exitCode = EXIT.interrupted;
  else if (flags.requireGap !== undefined && !meetsGap({ status: row.status, gap }, flags.requireGap / 100)) {
    printProblem(`the gap of ${formatPercent(row.gapPercent)} is too large; --require-gap ${flags.requireGap} %`);
    process.exitCode = EXIT.belowRequired;
  }
}

/** How to go on after an interruption before any window was closed. */
function describeInterrupted(held: number, output: string | undefined, piped: boolean): string {
  const ended = "interrupted before the first window was closed: no tracks are written";
  if (output !== undefined && held > 0)
    return `${ended}; ${many(held, "window")} found so far ${held === 1 ? "is" : "are"} kept in ${join(output, UNFINISHED)}, and the same command goes on with ${held === 1 ? "it" : "them"}`;
  if (output !== undefined && !piped) return `${ended} and no window was found yet; the same command begins anew`;
  const remedy = piped ? "a file and -o FOLDER" : "-o FOLDER";
  return `${ended} and nothing is kept; with ${remedy} the same command goes on with the windows that were found`;
}

/** Workers of a queue; what they do not solve is solved here, and said. */
async function openQueue(
  url: string,
  threads: number,
  queued: { solved: number; here: number },
  pause: () => Promise<void>,
): Promise<WindowCaller> {
  // Loaded only here, since BullMQ takes as long to load as everything else.
  const { windowCaller, withPassword } = await loadQueue();
  return await windowCaller(withPassword(url), threads, {
    notice: printProblem,
    pause,
    answered: (reason) => {
      if (reason === null) queued.solved++;
      else {
        queued.here++;
        printProblem(`a worker of the queue failed, and its window is solved here: ${reason}`);
      }
    },
  });
}

function statusOf(gap: number, asked: number, difference: number, nats: number): string {
  // Bounds are rounded down, costs up: with nothing between them the tracks are optimal.
  if (gap === 0) return "optimal";
  return gap <= asked || difference <= nats ? "gap" : "stalled";
}
