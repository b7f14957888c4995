/**
 * What halves make of Harris's corners (Mücke 2007 §5.1.2, who found 3 % fewer): gradients, tensor and response as they are, and each rounded to a half; how many corners there are, and how many of the former
 * are among the latter, to a pixel. Gradients are scaled to 1 at most, as in a texture of halves.
 *
 *     npm run build && node lab/features/half-harris.mjs [IMAGE …] [--rows lab/results/features-choices.jsonl]
 */
import { parseArgs } from "node:util";
import { candidatesIn, HARRIS_DEFAULTS } from "../../dist/pixels/features/corners.js";
import { gradients, structureTensor } from "../../dist/pixels/features/gradients.js";
import { toHalf } from "../../dist/pixels/half.js";
import { inFloats } from "../../dist/pixels/image.js";
import { provenance } from "../../dist/rows/provenance.js";
import { readFeatureImage } from "../../dist/run/features/image.js";
import { keepRow } from "../rows.mjs";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { rows: { type: "string" } } });
const files =
  positionals.length > 0
    ? positionals
    : ["images/box.pgm", "images/cudasift-left.pgm", "flow/Grove2/frame10.png", "flow/RubberWhale/frame10.png"].map(
        (name) => `../shared/${name}`,
      );
const { window, kappa } = HARRIS_DEFAULTS;

function cornersOf(image, stored) {
  const { gx, gy, ...size } = gradients(image, "sobel", "reflect-101");
  const unit = (/** @type {Float32Array} */ of) => of.map((value) => stored(value / 1020));
  const tensor = structureTensor({ ...size, gx: unit(gx), gy: unit(gy) }, window);
  const [xx, xy, yy] = [tensor.xx, tensor.xy, tensor.yy].map((plane) => plane.map(stored));
  const response = Float32Array.from(xx, (a, p) => stored(a * yy[p] - xy[p] ** 2 - kappa * (a + yy[p]) ** 2));
  return candidatesIn(response, size, HARRIS_DEFAULTS).map(({ pixel }) => pixel);
}

for (const file of files) {
  const image = inFloats(await readFeatureImage(file, () => {}));
  const [full, half] = [cornersOf(image, (value) => value), cornersOf(image, toHalf)];
  const { width } = image;
  const there = new Set(half);
  const near = [-1, 0, 1].flatMap((y) => [-1, 0, 1].map((x) => y * width + x));
  const kept = full.filter((pixel) => near.some((step) => there.has(pixel + step))).length;
  const row = {
    benchmark: "half-harris",
    image: file.replace("../shared/", ""),
    corners: full.length,
    inHalves: half.length,
    kept,
  };
  keepRow(values.rows, { ...row, ...provenance(new Date()) });
  console.log(JSON.stringify(row));
}
