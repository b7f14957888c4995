/** Options that several methods of `rmap detect` share. */
import type { CornerOptions } from "../../pixels/features/corners.js";
import type { DescriptorForm } from "../../pixels/features/sift/descriptor.js";
import { choice, option } from "../declaration/declaration.js";
import { outputFile } from "../options/files.js";
import { picture } from "../options/output.js";
import { nonNegative } from "../options/values.js";

export const pictureOfFound = () =>
  picture("draw there what was found, over the image (.svg); a folder where there are several images");

/** Of corners. */
export const cornerOptions = ({ window, quality, distance }: CornerOptions) => ({
  neighbourhood: choice(
    "--neighbourhood <name>",
    "pixels over which the structure tensor is summed: box3 as OpenCV, gauss3 as Mücke 2007",
    ["box3", "gauss3"],
  )
    .or(window)
    .formerly("--window"),
  quality: option("--quality <share>", "least response, as a share of the largest", nonNegative).or(quality),
  distance: option("--distance <pixels>", "least distance between corners", nonNegative).or(distance),
  response: option("--response <file>", "write the response of every pixel there (.npy, f32)", outputFile),
});

/** The form of a descriptor, as Mücke 2007 varies it. */
export const descriptorForm = () => ({
  directions: choice(
    "--directions <n>",
    "directions of a cell of the descriptor: 8 make 128 numbers; 4 make 64, with a 0 after each in files",
    ["4", "8"],
  ).or("8"),
  bins: choice(
    "--bins <how>",
    "linear: a gradient counts for the nearest two directions; cosine: for all, as OpenVIDIA's",
    ["linear", "cosine"],
  ).or("linear"),
});

export const formOf = ({
  directions,
  bins,
}: {
  readonly directions: "4" | "8";
  readonly bins: DescriptorForm["bins"];
}): DescriptorForm => ({ directions: directions === "4" ? 4 : 8, bins });
