/** The options of `rmap bench baselines`. */
import { BASELINE_METHODS } from "../../rows/baselines.js";
import { type Everywhere, type FlagsOf, oneOf, option } from "../declaration/declaration.js";
import { appendRows } from "./output.js";
import { readingOptions } from "./reading.js";
import { seed, shard, threads, time } from "./running.js";
import { integer } from "./values.js";

export const baselineOptions = {
  append: appendRows("a row for each run").formerly("-o").formerly("--output"),
  methods: option("--methods <list>", `some of ${BASELINE_METHODS.join(", ")}`, (text) =>
    text.split(",").map((name) => oneOf(BASELINE_METHODS, name)),
  ).or([...BASELINE_METHODS], "all"),
  detections: option(
    "--detections <n>",
    "take the first frames of a recording that hold this many",
    integer(10, 1e9),
  ).or(3000),
  ...readingOptions(),
  seed: seed("the first simulation, and of faults").or(1),
  seeds: option("--seeds <n>", "seeds of each simulation", integer(1, 1000)).or(2),
  time: time("seconds for each solve, passes included").or(60),
  threads: threads(" of the solves"),
  shard: shard("every n-th run from the k-th").or({ number: 1, of: 1 }, "1/1"),
};

export type BaselineFlags = FlagsOf<typeof baselineOptions> & Everywhere;
