import { existsSync } from "node:fs";
import { Command, InvalidArgumentError, Option } from "commander";
import { openInputStream } from "../files/input-stream.js";
import { refuse } from "../files/refusal.js";
import { writeWhole } from "../files/whole-file.js";
import { streamDetections } from "../formats/detection-stream.js";
import { RowWarnings } from "../formats/row-warnings.js";
import { readTrackState, trackStateText } from "../formats/track-state.js";
import { provenance } from "../rows/provenance.js";
import { ASSOCIATORS, type AssociatorName, openAssociator } from "../run/associators.js";
import { FrameClock } from "../run/frame-clock.js";
import { LineComparison } from "../run/line-errors.js";
import { TrackRun } from "../run/track.js";
import { TRACK_DEFAULTS } from "../run/track-options.js";
import { REACH_SHARE } from "../run/track-settings.js";
import { warmUp } from "../run/warm-up.js";
import type { Line } from "../track/line.js";
import type { StreamCounts } from "../track/stream.js";
import { SCORE_RULE, type ScoreRule, type View } from "../track/tracker.js";
import { EXIT } from "./exit.js";
import { Interrupt } from "./interrupt.js";
import { inputFile, outputFile } from "./named-files.js";
import { integer, positive, refuseGiven } from "./options.js";
import { many, printText } from "./print.js";
import { catchUp, outputOf } from "./resume.js";
import { RowFile } from "./row-file.js";
import { describeTracking, type TrackReport } from "./track-text.js";

/** Frames after which the state is left again, so that a killed run has little to catch up with. */
const STATE_EVERY = 1000;

/** Bytes of an earlier run's decisions in which an unfinished last row is looked for. */
const LAST = 4096;

interface TrackFlags {
  readonly output?: string;
  readonly json?: true;
  readonly associate: AssociatorName;
  readonly device: "gpu" | "software";
  readonly dMax?: number;
  readonly displacement?: readonly [number, number];
  readonly voteFrames: number;
  readonly epsilon: number;
  readonly rounds: number;
  readonly noise: { q: number; r: number } | null;
  readonly score: ScoreRule;
  readonly view: View | "auto" | null;
  readonly line?: Line;
  readonly decisions?: string;
  readonly reorder: number;
  readonly state?: string;
  readonly realtime?: number;
}

export function trackCommand(): Command {
  const { start, up, down, most, least } = SCORE_RULE;
  return new Command("track")
    .description(
      "Track frame by frame, as measurements arrive: a row for each as its frame closes, and a summary at the end.",
    )
    .argument("<detections>", "CSV: frame,x,y[,target], frames in order; - reads stdin", inputFile)
    .option("-o, --output <file>", "write the rows frame,detection,track,x,y there instead of stdout", outputFile)
    .option("--json", "print the summary as one JSON object")
    .addOption(new Option("--associate <name>", "who links tracks and measurements").choices(ASSOCIATORS).default("jv"))
    .addOption(
      new Option("--device <name>", "of gpu-auction and block-hungarian").choices(["gpu", "software"]).default("gpu"),
    )
    .option(
      "--d-max <length>",
      `largest distance from a prediction (default: ${REACH_SHARE} of the median nearest-neighbour distance)`,
      positive,
    )
    .option("--displacement <dx,dy>", "of new tracks, a frame (default: voted over the first frames)", pair)
    .option("--vote-frames <n>", "first frames that are held back to vote", integer(2, 1000), TRACK_DEFAULTS.voteFrames)
    .option("--epsilon <share>", "ε of an auction, of d_max", positive, 1e-4)
    .option("--rounds <n>", "of an auction, after which jv decides the frame", integer(1, 1e9), 10_000)
    .addOption(
      new Option("--noise <q,r>", "standard deviations of acceleration and measurement, or auto: estimated")
        .argParser(noise)
        .default(null, "auto"),
    )
    .addOption(
      new Option("--score <numbers>", "start,up,down,most,least of a track's score")
        .argParser(score)
        .default({ start, up, down, most, least }, [start, up, down, most, least].join()),
    )
    .addOption(
      new Option(
        "--view <xmin,xmax,ymin,ymax>",
        "what the camera sees, ends may be empty; auto: the box of what was seen",
      )
        .argParser(view)
        .default(null, "none"),
    )
    .option("--line <x=…>", "separation line, x=… or y=…", line)
    .option("--decisions <file>", "when and where each track reaches the line, as CSV", outputFile)
    .option("--reorder <frames>", "frames held back for rows that come late", integer(0, 100_000), 0)
    .option("--state <file>", "go on from there if it exists, and leave the state there at the end", outputFile)
    .option(
      "--realtime <hertz>",
      "time every frame, against a camera of this rate, after made-up ones that warm the engine up",
      positive,
    )
    .addHelpText(
      "after",
      `
Examples:
  $ rmap simulate scenarios/belt/cylinders.json | rmap track - -o tracks.csv
  $ rmap track belt.csv --realtime 200 --associate auction -o tracks.csv
  $ rmap track belt.csv --view 0.2,0.35,, --line x=0.39 --decisions decisions.csv -o tracks.csv
  $ camera | rmap track - --state line1.json --reorder 2 > tracks.csv

Lengths are those of the file, times are counted in frames. Details: docs/sorting.md.`,
    )
    .action(trackAction);
}

