/** Options that several methods of `rmap detect` share. */
import { Option } from "commander";
import { integer, nonNegative, path, positive } from "../options.js";

export const luma = () =>
  new Option("--luma <weights>", "grey of colours: ITU-R BT.601 as OpenCV, or BT.709")
    .choices(["601", "709"])
    .argParser((text) => (text === "709" ? 709 : 601))
    .default(601);
export const top = () => new Option("--top <n>", "keep the n strongest").argParser(integer(1, 1e7));
export const picture = () =>
  new Option(
    "--picture <file>",
    "draw what was found over the image (.svg); a folder where there are several images",
  ).argParser(path);
export const sigma = () => new Option("--sigma <pixels>", "blur of the image first").argParser(positive);
export const quality = () =>
  new Option("--quality <share>", "least response over the largest").argParser(nonNegative).default(0.01);
export const distance = (pixels: number) =>
  new Option("--distance <pixels>", `least distance between corners (default: klt 7, harris 0)`)
    .argParser(nonNegative)
    .default(undefined, String(pixels));
