import { Option } from "commander";
import { InputError } from "../../core/errors.js";
import { encodePng } from "../../files/images/png.js";
import { blur } from "../../pixels/features/blur.js";
import { detectCanny } from "../../pixels/features/canny.js";
import { inFloats, type Plane } from "../../pixels/image.js";
import { nonNegative } from "../options.js";
import type { DetectMethod } from "./method.js";
import { luma, sigma } from "./options.js";
import { detectEach } from "./output.js";

export const cannyMethod: DetectMethod = {
  description: "edges as a PNG of 0 and 255 (Canny 1986), bit by bit those of cv2.Canny with L2gradient=True",
  options: [
    new Option("--low <gradient>", "edges go on above it, in Sobel's sums").argParser(nonNegative).default(50),
    new Option("--high <gradient>", "edges begin above it").argParser(nonNegative).default(100),
    sigma(),
    luma(),
  ],
  examples: ["rmap detect image.png --method canny --low 50 --high 100 -o edges.png"],
  run: (inputs, flags) => {
    const [low, high] = [flags.low as number, flags.high as number];
    if (low > high) throw new InputError(`--low ${low} is above --high ${high}; exchange them`);
    return detectEach(inputs, flags, { extension: ".png", kernels: true }, async (image, session) => {
      const smooth = flags.sigma === undefined ? image : blur(inFloats(image), flags.sigma as number, "reflect-101");
      const edges = await detectCanny(rounded(smooth), low, high, { device: session });
      const n = edges.reduce((sum, edge) => sum + edge, 0);
      const content = encodePng(
        image.width,
        image.height,
        edges.map((edge) => 255 * edge),
      );
      return { summary: `${n} edge pixels`, json: { edgePixels: n }, content };
    });
  },
};

/** Canny's integer arithmetic needs grey levels that are integers. */
function rounded({ width, height, pixels }: Plane): Plane {
  return { width, height, pixels: pixels instanceof Float32Array ? pixels.map(Math.round) : pixels };
}
