import { strongestPlaces } from "../../core/keypoints.js";
import { detectSift } from "../../pixels/features/sift/gpu-sift.js";
import { SCALE_STORAGES } from "../../pixels/features/sift/scale-space.js";
import { SIFT_DEFAULTS } from "../../pixels/features/sift/sift.js";
import { choice, Declared, option, toggle } from "../declaration/declaration.js";
import { luma, peak, precision, top } from "../options/images.js";
import { integer, positive } from "../options/values.js";
import { many } from "../print.js";
import { FORMATS, format } from "./keypoint-formats.js";
import { detectMethod } from "./method.js";
import { descriptorForm, formOf, pictureOfFound } from "./options.js";
import { detectEach } from "./output.js";

export const siftMethod = detectMethod({
  summary: "SIFT keypoints with descriptors (Lowe 2004), following VLFeat 0.9.21",
  options: {
    format: format(),
    top: top("places"),
    firstOctave: choice("--first-octave <o>", "-1 doubles the image first, 0 does not", ["-1", "0"]).or("-1"),
    peak: peak(0.04),
    edge: option("--edge <r>", "largest ratio of the principal curvatures", positive).or(10),
    orientations: option("--orientations <n>", "most directions of a place", integer(1, 4)).or(4),
    subpixel: new Declared<boolean>("--no-subpixel", "leave extrema at their pixel (Mücke 2007)"),
    ...descriptorForm(),
    precision: precision(
      "the scale space: halves (f16) need half the memory and find a little less",
      SCALE_STORAGES,
      "f32",
    ).formerly("--scale-space"),
    stages: toggle("--stages", "count what each test leaves"),
    picture: pictureOfFound(),
    luma: luma(),
  },
  examples: [
    "rmap detect box.pgm --method sift --format lowe -o box.key",
    "rmap detect image.png --method sift --top 300 --picture keypoints.svg",
    "rmap detect frames/*.png --method sift --top 500 -o keypoints/",
  ],
  run: (inputs, flags) => {
    const { encode, ...written } = FORMATS[flags.format];
    const form = formOf(flags);
    const options = {
      ...SIFT_DEFAULTS,
      ...form,
      storage: flags.precision,
      firstOctave: flags.firstOctave === "0" ? (0 as const) : (-1 as const),
      peak: flags.peak,
      edge: flags.edge,
      orientations: flags.orientations,
      subpixel: flags.subpixel,
    };
    const stages = flags.stages === true;
    const halves = options.storage === "f16" ? ", scale space in f16" : "";
    return detectEach(inputs, flags, { ...written, kernels: true }, async (image, session, { frame }) => {
      const result = await detectSift(image, options, { device: session, stages });
      const { counts } = result;
      const all = result.keypoints;
      const keypoints = flags.top === undefined ? all : strongestPlaces(all, flags.top);
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
        content: encode(keypoints, frame),
        marks: keypoints,
      };
    });
  },
});
