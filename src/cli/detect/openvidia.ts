import { Option } from "commander";
import { strongestPlaces } from "../../core/keypoints.js";
import { detectOpenvidia } from "../../pixels/features/openvidia/detect.js";
import { OPENVIDIA_DEFAULTS } from "../../pixels/features/openvidia/openvidia.js";
import { nonNegative } from "../options.js";
import { many } from "../print.js";
import { FORMATS, format } from "./keypoint-formats.js";
import type { DetectMethod } from "./method.js";
import { descriptorForm, formOf, luma, picture, top } from "./options.js";
import { detectEach } from "./output.js";

export const openvidiaMethod: DetectMethod = {
  description: "corners with a direction and SIFT's descriptor at one scale (OpenVIDIA, as in Mücke 2007 §5.3)",
  options: [
    format(),
    new Option("--corner-threshold <number>", "least det/trace of the structure tensor")
      .argParser(nonNegative)
      .default(OPENVIDIA_DEFAULTS.threshold),
    new Option("--randomness <share>", "least λ₂/(1 + (λ₁ + λ₂)/2); below it is an edge")
      .argParser(nonNegative)
      .default(OPENVIDIA_DEFAULTS.randomness),
    ...descriptorForm(),
    top(),
    picture(),
    luma(),
  ],
  examples: [
    "rmap detect image.png --method openvidia --format lowe -o image.key",
    "rmap detect image.png --method openvidia --directions 4 --bins cosine -o image.csv",
  ],
  run: (inputs, flags) => {
    const { extension, encode } = FORMATS[flags.format as string];
    const options = {
      ...formOf(flags),
      threshold: flags.cornerThreshold as number,
      randomness: flags.randomness as number,
    };
    return detectEach(inputs, flags, { extension, kernels: true }, async (image, session) => {
      const all = await detectOpenvidia(image, options, { device: session });
      const keypoints = flags.top === undefined ? all : strongestPlaces(all, flags.top as number);
      const n = keypoints.x.length;
      return { summary: many(n, "feature"), json: { keypoints: n }, content: encode(keypoints), marks: keypoints };
    });
  },
};
