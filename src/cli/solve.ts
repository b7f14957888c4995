import { join } from "node:path";
import { InputError } from "../core/errors.js";
import { dismissTeam, hireAhead } from "../core/team.js";
import { isStdin } from "../files/input-stream.js";
import { ensureFolder } from "../files/whole-file.js";
import { type Input, readInput, readPipedDetections } from "../formats/input.js";
import { provenance } from "../rows/provenance.js";
import { appendRow, ensureAppendable, type ResultRow, WEAK_MARGIN } from "../rows/results.js";
import { assignmentOf } from "../run/assignment.js";
import { type Backend, openBackend } from "../run/device.js";
import { unsureLinks } from "../run/margins.js";
import { expectedDetections } from "../run/problem.js";
import type { ShardProcess } from "../run/shards/start.js";
import { solveInput } from "../run/solve-input.js";
import { notWritten, refuseOtherSolution, writeRun } from "../run/write.js";
import { now } from "./clock.js";
import { argument, command, type Outcome } from "./declaration/declaration.js";
import { TimeUp } from "./exit.js";
import { Interrupt } from "./interrupt.js";
import { problemInput } from "./options/files.js";
import { type SolveFlags, solveOptions } from "./options/solving.js";
import { notesOnce, printText } from "./print.js";
import type { Progress } from "./progress.js";
import { afterSolve, describeRun, describeUnsure } from "./run-text.js";
import { shortcoming } from "./shortcoming.js";
import { showExact, showIteration, showPricing } from "./solve-progress.js";

export const solve = command({
  group: "Tracks",
  summary: "Link detections into tracks at the least cost, with a certified gap.",
  arguments: {
    input: argument(
      "scenario (.json), detections (CSV: frame,x,y[,vx,vy][,target]; - reads standard input), graph (GEFF) or instance folder",
      problemInput,
    ),
  },
  options: solveOptions(),
  examples: [
    "rmap solve scenarios/demo.json -o results/demo",
    "rmap solve scenarios/paper/n050-t050.json --gap 0 --json",
    "rmap solve scenarios/data/opensky_uk_60s.csv -o results/opensky",
    "rmap solve detections.csv --links corrections.csv -o results/corrected",
    "rmap solve scenarios/wide.json --unsure 1",
    "rmap solve scenarios/wide.json --exact -o results/wide && rmap check results/wide/proof.json scenarios/wide.json",
    "rmap solve detections.csv -o tracks/ --over frames.npy",
    "rmap solve long.csv --window auto -o results/long",
    "camera | rmap solve - --window 5 > tracks.csv",
    "rmap simulate scenarios/demo.json | rmap solve - --births none",
    "rmap solve candidates.geff --properties cost=weight -o results/cells",
    "rmap solve my-instance/ --ascent polyak --time 10 --require-gap 0.1",
    "srun --ntasks 4 --cpus-per-task 16 rmap solve detections.csv --shards hosts -o results/hosts",
  ],
  notes: `A graph has nodes t, y, x, and perhaps z, and candidate edges from a frame to the next; without edges it is detections. Its properties, all but
one optional, are costs in one unit, less being better: cost of an edge and node-cost of a node that is chosen, birth and death of a node where a track begins
and ends, unused of one that is not chosen, division of one that may have two edges out. A score, where it is named, is a cost with the other sign.
exclusion numbers sets, of each of which at most one node is chosen, as of the pairs in overlaps/ids, where ultrack has them; pinned requires (true, 1) or forbids (false, 0) a node or an edge. Each has its own name as a
property if no other is named, but node-cost, which is cost, and score. The solution is solution.geff, with margins of edges and divisions.
With --window, tracks.svg shows the first frames only, and there are no margins, proofs, cuts, required links or costs but motion
(docs/how-to/long-recordings.md). A run of a file that was stopped goes on when the same command, with -o, is given again.`,
  async run({ input }, flags, { progress }) {
    const { window, open, output } = flags;
    if (open && output === undefined)
      throw new InputError("--open shows tracks.svg, and no folder is given for it; give -o FOLDER");
    // Modules that a plain solve does not need are loaded where they are needed: loading is most of a short run.
    const outcome =
      window === undefined
        ? await solveAtOnce(input, flags, progress)
        : await (await import("./windows/solve-windows.js")).solveWindows(input, { ...flags, window }, progress);
    if (open && output !== undefined) await (await import("./open.js")).openFile(join(output, "tracks.svg"));
    return outcome;
  },
});

/** Detections from which all threads are needed in any case. */
const HIRED_FROM = 50_000;

async function solveAtOnce(input: string, flags: SolveFlags, progress: Progress): Promise<Outcome> {
  refuseForWhole(flags);
  const met = flags.shards === "hosts" ? await (await import("./hosts.js")).meet(input, flags) : flags.shards;
  if (typeof met === "object" && "text" in met) return met;
  // The first Ctrl-C stops the ascent, certifies and writes the present tracks; the second ends the program.
  const interrupt = new Interrupt();
  try {
    return await solveWhole(input, flags, progress, interrupt, met);
  } catch (error) {
    if (!(error instanceof RangeError && /allocation|length/i.test(error.message))) throw error;
    throw new InputError(`${input}: too large for the memory of this machine (${error.message}); narrow the gate`);
  } finally {
    interrupt.close();
    if (typeof met === "object") await Promise.all(met.map((one) => one.end()));
  }
}