async function trackAction(input: string, flags: TrackFlags, command: Command): Promise<void> {
  const { associate } = flags;
  if (!associate.endsWith("auction"))
    refuseGiven(command, ["epsilon", "rounds"], `is of an auction, and ${associate} is none; leave it out`);
  if (associate !== "gpu-auction" && associate !== "block-hungarian")
    refuseGiven(command, ["device"], `${associate} runs on the CPU; leave it out`);
  if (flags.decisions !== undefined && flags.line === undefined)
    refuse("--decisions", "there is no line", "give --line too");
  if (/\.(xml|json)$/i.test(input)) refuse(input, "is not CSV by its ending", "give CSV: frame,x,y[,target]");
  const name = input === "-" ? "stdin" : input;
  const source = openInputStream(input);
  const state = flags.state !== undefined && existsSync(flags.state) ? readTrackState(flags.state) : null;
  const resumed = state !== null;
  const rows = flags.output === undefined ? null : new RowFile(flags.output, "frame,detection,track,x,y", resumed);
  const decisions =
    flags.decisions === undefined
      ? null
      : new RowFile(
          flags.decisions,
          "track,decided,time,position,last_seen_time,last_seen_position,measurements",
          resumed,
        );
  if (rows === null && !resumed) process.stdout.write("frame,detection,track,x,y\n");
  const associator = await openAssociator(flags.associate, flags);
  const warmed = flags.realtime === undefined ? 0 : await warmUp(associator);
  const clock = flags.realtime === undefined ? null : new FrameClock(flags.realtime);
  const comparison = flags.line === undefined ? null : new LineComparison(() => run.summary().reach ?? 1);
  let crossings = 0;
  const run: TrackRun = new TrackRun({
    associator,
    reach: flags.dMax ?? null,
    displacement: flags.displacement ?? null,
    voteFrames: flags.voteFrames,
    noise: flags.noise,
    score: flags.score,
    view: flags.view,
    line: flags.line ?? null,
    held: flags.reorder,
    state,
    clock,
    onRows: (text) => (rows === null ? process.stdout.write(text) : rows.write(text)),
    onCrossing: (crossing, target) => {
      crossings++;
      const { track, decided, time, position, plainTime, plainPosition, measured } = crossing;
      decisions?.write(`${track},${decided},${time},${position},${plainTime},${plainPosition},${measured}\n`);
      if (target !== null) comparison?.decided(target, crossing);
    },
    onPassage: (target, time, position) => comparison?.passed(target, time, position),
  });
  const caughtUp = state !== null && rows !== null ? await catchUp(run, rows, state) : 0;
  if (resumed) decisions?.rowsFrom(Math.max(0, decisions.bytes - LAST));
  let left = state === null ? -1 : run.closed;
  const leave = () => {
    const now = run.state();
    if (flags.state !== undefined && now !== null)
      writeWhole(flags.state, trackStateText({ ...now, output: outputOf(rows) }));
    left = run.closed;
  };
  const interrupt = new Interrupt(() => source.destroy());
  interrupt.listen();
  interrupt.answer();
  let timeStep: number | null = null;
  let unit: string | null = null;
  const notes: string[] = [];
  const warnings = new RowWarnings();
  if (caughtUp > 0)
    notes.push(`${caughtUp} frames that an earlier run wrote after it left its state were tracked again.`);
  let failure: unknown = null;
  try {
    const { complete } = await streamDetections(name, source, {
      warnings,
      onStart: (metadata, ignored) => {
        ({ timeStep, unit } = metadata);
        if (metadata.step !== 1) {
          const problem = `states step=${metadata.step}, and track looks for targets in every frame`;
          refuse(name, problem, "number the frames one by one, or use rmap solve, which knows of steps");
        }
        if (ignored.length > 0) notes.push(`Columns not read: ${ignored.join(", ")}.`);
      },
      // No more of a row is kept until its frame is closed.
      onRow: ({ frame, x, y, target }) => run.add({ frame, x, y, target }),
      onPause: async () => {
        await run.flush();
        if (left < 0 ? run.closed >= 0 : run.closed >= left + STATE_EVERY) leave();
      },
    });
    if (!complete) notes.push("The last row has no line end: if the input was cut there, so may its last number be.");
    await run.end();
  } catch (error) {
    // Frames that were closed are still tracked and written.
    if (!interrupt.heard) failure = error;
    await run.flush();
  } finally {
    interrupt.close();
    await associator.close();
    leave();
    rows?.close();
    decisions?.close();
  }
  if (failure !== null) throw failure;
  const summary = run.summary();
  const report: TrackReport = {
    input: name,
    associate: associator.name,
    ran: associator.ran,
    ...summary,
    timeStep,
    unit,
    resumed,
    interrupted: interrupt.heard,
    crossings: flags.line === undefined ? null : crossings,
    line: comparison === null || comparison.errors().compared === 0 ? null : comparison.errors(),
    times: clock?.times() ?? null,
    warmed,
    notes: [
      ...notes,
      ...warnings.notes(),
      ...run.notes,
      ...emptyNote(summary.counts),
      ...lateNote(resumed ? 0 : summary.counts.lateRows),
    ],
  };
  const text = flags.json ? `${JSON.stringify({ ...report, ...provenance(new Date()) })}\n` : describeTracking(report);
  printText(text, rows === null ? process.stderr : process.stdout);
  if (interrupt.heard) process.exitCode = EXIT.interrupted;
}

