/** Options that several methods of `rmap detect` share. */
import { InvalidArgumentError, Option } from "commander";
import type { DescriptorForm } from "../../pixels/features/sift/descriptor.js";
import { outputFile } from "../named-files.js";
import { integer, nonNegative, positive } from "../options.js";

export const luma = () =>
  new Option("--luma <weights>", "grey of colours: ITU-R BT.601 as OpenCV, or BT.709")
    .argParser((text) => {
      if (text === "601" || text === "709") return Number(text);
      throw new InvalidArgumentError("Allowed choices are 601, 709.");
    })
    .default(601);
export const top = () => new Option("--top <n>", "keep the n strongest").argParser(integer(1, 1e7));
export const picture = () =>
  new Option(
    "--picture <file>",
    "draw what was found over the image (.svg); a folder where there are several images",
  ).argParser(outputFile);
export const sigma = () => new Option("--sigma <pixels>", "blur of the image first").argParser(positive);
export const quality = () =>
  new Option("--quality <share>", "least response over the largest").argParser(nonNegative).default(0.01);
export const distance = (pixels: number) =>
  new Option("--distance <pixels>", `least distance between corners (default: klt 7, harris 0)`)
    .argParser(nonNegative)
    .default(undefined, String(pixels));
/** The descriptor's form: the thesis's variants. */
export const descriptorForm = () => [
  new Option(
    "--directions <n>",
    "of a cell of the descriptor: 8 make 128 numbers; 4 make 64, with a 0 after each in files",
  )
    .choices(["4", "8"])
    .default("8"),
  new Option(
    "--bins <how>",
    "linear: a gradient counts for the nearest two directions; cosine: for all, as OpenVIDIA's",
  )
    .choices(["linear", "cosine"])
    .default("linear"),
];
export const formOf = (flags: Readonly<Record<string, unknown>>): DescriptorForm => ({
  directions: flags.directions === "4" ? 4 : 8,
  bins: flags.bins === "cosine" ? "cosine" : "linear",
});
