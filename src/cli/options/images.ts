/** Options of commands that read images. */
import { InvalidArgumentError } from "commander";
import { SAMPLE_TYPES } from "../../files/images/samples.js";
import { choice, grouped, option } from "../declaration/declaration.js";
import { integer, positive, size } from "./values.js";

export const luma = () =>
  option("--luma <weights>", "how colours become grey: 601 for ITU-R BT.601, as in OpenCV; 709 for BT.709", (text) => {
    if (text === "601" || text === "709") return Number(text) as 601 | 709;
    throw new InvalidArgumentError("Allowed choices are 601, 709.");
  }).or(601);

export const channel = () =>
  option("--channel <n>", "channel to read of a TIFF file that has several, 1 the first", integer(1, 1000));

export const top = (of: string) => option("--top <n>", `keep only the n strongest ${of}`, integer(1, 1e7));

export const peak = (least: number) =>
  option("--peak <contrast>", "least |D| of a SIFT place, as OpenCV's contrastThreshold", positive).or(least);

export const precision = <Name extends string>(of: string, names: readonly Name[], usual: NoInfer<Name>) =>
  choice("--precision <format>", `number format of ${of}`, names).or(usual);

/** Of sequences that carry no header. */
export const rawFrames = () =>
  grouped("Raw frames, which have no header", {
    size: option("--size <WxH>", "size of a frame", size),
    type: choice("--type <name>", "type of a sample", SAMPLE_TYPES),
  });
