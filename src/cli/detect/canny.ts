import { InputError } from "../../core/errors.js";
import { encodePng } from "../../files/images/png.js";
import { detectCanny } from "../../pixels/features/canny.js";
import { blur } from "../../pixels/gaussian.js";
import { inFloats, type Plane } from "../../pixels/image.js";
import { option } from "../declaration/declaration.js";
import { luma } from "../options/images.js";
import { nonNegative, sigma } from "../options/values.js";
import { detectMethod } from "./method.js";
import { detectEach } from "./output.js";

export const cannyMethod = detectMethod({
  summary: "edges as a PNG of 0 and 255 (Canny 1986), bit by bit those of cv2.Canny with L2gradient=True",
  options: {
    low: option("--low <gradient>", "gradient above which an edge goes on, in Sobel's sums", nonNegative).or(50),
    high: option("--high <gradient>", "gradient above which an edge begins", nonNegative).or(100),
    sigma: option("--sigma <pixels>", "blur the image first by a Gaussian of this σ", sigma),
    luma: luma(),
  },
  examples: ["rmap detect image.png --method canny --low 50 --high 100 -o edges.png"],
  run: async (inputs, flags) => {
    const { low, high, sigma } = flags;
    if (low > high) throw new InputError(`--low ${low} is above --high ${high}; exchange them`);
    return detectEach(inputs, flags, { extension: ".png", kernels: true }, async (image, session) => {
      const smooth = sigma === undefined ? image : blur(inFloats(image), sigma, "reflect-101");
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
});

/** Canny's integer arithmetic needs grey levels that are integers. */
function rounded({ width, height, pixels }: Plane): Plane {
  return { width, height, pixels: pixels instanceof Float32Array ? pixels.map(Math.round) : pixels };
}
