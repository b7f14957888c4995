import { strongestPlaces } from "../../core/keypoints.js";
import { detectOpenvidia, OPENVIDIA_DEFAULTS } from "../../pixels/features/openvidia/openvidia.js";
import { option } from "../declaration/declaration.js";
import { luma, top } from "../options/images.js";
import { nonNegative } from "../options/values.js";
import { many } from "../print.js";
import { FORMATS, format } from "./keypoint-formats.js";
import { detectMethod } from "./method.js";
import { descriptorForm, formOf, pictureOfFound } from "./options.js";
import { detectEach } from "./output.js";

export const openvidiaMethod = detectMethod({
  summary: "corners on edges, with a direction and SIFT's descriptor at one scale (OpenVIDIA, as in Mücke 2007 §5.3)",
  options: {
    format: format(),
    cornerThreshold: option("--corner-threshold <number>", "least det/trace of the structure tensor", nonNegative).or(
      OPENVIDIA_DEFAULTS.threshold,
    ),
    randomness: option(
      "--randomness <share>",
      "least λ₂/(1 + (λ₁ + λ₂)/2) of a corner; below it is an edge",
      nonNegative,
    ).or(OPENVIDIA_DEFAULTS.randomness),
    ...descriptorForm(),
    top: top("features"),
    picture: pictureOfFound(),
    luma: luma(),
  },
  examples: [
    "rmap detect image.png --method openvidia --format lowe -o image.key",
    "rmap detect image.png --method openvidia --directions 4 --bins cosine -o image.csv",
  ],
  run: (inputs, flags) => {
    const { encode, ...written } = FORMATS[flags.format];
    const options = { ...formOf(flags), threshold: flags.cornerThreshold, randomness: flags.randomness };
    return detectEach(inputs, flags, { ...written, kernels: true }, async (image, session, { frame }) => {
      const all = await detectOpenvidia(image, options, { device: session });
      const keypoints = flags.top === undefined ? all : strongestPlaces(all, flags.top);
      const n = keypoints.x.length;
      return {
        summary: many(n, "feature"),
        json: { keypoints: n },
        content: encode(keypoints, frame),
        marks: keypoints,
      };
    });
  },
});
