import { performance } from "node:perf_hooks";
import { Command, Option } from "commander";
import { InputError } from "../core/errors.js";
import { COST_NAMES } from "../costs/models/cost-models.js";
import { ensureFolder } from "../files/whole-file.js";
import { type Input, readInput, readPipedDetections } from "../formats/input.js";
import { DEVICE_CHOICES } from "../gpu/adapter.js";
import { meetsGap } from "../map/certificate/gap.js";
import { ASCENTS, DEFAULT_ASCENT } from "../map/dual/ascents.js";
import { provenance } from "../rows/provenance.js";
import { appendRow, ensureAppendable, formatRow, type ResultRow } from "../rows/results.js";
import { type Backend, openBackend } from "../run/device.js";
import { DEFAULT_PASSES } from "../run/motion-passes.js";
import { makeProblem } from "../run/problem.js";
import { NATS_PER_DETECTION, PROBABILITIES_GAP_PERCENT, runProblem, SOLVE_DEFAULTS } from "../run/run.js";
import { TRIPLET_STORAGES } from "../run/storage.js";
import { notWritten, RUN_FILES, WINDOW_LOG, writeRun } from "../run/write.js";
import { EXIT, TimeUp } from "./exit.js";
import { Interrupt } from "./interrupt.js";
import { imageInput, inputFile, outputFile, outputFolder, problemInput } from "./named-files.js";
import {
  births,
  cost,
  costParameter,
  defaultThreads,
  finite,
  frameCount,
  gapFrames,
  gate,
  iterations,
  nonNegative,
  passes,
  positive,
  queue,
  seed,
  threads,
  windowSize,
} from "./options.js";
import { notesOnce, printProblem, printText } from "./print.js";
import { solveProgress } from "./progress.js";
import type { SolveFlags } from "./solve-flags.js";
import { describeRun, describeUnsure, formatPercent } from "./text.js";

