/** The options of `rmap bench`. */
import { InvalidArgumentError } from "commander";
import { SETTINGS } from "../../formats/settings.js";
import { option } from "../declaration/declaration.js";
import { gateOption as anyGate } from "./costs.js";
import { appendRows } from "./output.js";
import { gpuDevice, seed, threads, time } from "./running.js";
import { integer, setting } from "./values.js";

/** Those of the published tables. */
const USUAL_SIZES = "50,100,200,300";

export const benchOptions = () => ({
  sizes: option("--sizes <list>", "N or NxT, separated by commas: N targets in T frames, or in N", sizes).or(
    sizes(USUAL_SIZES),
    USUAL_SIZES,
  ),
  device: gpuDevice("both engines run"),
  repeat: option("--repeat <n>", "repetitions of each timing, after a warm-up", integer(1, 1000)).or(5),
  time: time("stop the naive engine at each size after this long").or(60).formerly("--time-limit"),
  threads: threads(" of the CPU engine"),
  seed: seed("the costs").or(1),
  append: appendRows("a row for each size"),
});

export const gateOption = () => anyGate().or({ epsilon: 5 }, "5");

export const iterations = () =>
  option("--iterations <n>", "iterations of the ascent", setting(SETTINGS.iterations)).or(20);

const SIZE = /^(\d{1,4})(?:x(\d{1,4}))?$/;

/** "50,100x20": 50 targets in 50 frames, and 100 in 20. */
function sizes(text: string): { n: number; t: number }[] {
  return text.split(",").map((part) => {
    const match = SIZE.exec(part.trim());
    const [n, t] = [Number(match?.[1]), Number(match?.[2] ?? match?.[1])];
    if (n >= 2 && t >= 2) return { n, t };
    throw new InvalidArgumentError(
      "Give sizes from 2 to 9999, as in 50,100x20: 50 targets in 50 frames and 100 in 20.",
    );
  });
}
