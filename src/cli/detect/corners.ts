import { Option } from "commander";
import { encodeNpy } from "../../files/npy-writer.js";
import { writeWhole } from "../../files/whole-file.js";
import {
  type CornerOptions,
  type Corners,
  HARRIS_DEFAULTS,
  KLT_SELECTION_DEFAULTS,
} from "../../pixels/features/corners.js";
import { detectCorners } from "../../pixels/features/detect-corners.js";
import { outputFile } from "../named-files.js";
import { nonNegative } from "../options.js";
import { many } from "../print.js";
import type { DetectFlags, DetectMethod } from "./method.js";
import { distance, luma, picture, quality, top } from "./options.js";
import { detectEach } from "./output.js";

const window = () =>
  new Option(
    "--window <name>",
    "of the structure tensor: box3 as OpenCV, gauss3 as Mücke 2007 (default: klt box3, harris gauss3)",
  ).choices(["box3", "gauss3"]);
const response = () =>
  new Option("--response <file>", "write the response of every pixel (.npy, f32)").argParser(outputFile);

export const harrisMethod: DetectMethod = {
  description: "corners by det − κ tr² of the structure tensor (Harris & Stephens 1988), to a fraction of a pixel",
  options: [
    new Option("--kappa <number>", "κ").argParser(nonNegative).default(HARRIS_DEFAULTS.kappa),
    window(),
    quality(),
    distance(0),
    top(),
    response(),
    picture(),
    luma(),
  ],
  examples: ["rmap detect image.png --method harris --top 1000 -o corners.csv"],
  run: (inputs, flags) =>
    detectEach(inputs, flags, { extension: ".csv", kernels: true }, cornersOf(flags, HARRIS_DEFAULTS)),
};

export const kltMethod: DetectMethod = {
  description: "corners to track, by the least eigenvalue (Shi & Tomasi 1994), as cv2.goodFeaturesToTrack",
  options: [window(), quality(), distance(7), top(), response(), picture(), luma()],
  examples: ["rmap detect image.png --method klt --top 1000 --distance 7 -o corners.csv"],
  run: (inputs, flags) =>
    detectEach(inputs, flags, { extension: ".csv", kernels: true }, cornersOf(flags, KLT_SELECTION_DEFAULTS)),
};

function cornersOf(flags: DetectFlags, defaults: CornerOptions): Parameters<typeof detectEach>[3] {
  const options: CornerOptions = {
    ...defaults,
    quality: flags.quality as number,
    ...(flags.window !== undefined && { window: flags.window as CornerOptions["window"] }),
    ...(flags.distance !== undefined && { distance: flags.distance as number }),
    ...(flags.top !== undefined && { most: flags.top as number }),
    ...(defaults.measure === "harris" && { kappa: flags.kappa as number }),
  };
  return async (image, session) => {
    const { corners, response } = await detectCorners(image, options, {
      device: session,
      response: flags.response !== undefined,
    });
    if (response !== null) writeWhole(flags.response as string, encodeNpy([image.height, image.width], response));
    const n = corners.x.length;
    return {
      summary: many(n, "corner"),
      json: { corners: n },
      content: formatCorners(corners),
      marks: { x: corners.x, y: corners.y },
    };
  };
}

function formatCorners({ x, y, response }: Corners): string {
  return `x,y,response\n${Array.from(x, (px, k) => `${px},${y[k]},${response[k]}\n`).join("")}`;
}
