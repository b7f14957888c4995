import { encodeNpy } from "../../files/npy-writer.js";
import { writeWhole } from "../../files/whole-file.js";
import {
  type CornerOptions,
  type Corners,
  detectCorners,
  HARRIS_DEFAULTS,
  KLT_SELECTION_DEFAULTS,
} from "../../pixels/features/corners.js";
import { type FlagsOf, option } from "../declaration/declaration.js";
import { luma, top } from "../options/images.js";
import { nonNegative } from "../options/values.js";
import { many } from "../print.js";
import { type CommonFlags, detectMethod } from "./method.js";
import { cornerOptions, pictureOfFound } from "./options.js";
import { detectEach } from "./output.js";

const drawing = () => ({ top: top("corners"), picture: pictureOfFound(), luma: luma() });

export const harrisMethod = detectMethod({
  summary: "corners by det − κ tr² of the structure tensor (Harris & Stephens 1988), to a fraction of a pixel",
  options: {
    kappa: option("--kappa <number>", "κ, the weight of tr²", nonNegative).or(HARRIS_DEFAULTS.kappa),
    ...cornerOptions(HARRIS_DEFAULTS),
    ...drawing(),
  },
  examples: ["rmap detect image.png --method harris --top 1000 -o corners.csv"],
  run: (inputs, flags) => detectCornersIn(inputs, flags, { ...HARRIS_DEFAULTS, kappa: flags.kappa }),
});

export const kltMethod = detectMethod({
  summary: "corners to track, by the least eigenvalue (Shi & Tomasi 1994), as cv2.goodFeaturesToTrack",
  options: { ...cornerOptions(KLT_SELECTION_DEFAULTS), ...drawing() },
  examples: ["rmap detect image.png --method klt --top 1000 --distance 7 -o corners.csv"],
  run: (inputs, flags) => detectCornersIn(inputs, flags, KLT_SELECTION_DEFAULTS),
});

type CornerFlags = CommonFlags & FlagsOf<ReturnType<typeof cornerOptions> & ReturnType<typeof drawing>>;

function detectCornersIn(inputs: readonly string[], flags: CornerFlags, defaults: CornerOptions) {
  const options: CornerOptions = {
    ...defaults,
    quality: flags.quality,
    distance: flags.distance,
    window: flags.neighbourhood,
    ...(flags.top !== undefined && { most: flags.top }),
  };
  return detectEach(
    inputs,
    flags,
    { extension: ".csv", kernels: true, points: "corner" },
    async (image, session, { frame }) => {
      const wanted = { device: session, response: flags.response !== undefined };
      const { corners, response } = await detectCorners(image, options, wanted);
      if (flags.response !== undefined && response !== null)
        writeWhole(flags.response, encodeNpy([image.height, image.width], response));
      const n = corners.x.length;
      return {
        summary: many(n, "corner"),
        json: { corners: n },
        content: formatCorners(frame, corners),
        marks: { x: corners.x, y: corners.y },
      };
    },
  );
}

function formatCorners(frame: number, { x, y, response }: Corners): string {
  return `frame,x,y,response\n${Array.from(x, (px, k) => `${frame},${px},${y[k]},${response[k]}\n`).join("")}`;
}