function emptyNote({ frames, emptyFrames }: StreamCounts): string[] {
  if (emptyFrames <= frames) return [];
  const all = frames + emptyFrames;
  return [
    `${emptyFrames} of ${all} frames are empty. If frames are counted in steps, divide their numbers by the step.`,
  ];
}

/** Of a run that goes on, the rows that the run before has had are late too. */
function lateNote(rows: number): string[] {
  if (rows === 0) return [];
  return [
    `${many(rows, "row")} came after a later frame had closed ${rows === 1 ? "its" : "their"} own, and ${rows === 1 ? "is" : "are"} in no track: sort the rows by frame, or hold frames back by --reorder.`,
  ];
}

function numbers(text: string, count: number): number[] {
  const parts = text.split(",").map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
  if (parts.length === count && parts.every(Number.isFinite)) return parts;
  throw new InvalidArgumentError(`Give ${count} numbers, separated by commas.`);
}

function pair(text: string): readonly [number, number] {
  const [dx, dy] = numbers(text, 2);
  return [dx, dy];
}

function noise(text: string): TrackFlags["noise"] {
  if (text === "auto") return null;
  const [q, r] = numbers(text, 2);
  if (q > 0 && r > 0) return { q, r };
  throw new InvalidArgumentError("Give two standard deviations above 0, Q,R, or auto.");
}

function score(text: string): ScoreRule {
  const [start, up, down, most, least] = numbers(text, 5);
  if (up >= 0 && down >= 0 && most >= start && start >= least) return { start, up, down, most, least };
  throw new InvalidArgumentError(
    "Give START,UP,DOWN,MOST,LEAST with UP and DOWN of 0 or more and LEAST ≤ START ≤ MOST.",
  );
}

function view(text: string): TrackFlags["view"] {
  if (text === "none") return null;
  if (text === "auto") return "auto";
  const ends = text.split(",").map((part, k) => (part.trim() === "" ? [-Infinity, Infinity][k % 2] : Number(part)));
  const [left, right, bottom = -Infinity, top = Infinity] = ends;
  if ((ends.length === 2 || ends.length === 4) && left < right && bottom < top) return [left, right, bottom, top];
  throw new InvalidArgumentError("Give XMIN,XMAX,YMIN,YMAX, least first, any of them empty; or auto, or none.");
}

function line(text: string): Line {
  const match = /^([xy])=(.+)$/.exec(text.trim());
  const at = Number(match?.[2]);
  if (match !== null && Number.isFinite(at)) return { axis: match[1] as "x" | "y", at };
  throw new InvalidArgumentError("Give x=… or y=…, as in x=0.39.");
}
