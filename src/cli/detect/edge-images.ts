import { extname } from "node:path";
import { encodePng } from "../../files/images/png.js";
import { encodeNpy } from "../../files/npy-writer.js";
import { type EdgeImage, makeEdgeImage, zeroCrossings } from "../../pixels/features/edge-images.js";
import type { Luma } from "../../run/features/image.js";
import { option } from "../declaration/declaration.js";
import { luma } from "../options/images.js";
import { positive, sigma } from "../options/values.js";
import { type CommonFlags, detectMethod } from "./method.js";
import { detectEach } from "./output.js";

const crossings = () => ({
  zeroCrossings: option(
    "--zero-crossings <least>",
    "write where the sign changes by more than this (0, 255)",
    positive,
  ),
});
const width = (name: string, of: string, usual: number) =>
  option(`--${name} <sigma>`, `σ of the ${of} in pixels`, sigma).or(usual);

export const sobelMethod = detectMethod({
  summary: "the length of Sobel's gradient: PNG (cut at 255), or .npy (f32) by the ending of --output",
  options: { luma: luma() },
  examples: ["rmap detect image.png --method sobel -o gradient.npy"],
  run: (inputs, flags) => imageOf(inputs, flags, { filter: "sobel" }, (value) => value),
});

export const logMethod = detectMethod({
  summary: "Laplacian of Gaussian: PNG around 128, or .npy (f32)",
  options: { scale: width("scale", "Gaussian", 1.4), ...crossings(), luma: luma() },
  examples: ["rmap detect image.png --method log --scale 1.4 --zero-crossings 2 -o edges.png"],
  run: (inputs, flags) => imageOf(inputs, flags, { filter: "log", sigma: flags.scale }, (value) => value + 128),
});

export const dogMethod = detectMethod({
  summary: "difference of Gaussians, the wider minus the narrower: PNG around 128, or .npy (f32)",
  options: {
    narrow: width("narrow", "narrower Gaussian", 1.4),
    wide: width("wide", "wider Gaussian", 3),
    ...crossings(),
    luma: luma(),
  },
  examples: ["rmap detect image.png --method dog --narrow 1.4 --wide 3 -o dog.npy"],
  run: (inputs, flags) => {
    const { narrow, wide } = flags;
    return imageOf(inputs, flags, { filter: "dog", narrow, wide }, (value) => value + 128);
  },
});

function imageOf(
  inputs: readonly string[],
  flags: CommonFlags & { readonly luma: Luma; readonly zeroCrossings?: number | undefined },
  what: EdgeImage,
  shade: (value: number) => number,
) {
  const asNpy = flags.output !== undefined && extname(flags.output) === ".npy";
  const least = flags.zeroCrossings;
  return detectEach(inputs, flags, { extension: ".png", kernels: true }, async (image, session) => {
    const { width, height, pixels } = await makeEdgeImage(image, what, { device: session });
    const [low, high] = pixels.reduce(
      ([a, b], value) => [Math.min(a, value), Math.max(b, value)],
      [Infinity, -Infinity],
    );
    const json = { least: low, most: high };
    const summary = `values from ${low.toPrecision(4)} to ${high.toPrecision(4)}`;
    if (least !== undefined) {
      const crossings = zeroCrossings({ width, height, pixels }, least);
      const n = crossings.reduce((sum, one) => sum + one, 0);
      const bytes = crossings.map((one) => 255 * one);
      const content = asNpy ? encodeNpy([height, width], bytes) : encodePng(width, height, bytes);
      return { summary: `${summary}, ${n} zero crossings`, json: { ...json, zeroCrossings: n }, content };
    }
    const grey = new Uint8Array(pixels.map((value) => Math.min(Math.max(Math.round(shade(value)), 0), 255)));
    return { summary, json, content: asNpy ? encodeNpy([height, width], pixels) : encodePng(width, height, grey) };
  });
}
