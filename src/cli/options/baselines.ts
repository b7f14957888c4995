/** The options of `rmap bench baselines`. */
import { InvalidArgumentError } from "commander";
import { BASELINE_METHODS } from "../../rows/baselines.js";
import { type Everywhere, type FlagsOf, oneOf, option } from "../declaration/declaration.js";
import { appendRows } from "./output.js";
import { readingOptions } from "./reading.js";
import { seed, threads, time } from "./running.js";
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
  shard: option(
    "--shard <k/n>",
    "make every n-th run from the k-th only, so that n processes share the work",
    shard,
  ).or({ number: 1, of: 1 }, "1/1"),
};

export type BaselineFlags = FlagsOf<typeof baselineOptions> & Everywhere;

/** Every `of`-th run from the `number`-th, counted from 1. */
function shard(text: string): { number: number; of: number } {
  const [number, of] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).slice(1).map(Number);
  if (number >= 1 && number <= of) return { number, of };
  throw new InvalidArgumentError("Give k/n with k from 1 to n, as in 2/16.");
}