export function solveCommand(): Command {
  return new Command("solve")
    .description("Solve a scenario, a recording or an instance: tracks, and a certified gap.")
    .argument(
      "<input>",
      "scenario (.json), detections (CSV: frame,x,y[,vx,vy][,target]; - reads stdin) or instance folder",
      problemInput,
    )
    .option(
      "-o, --output <folder>",
      "write tracks.csv, result.json, history.csv, tracks.svg and proof.json there",
      outputFolder([...RUN_FILES, WINDOW_LOG]),
    )
    .option("--over <images>", "draw tracks.svg over the first of these images; positions are its pixels", imageInput)
    .option("--append <file>", "append the result as one line to a JSON Lines file", outputFile)
    .option("--json", "print the result as one JSON object")
    .addOption(
      new Option("--ascent <name>", `dual ascent (default: the scenario's, or ${DEFAULT_ASCENT})`).choices(
        Object.keys(ASCENTS),
      ),
    )
    .option("--iterations <n>", `stop after n iterations (default: ${SOLVE_DEFAULTS.iterations})`, iterations)
    .option(
      "--gap <percent>",
      `stop at this gap; 0 asks for a proof (default: ${SOLVE_DEFAULTS.gapPercent}, with cost motion ${PROBABILITIES_GAP_PERCENT}, but not in windows, or ${NATS_PER_DETECTION} nats a detection)`,
      nonNegative,
    )
    .addOption(
      new Option("--cuts <when>", "auto: add cuts where the ascent stalls above the gap; none (default: auto)").choices(
        ["auto", "none"],
      ),
    )
    .option("--exact", "go on with cuts and a tree until the tracks are proved optimal (needs the package highs)")
    .option("--time <seconds>", "give an answer after so many seconds, reading and pricing counted", positive)
    .option(
      "--require-gap <percent>",
      "exit with code 3 when the certified gap is larger; tracks that are proved optimal meet 0",
      nonNegative,
    )
    .option("--unsure <margin>", "list the links whose certified margin is below this, least sure first", finite)
    .option("--threads <n>", "worker threads; the result does not depend on them", threads, defaultThreads())
    .option("--seed <n>", "seed of the simulation, instead of the scenario's", seed)
    .addOption(new Option("--device <name>", "where the ascent runs").choices(DEVICE_CHOICES).default("auto"))
    .option("--cost <name>", `cost of links and triplets: ${COST_NAMES.join(", ")}, or a file (./mine.mjs)`, cost)
    .option("--cost-parameter <name=value>", "set a parameter of the cost; may be repeated", costParameter)
    .option("--gate <epsilon>", "gate: ε (speed · δt · ε), radius=LENGTH, none, or auto", gate)
    .option("--max-gap <n>", "cost motion: frames in a row that a target may be missed (default: estimated)", gapFrames)
    .addOption(
      new Option(
        "--divisions <when>",
        "cost motion: auto: find targets that divide and price it; none (default: auto, none where --births is stated)",
      ).choices(["auto", "none"]),
    )
    .option(
      "--passes <n>",
      `cost motion: passes that estimate and solve (default: ${DEFAULT_PASSES}, two more where detections were missed, one for long recordings and where targets divide)`,
      passes,
    )
    .option(
      "--window <frames>",
      "solve a recording window by window as it is read, in memory that does not grow with it: frames, or auto (docs/windows.md)",
      windowSize,
    )
    .option("--overlap <frames>", "frames that a window sees beyond its own (default: as many, at most 20)", frameCount)
    .option(
      "--learn <frames>",
      "first frames that the costs of all windows are learned from (default: those of 20,000 detections)",
      frameCount,
    )
    .option(
      "--queue <url>",
      "have the windows solved by workers (rmap worker) at this Redis server: redis://HOST[:PORT]",
      queue,
    )
    .option("--births <costs>", "cost of a track's start and end: auto, none, COST or BIRTH,DEATH", births)
    .option(
      "--links <file>",
      "cost motion: links required or forbidden, a CSV frame,i,j,link[,next] (docs/motion.md)",
      inputFile,
    )
    .option("--estimate-velocities", "do not use the velocities of a recording")
    .addOption(
      new Option(
        "--triplets <storage>",
        "implicit: computed from the links (default, except where costs come with the input); csr: stored; dense: stored, none gated out",
      ).choices(TRIPLET_STORAGES),
    )
    .option("--profile", "time every kernel on a GPU by its own clock (a little slower)")
    .option("-q, --quiet", "no progress on stderr")
    .addHelpText(
      "after",
      `
Examples:
  $ rmap solve scenarios/demo.json -o results/demo
  $ rmap solve scenarios/paper/n050-t050.json --gap 0 --json
  $ rmap solve scenarios/data/opensky_uk_60s.csv -o results/opensky
  $ rmap solve detections.csv --links corrections.csv -o results/corrected
  $ rmap solve scenarios/wide.json --unsure 1
  $ rmap solve scenarios/wide.json --exact -o results/wide && rmap check results/wide/proof.json scenarios/wide.json
  $ rmap solve detections.csv -o tracks/ --over frames.npy
  $ rmap solve long.csv --window auto -o results/long
  $ rmap solve long.csv --window auto -o results/long --queue redis://10.0.0.5    # and on other machines: rmap worker --queue …
  $ camera | rmap solve - --window 5 > tracks.csv
  $ rmap simulate scenarios/demo.json | rmap solve - --births none
  $ rmap solve my-instance/ --ascent polyak --time 10 --require-gap 0.1

With --window, tracks.svg shows the first frames only, and there are no margins, proofs, cuts, required links or costs but motion
(docs/windows.md). A run of a file that was stopped goes on when the same command, with -o, is given again.
The queue's password is read from RMAP_QUEUE_PASSWORD, so that it need not stand on the command line.`,
    )
    .action(solveAction);
}

