import { Option } from "commander";
import { strongestPlaces } from "../../core/keypoints.js";
import { detectSift } from "../../pixels/features/sift/detect.js";
import { SCALE_STORAGES, type ScaleStorage } from "../../pixels/features/sift/scale-space.js";
import { SIFT_DEFAULTS } from "../../pixels/features/sift/sift.js";
import { integer, positive } from "../options.js";
import { many } from "../print.js";
import { FORMATS, format } from "./keypoint-formats.js";
import type { DetectMethod } from "./method.js";
import { descriptorForm, formOf, luma, picture, top } from "./options.js";
import { detectEach } from "./output.js";

export const siftMethod: DetectMethod = {
  description: "SIFT keypoints with descriptors (Lowe 2004), following VLFeat 0.9.21",
  options: [
    format(),
    top(),
    new Option("--first-octave <o>", "-1 doubles the image first, 0 does not").choices(["-1", "0"]).default("-1"),
    new Option("--peak <contrast>", "least |D|, as OpenCV's contrastThreshold").argParser(positive).default(0.04),
    new Option("--edge <r>", "largest ratio of the principal curvatures").argParser(positive).default(10),
    new Option("--orientations <n>", "directions of a place at most").argParser(integer(1, 4)).default(4),
    new Option("--no-subpixel", "leave extrema at their pixel (Mücke 2007)"),
    ...descriptorForm(),
    new Option("--scale-space <numbers>", "what it is kept in: halves need half the memory and find a little less")
      .choices(SCALE_STORAGES)
      .default("f32"),
    new Option("--stages", "count what each test leaves"),
    picture(),
    luma(),
  ],
  examples: [
    "rmap detect box.pgm --method sift --format lowe -o box.key",
    "rmap detect image.png --method sift --top 300 --picture keypoints.svg",
    "rmap detect frames/*.png --method sift --top 500 -o keypoints/",
  ],
  run: (inputs, flags) => {
    const { extension, encode } = FORMATS[flags.format as string];
    const form = formOf(flags);
    const options = {
      ...SIFT_DEFAULTS,
      ...form,
      storage: flags.scaleSpace as ScaleStorage,
      firstOctave: flags.firstOctave === "0" ? (0 as const) : (-1 as const),
      peak: flags.peak as number,
      edge: flags.edge as number,
      orientations: flags.orientations as number,
      subpixel: flags.subpixel !== false,
    };
    const stages = flags.stages === true;
    const halves = options.storage === "f16" ? ", scale space in f16" : "";
    return detectEach(inputs, flags, { extension, kernels: true }, async (image, session) => {
      const result = await detectSift(image, options, { device: session, stages });
      const { counts } = result;
      const all = result.keypoints;
      const keypoints = flags.top === undefined ? all : strongestPlaces(all, flags.top as number);
      const places = new Set(keypoints.place).size;
      const table = stages
        ? `\n  extrema ${counts.extrema}, soft threshold ${counts.softThreshold}, interpolated ${counts.interpolated}, ` +
          `threshold ${counts.threshold}, edge ${counts.edge}, keypoints ${counts.keypoints}\n  `
        : "";
      return {
        summary: `${many(keypoints.x.length, "keypoint")} at ${many(places, "place")}${halves}${table}`,
        json: {
          keypoints: keypoints.x.length,
          places,
          scaleSpace: options.storage,
          ...form,
          ...(stages && { stages: counts }),
        },
        content: encode(keypoints),
        marks: keypoints,
      };
    });
  },
};