function refuseForWhole(flags: SolveFlags): void {
  if (flags.xLaps !== undefined && flags.device === "cpu")
    throw new InputError("--x-laps chooses kernels of a GPU; leave it out, or --device cpu");
  for (const option of ["overlap", "learn", "shard"] as const) {
    if (flags[option] !== undefined) throw new InputError(`--${option}: is for windows; give --window too`);
  }
  if (flags.shards !== undefined && flags.profile === true)
    throw new InputError("--profile times the kernels of one process; leave it out, or --shards");
  if (flags.exact === true && flags.cuts === "none")
    throw new InputError("--exact works by cuts; leave out --cuts none, or --exact");
  if (flags.assignment === true && flags.json !== true)
    throw new InputError("--assignment is part of --json; give --json too");
  if (flags.over !== undefined && flags.output === undefined)
    throw new InputError("--over is for tracks.svg, and no folder is given for it; give -o FOLDER");
}

async function solveWhole(
  path: string,
  flags: SolveFlags,
  progress: Progress,
  interrupt: Interrupt,
  shards: number | readonly ShardProcess[] | undefined,
): Promise<Outcome> {
  const began = now();
  const input = await readInTime(path, flags, began, interrupt);
  // Checked before the work, but after the errors that are more frequent.
  if (flags.output !== undefined) {
    ensureFolder(flags.output);
    refuseOtherSolution(flags.output);
  }
  if (flags.append !== undefined) ensureAppendable(flags.append);
  const image =
    flags.over === undefined
      ? undefined
      : await (await import("../run/underlay.js")).readUnderlay(flags.over, notesOnce());
  const { threads, xLaps, device } = flags;
  // They load, and draw what is simulated, while a device is opened.
  if (expectedDetections(input) >= HIRED_FROM) hireAhead(threads);
  const on = { threads, now, profile: flags.profile === true, ...(xLaps && { xLaps }) };
  let opening: Promise<Backend> | null = null;
  const open = () => {
    opening ??=
      shards === undefined
        ? openBackend(device, on)
        : import("../run/shards/backend.js").then(({ ShardedBackend }) => new ShardedBackend(device, shards, on));
    return opening;
  };
  const { problem, run } = await solveOn(open, input, flags, began, progress, interrupt).finally(() => {
    dismissTeam();
    return opening?.then(
      (backend) => backend.close(),
      () => undefined,
    );
  });
  const notes = flags.output === undefined ? run.result.notes : [...run.result.notes, ...notWritten(run)];
  // From the start of the process, which is the time that a user waits.
  const times = { ...run.result.times, wall: now() };
  const row: ResultRow = { ...run.result, notes, times, ...provenance(new Date()) };
  const written = flags.output === undefined ? [] : writeRun(flags.output, problem, run, row, image);
  if (flags.append !== undefined) appendRow(flags.append, row);
  const { unsure: limit, verbose = false, output } = flags;
  const unsure = limit === undefined ? "" : describeUnsure(unsureLinks(run, problem.numbers, limit), limit);
  if (flags.json) printText(unsure, process.stderr);
  const told = { written, doubts: unsureLinks(run, problem.numbers, WEAK_MARGIN), verbose, next: afterSolve(output) };
  const json = flags.assignment ? { ...row, assignment: assignmentOf(run, problem.numbers) } : row;
  const outcome = { text: describeRun(row, told) + unsure, json };
  return { ...outcome, ...shortcoming(row, run.solution, flags, interrupt.heard) };
}

async function readInTime(path: string, flags: SolveFlags, began: number, interrupt: Interrupt): Promise<Input> {
  const { time } = flags;
  const inTime = () => {
    if (time === undefined || now() - began <= time) return;
    throw new TimeUp(`--time ${time}: it was over while ${path} was read; give more`);
  };
  const piped = isStdin(path);
  if (piped) interrupt.listen();
  const source = { ...flags, heard: inTime };
  const input = piped ? await readPipedDetections(source) : await readInput(path, source);
  if (input.kind === "detections") inTime();
  if (!piped) interrupt.listen();
  return input;
}

function solveOn(
  open: () => Promise<Backend>,
  input: Input,
  flags: SolveFlags,
  began: number,
  progress: Progress,
  interrupt: Interrupt,
) {
  const priced = showPricing(progress);
  return solveInput(open, input, flags, {
    now,
    began,
    priced: (done, total) => {
      refuseLate(flags.time, now() - began, done, total);
      priced(done, total);
    },
    answer: () => interrupt.answer(),
    iterated: showIteration(progress),
    exactProgress: showExact(progress),
    interrupted: () => interrupt.heard,
  });
}

/** Ends a run whose time is over before there is anything to certify. */
function refuseLate(limit: number | undefined, seconds: number, done: number, total: number): void {
  if (limit === undefined || seconds <= limit || done === total) return;
  const share = Math.round((100 * done) / total);
  throw new TimeUp(`--time ${limit}: it was over when pricing was at ${share} %; give more, or narrow the gate`);
}
