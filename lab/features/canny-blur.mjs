/**
 * What Canny's blur takes on the host, and in how many pixels one in f32, as a device would do it, rounds to another grey level: one such pixel may be another edge, and Canny's bits are the same on
 * every device.
 *
 *     npm run build && npm run build -w lab && node lab/features/canny-blur.mjs [IMAGE] [--sigma 1.4] [--rows lab/results/features-choices.jsonl]
 */
import { parseArgs } from "node:util";
import { median } from "d3-array";
import { blur, gaussianTaps } from "../../dist/pixels/gaussian.js";
import { inFloats } from "../../dist/pixels/image.js";
import { provenance } from "../../dist/rows/provenance.js";
import { readFeatureImage } from "../../dist/run/features/image.js";
import { keepRow } from "../rows.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sigma: { type: "string", default: "1.4" }, rows: { type: "string" } },
});
const [file = "../shared/images/cudasift-left.pgm"] = positionals;
const sigma = Number(values.sigma);
const image = inFloats(await readFeatureImage(file, () => {}));
const { width, height, pixels } = image;
const times = [];
let smooth = image;
for (let k = 0; k < 20; k++) {
  const begin = process.cpuUsage();
  smooth = blur(image, sigma, "reflect-101");
  const { user, system } = process.cpuUsage(begin);
  if (k >= 5) times.push((user + system) / 1000);
}

/** Sums of one direction in f32 from the first tap to the last, as blur.wgsl takes them. */
function along(from, count, lines, step, stride) {
  const taps = gaussianTaps(sigma);
  const radius = (taps.length - 1) / 2;
  const out = new Float32Array(from.length);
  for (let l = 0; l < lines; l++) {
    for (let n = 0; n < count; n++) {
      let sum = 0;
      for (let k = 0; k < taps.length; k++) {
        const at = Math.abs(n + k - radius);
        const place = at < count ? at : 2 * (count - 1) - at;
        sum = Math.fround(sum + Math.fround(taps[k] * from[l * stride + place * step]));
      }
      out[l * stride + n * step] = sum;
    }
  }
  return out;
}
const single = along(along(pixels, width, height, 1, width), height, width, width, 1);
const differing = single.filter((grey, p) => Math.round(grey) !== Math.round(smooth.pixels[p])).length;
const row = { benchmark: "canny-blur", image: file.replace(/.*\//, ""), width, height, sigma };
const measured = { cpuMilliseconds: median(times), pixels: pixels.length, differing };
keepRow(values.rows, { ...row, ...measured, ...provenance(new Date()) });
console.log(JSON.stringify({ ...row, ...measured }));
