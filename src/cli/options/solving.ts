/** The options of `rmap solve`. */
import { MOST_PARALLEL, SETTINGS } from "../../formats/settings.js";
import { ASCENTS, type AscentName, DEFAULT_ASCENT } from "../../map/dual/ascents.js";
import { NATS_PER_DETECTION, PROBABILITIES_GAP_PERCENT, SOLVE_DEFAULTS } from "../../run/run.js";
import { RUN_FILES, WINDOW_LOG } from "../../run/write.js";
import { choice, type Everywhere, type FlagsOf, grouped, option, toggle } from "../declaration/declaration.js";
import { costOptions } from "./costs.js";
import { imageInput, outputFolder } from "./files.js";
import { appendRows, open, verbose } from "./output.js";
import { readingOptions } from "./reading.js";
import { AUTO_SOLVES, device, profile, shard, threads, xLaps } from "./running.js";
import { finite, frameCount, integerOr, nonNegative, setting } from "./values.js";

export const window = (what: string) => option("--window <frames>", what, integerOr("auto", 3, 1e6));

export const solveOptions = () => ({
  output: option(
    "-o, --output <folder>",
    "write tracks.csv, result.json, history.csv, tracks.svg and proof.json there",
    outputFolder([...RUN_FILES, WINDOW_LOG]),
  ),
  open: open("tracks.svg"),
  over: option("--over <images>", "draw tracks.svg over the first of these images, in its pixels", imageInput),
  append: appendRows("the result"),
  assignment: toggle("--assignment", "with --json: print the columns of tracks.csv too"),
  unsure: option("--unsure <margin>", "list the links whose certified margin is below this, least sure first", finite),
  verbose: verbose("the size of the problem, the gap in nats, and what was estimated and why"),
  requireGap: option(
    "--require-gap <percent>",
    "exit with code 3 when the certified gap is larger; tracks that are proved optimal meet 0",
    nonNegative,
  ),
  ...grouped("How to solve, and when to stop", {
    ascent: choice(
      "--ascent <name>",
      `dual ascent (default: the scenario's, or ${DEFAULT_ASCENT})`,
      Object.keys(ASCENTS) as AscentName[],
    ),
    gap: option(
      "--gap <percent>",
      `${SETTINGS.gap.says} (default: ${SOLVE_DEFAULTS.gapPercent}; for cost motion ${PROBABILITIES_GAP_PERCENT}, except in windows, or ${NATS_PER_DETECTION} nats a detection)`,
      nonNegative,
    ),
    iterations: option(
      "--iterations <n>",
      `${SETTINGS.iterations.says} (default: ${SOLVE_DEFAULTS.iterations})`,
      setting(SETTINGS.iterations),
    ),
    time: option("--time <seconds>", `${SETTINGS.time.says}, reading and pricing counted`, setting(SETTINGS.time)),
    cuts: choice("--cuts <when>", "auto: add cuts where the ascent stalls above the gap, the default; none", [
      "auto",
      "none",
    ] as const),
    exact: toggle("--exact", "go on until the tracks are proved optimal, by cuts and a tree (needs the package highs)"),
  }),
  ...readingOptions(),
  ...costOptions(),
  ...grouped("Long recordings, window by window", {
    window: window(
      "solve a recording as it is read, in memory that does not grow with it: frames of a window, or auto (docs/how-to/long-recordings.md)",
    ),
    overlap: option(
      "--overlap <frames>",
      "frames that a window sees before and after its own (default: as many as it has, at most 20)",
      frameCount,
    ),
    learn: option(
      "--learn <frames>",
      "first frames, from which the costs of all windows are learned (default: those of 20,000 detections)",
      frameCount,
    ),
    shard: shard(
      "one n-th of the windows, kept in -o for the same command without --shard, which joins the tracks; 0 only learns the costs, for all others",
      0,
    ),
  }),
  ...grouped("Where it runs", {
    device: device("the ascent runs", AUTO_SOLVES),
    threads: threads(),
    shards: option(
      "--shards <n>",
      "processes that share the ascent, stretch by stretch of the frames: each with a GPU of its own, or with its part of the threads; hosts: the tasks of an srun, which meet in -o",
      integerOr("hosts", 2, MOST_PARALLEL),
    ),
    xLaps: xLaps(),
    profile: profile(),
  }),
});

export type SolveFlags = FlagsOf<ReturnType<typeof solveOptions>> & Everywhere;