async function solveAction(inputPath: string, flags: SolveFlags): Promise<void> {
  // What a plain solve does not need is loaded where it is needed: loading is most of a short run.
  if (flags.window !== undefined) {
    const { solveWindows } = await import("./solve-windows.js");
    return solveWindows(inputPath, { ...flags, window: flags.window });
  }
  for (const option of ["overlap", "learn", "queue"] as const) {
    if (flags[option] !== undefined) throw new InputError(`--${option}: is for windows; give --window too`);
  }
  if (flags.exact === true && flags.cuts === "none") {
    throw new InputError("--exact works by cuts; leave out --cuts none, or --exact");
  }
  const now = () => performance.now() / 1000;
  const began = now();
  const progress = solveProgress(flags.quiet !== true && process.stderr.isTTY === true);
  // The first Ctrl-C stops the ascent, certifies and writes what there is; the second ends the program.
  const interrupt = new Interrupt();
  const { threads, time } = flags;
  const solveInput = async (input: Input, opened: Backend) => {
    let backend = opened;
    const problem = await makeProblem(input, flags, {
      threads,
      now,
      progress: (done, total) => {
        refuseLate(time, now() - began, done, total);
        progress.pricing(done, total);
      },
      sized: async (frameStart, triplets) => {
        backend = await opened.suited(frameStart, triplets);
      },
    });
    interrupt.answer();
    const run = await runProblem(problem, {
      ascent: flags.ascent,
      iterations: flags.iterations,
      gapPercent: flags.gap,
      time,
      exact: flags.exact,
      cuts: flags.cuts ?? "auto",
      exactProgress: progress.exact,
      overrides: flags,
      began,
      threads,
      backend,
      now,
      progress: progress.solving,
      interrupted: () => interrupt.heard,
      pause: () => new Promise((resume) => setImmediate(resume)),
    });
    return { problem, run };
  };
  try {
    const inTime = () => {
      if (time === undefined || now() - began <= time) return;
      throw new TimeUp(`--time ${time}: it was over while ${inputPath} was read; give more`);
    };
    const piped = inputPath === "-" || inputPath === "/dev/stdin";
    if (piped) interrupt.listen();
    const input = piped ? await readPipedDetections(inTime) : readInput(inputPath, inTime);
    if (input.kind === "detections") inTime();
    if (!piped) interrupt.listen();
    // Checked before the work, but after the errors that are more frequent.
    if (flags.output !== undefined) ensureFolder(flags.output);
    if (flags.append !== undefined) ensureAppendable(flags.append);
    if (flags.over !== undefined && flags.output === undefined) {
      throw new InputError("--over is for tracks.svg, and no folder is given for it; give -o FOLDER");
    }
    const image =
      flags.over === undefined
        ? undefined
        : await (await import("../run/underlay.js")).readUnderlay(flags.over, notesOnce());
    const opened = await openBackend(flags.device, { threads: flags.threads, now, profile: flags.profile === true });
    const { problem, run } = await solveInput(input, opened).finally(() => opened.close());
    progress.end();
    const notes = flags.output === undefined ? run.result.notes : [...run.result.notes, ...notWritten(run)];
    // From the start of the process: what one waits for the answer.
    const times = { ...run.result.times, wall: now() };
    const row: ResultRow = { ...run.result, notes, times, ...provenance(new Date()) };
    const written = flags.output === undefined ? [] : writeRun(flags.output, problem, run, row, image);
    if (flags.append !== undefined) appendRow(flags.append, row);
    printText(flags.json ? `${formatRow(row)}\n` : describeRun(row, written));
    if (flags.unsure !== undefined) {
      printText(describeUnsure(run, problem.numbers, flags.unsure), flags.json ? process.stderr : process.stdout);
    }
    if (interrupt.heard) process.exitCode = EXIT.interrupted;
    else if (row.status === "unsolved") {
      printProblem(
        "no allowed set of tracks was found, and it is not proved that there is none; allow more links, tracks to start and end, or more time",
      );
      process.exitCode = EXIT.failed;
    } else if (flags.requireGap !== undefined && !meetsGap(run.solution, flags.requireGap / 100)) {
      const gap =
        row.gapPercent === null ? "no gap is known" : `the gap of ${formatPercent(row.gapPercent)} is too large`;
      printProblem(`${gap}; --require-gap ${flags.requireGap} %`);
      process.exitCode = EXIT.belowRequired;
    }
  } catch (error) {
    progress.end();
    if (error instanceof RangeError && /allocation|length/i.test(error.message)) {
      throw new InputError(
        `${inputPath}: too large for the memory of this machine (${error.message}); narrow the gate`,
      );
    }
    throw error;
  } finally {
    interrupt.close();
  }
}

/** Ends a run whose time is over before there is anything to certify. */
function refuseLate(limit: number | undefined, seconds: number, done: number, total: number): void {
  if (limit === undefined || seconds <= limit || done === total) return;
  const share = Math.round((100 * done) / total);
  throw new TimeUp(`--time ${limit}: it was over when pricing was at ${share} %; give more, or narrow the gate`);
}
