/**
 * KLT's selection over windows of 3 × 3 to 25 × 25 pixels (Mücke 2007 §3.3.5 has 25), as what it is for: how many of the corners that it chooses are followed, and how well.
 *
 *     npm run build && node lab/features/selection.mjs [--seeds 1,2,3,4] [--size 640x480] [--rows lab/results/features-choices.jsonl]
 *
 * 500 corners at least 7 px apart of pairs whose flow is known are followed by `match --method klt`'s tracker in its usual setting. A corner is false that is followed and ends more than
 * 1 px from its true place.
 */
import { parseArgs } from "node:util";
import { KLT_DEFAULTS, KLT_LEVELS, KLT_STATUS, trackKlt } from "rmap/pixels";
import { gradients } from "../../dist/pixels/features/gradients.js";
import { provenance } from "../../dist/rows/provenance.js";
import { makeFlowPair } from "../../dist/simulation/flow-pairs.js";
import { keepRow } from "../rows.mjs";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1,2,3,4" },
    size: { type: "string", default: "640x480" },
    rows: { type: "string" },
  },
});
const [width, height] = values.size.split("x").map(Number);
const seeds = values.seeds.split(",").map(Number);
const WINDOWS = [3, 7, 15, 25];
const COUNT = 500;
const APART = 7;
const FALSE = 1;

/** Sums over side × side pixels, by running sums along either axis; borders repeat. */
function boxSums(pixels, side) {
  const radius = (side - 1) / 2;
  const along = (from, count, lines, step, lineStep) => {
    const out = new Float64Array(from.length);
    for (let line = 0; line < lines; line++) {
      const at = (k) => from[line * lineStep + Math.min(Math.max(k, 0), count - 1) * step];
      let sum = 0;
      for (let k = -radius; k <= radius; k++) sum += at(k);
      for (let k = 0; k < count; k++) {
        out[line * lineStep + k * step] = sum;
        sum += at(k + radius + 1) - at(k - radius);
      }
    }
    return out;
  };
  return along(along(pixels, width, height, 1, width), height, width, width, 1);
}

/** The strongest places by the least eigenvalue of the tensor, apart from each other and from the border. */
function selected(image, side) {
  const { gx, gy } = gradients(image, "sobel", "reflect-101");
  const [xx, xy, yy] = [gx.map((a) => a * a), gx.map((a, i) => a * gy[i]), gy.map((a) => a * a)].map((one) =>
    boxSums(one, side),
  );
  const response = xx.map((a, i) => (a + yy[i]) / 2 - Math.hypot((a - yy[i]) / 2, xy[i]));
  const order = Uint32Array.from(response.keys()).sort((a, b) => response[b] - response[a]);
  const taken = new Uint8Array(width * height);
  const [xs, ys] = [[], []];
  for (const pixel of order) {
    const [x, y] = [pixel % width, Math.floor(pixel / width)];
    if (taken[pixel] === 1 || x < 10 || y < 10 || x >= width - 10 || y >= height - 10) continue;
    xs.push(x);
    ys.push(y);
    if (xs.length === COUNT) break;
    for (let v = Math.max(0, y - APART + 1); v < Math.min(height, y + APART); v++) {
      taken.fill(1, v * width + Math.max(0, x - APART + 1), v * width + Math.min(width, x + APART));
    }
  }
  return { x: Float32Array.from(xs), y: Float32Array.from(ys) };
}

const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];
for (const flowCase of /** @type {const} */ (["shift", "turn", "swirl", "layers"])) {
  for (const side of WINDOWS) {
    let [followed, wrong, chosen] = [0, 0, 0];
    const errors = [];
    for (const seed of seeds) {
      const pair = makeFlowPair(flowCase, seed, width, height);
      const image = (pixels) => ({ width, height, pixels: Float32Array.from(pixels) });
      const [first, second] = [image(pair.first), image(pair.second)];
      const points = selected(first, side);
      const tracks = await trackKlt(first, second, points, {
        ...KLT_DEFAULTS,
        levels: KLT_LEVELS,
        bothWays: 0.5,
        device: null,
      });
      chosen += points.x.length;
      points.x.forEach((x, k) => {
        if (tracks.status[k] !== KLT_STATUS.tracked) return;
        const pixel = points.y[k] * width + x;
        const error = Math.hypot(
          tracks.x[k] - x - pair.truth.u[pixel],
          tracks.y[k] - points.y[k] - pair.truth.v[pixel],
        );
        followed++;
        if (error > FALSE) wrong++;
        else errors.push(error);
      });
    }
    const row = {
      benchmark: "klt-selection",
      case: flowCase,
      side,
      seeds,
      chosen,
      followedPercent: (100 * followed) / chosen,
      falsePercent: (100 * wrong) / followed,
      medianError: median(errors),
    };
    keepRow(values.rows, { ...row, ...provenance(new Date()) });
    console.log(
      `${flowCase.padEnd(7)} ${String(side).padStart(2)}: followed ${row.followedPercent.toFixed(1)} %, of these false ${row.falsePercent.toFixed(2)} %, median error ${row.medianError.toFixed(4)} px`,
    );
  }
}
