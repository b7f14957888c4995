/** Suppression by connected regions, to compare with: of the pixels above the threshold each 8-connected region has one detection, at its largest value, instead of each largest pixel within a radius. */
import { bestOf } from "../../dist/pixels/before-detect/detect.js";

/** Output frames of the recursion over frames whose noise has the standard deviation 1. */
export async function outputsByRegions(frames, size, options, steps) {
  const { alpha, decimation, vectors, threshold } = options;
  const cells = size.width * size.height;
  const outputs = [];
  let variance = 0;
  await steps.begin(size, options);
  for (let k = 0; k + decimation <= frames.length; k += decimation) {
    for (let n = 0; n < decimation; n++) variance = alpha ** 2 * variance + (1 - alpha) ** 2;
    await steps.advance(frames.slice(k, k + decimation), k);
    const state = await steps.state();
    const best = bestOf(vectors.map((_, v) => state.subarray(v * cells, (v + 1) * cells)));
    const detections = regionsOf(best, size, threshold * Math.sqrt(variance)).map((pixel) => ({
      x: pixel % size.width,
      y: Math.floor(pixel / size.width),
      vx: vectors[best.vector[pixel]].x,
      vy: vectors[best.vector[pixel]].y,
      score: best.value[pixel] / Math.sqrt(variance),
    }));
    outputs.push({ frame: k + decimation - 1, detections });
  }
  return outputs;
}

/** The largest pixel of each region. */
function regionsOf({ value }, { width, height }, least) {
  const seen = new Uint8Array(value.length);
  const tops = [];
  for (let first = 0; first < value.length; first++) {
    if (seen[first] === 1 || !(value[first] > least)) continue;
    seen[first] = 1;
    const region = [first];
    for (const pixel of region) {
      const [x, y] = [pixel % width, Math.floor(pixel / width)];
      for (let v = Math.max(0, y - 1); v <= Math.min(height - 1, y + 1); v++) {
        for (let u = Math.max(0, x - 1); u <= Math.min(width - 1, x + 1); u++) {
          const other = v * width + u;
          if (seen[other] === 1 || !(value[other] > least)) continue;
          seen[other] = 1;
          region.push(other);
        }
      }
    }
    tops.push(region.reduce((a, b) => (value[b] > value[a] ? b : a)));
  }
  return tops;
}
