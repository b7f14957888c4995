/**
 * Times features on a GPU by the device's clock, image and results on the device: SIFT with and without doubling, selection of corners, KLT there
 * and back, Canny, Sobel, LoG and DoG, matching. Every answer is compared with its twin on the CPU first; what does not agree is not timed.
 *
 *     npm run build && node bench/features/gpu.mjs [gpu|software] [image.pgm|-] [WIDTHxHEIGHT ...]
 *
 * Prints a JSON line per row (append them to results/features-gpu.jsonl) and a table on stderr. Without an image that of CudaSift is looked for in
 * shared/images, and else one of blobs is drawn; `-` draws blobs.
 */
import { spreadOf } from "../../dist/experiments/bench/timing.js";
import { detectCanny } from "../../dist/pixels/features/canny.js";
import { chooseCorners, HARRIS_DEFAULTS, KLT_SELECTION_DEFAULTS } from "../../dist/pixels/features/corners.js";
import { detectCorners } from "../../dist/pixels/features/detect-corners.js";
import { GpuCanny } from "../../dist/pixels/features/gpu-canny.js";
import { GpuCorners } from "../../dist/pixels/features/gpu-corners.js";
import { GpuEdgeImage } from "../../dist/pixels/features/gpu-edge-images.js";
import { GpuKlt } from "../../dist/pixels/features/gpu-klt.js";
import { GpuMatch } from "../../dist/pixels/features/gpu-match.js";
import { kltPyramid } from "../../dist/pixels/features/klt-pyramid.js";
import { KLT_DEFAULTS, KLT_LEVELS, trackKltBothWays } from "../../dist/pixels/features/klt-track.js";
import { makeEdgeImage } from "../../dist/pixels/features/make-edge-image.js";
import { nearestOnCpu } from "../../dist/pixels/features/match.js";
import { GpuSift } from "../../dist/pixels/features/sift/gpu-sift.js";
import { detectSiftOnCpu, SIFT_DEFAULTS } from "../../dist/pixels/features/sift/sift.js";
import { provenance } from "../../dist/rows/provenance.js";
import { bilinear, resized, shared } from "./images.mjs";
import { openFeatures } from "./open.mjs";

/** Software only shows that everything runs and agrees. */
const isSoftware = process.argv[2] === "software";
const REPETITIONS = isSoftware ? 2 : 50;
const LEAST_AGREEMENT = 0.995;
/** Of tracks: where the border cuts a window, the steps of a level may not settle, and end elsewhere after other roundings. */
const LEAST_TRACKS = 0.99;
const MOST_PIXELS_OFF = 0.01;
const EDGE_IMAGES = [{ filter: "sobel" }, { filter: "log", sigma: 1.4 }, { filter: "dog", narrow: 1.4, wide: 3 }];
const STANDARD = ["640x480", "1280x960", "1920x1080"];

const [device = "gpu", given, ...sizes] = process.argv.slice(2);
const { session, source, original, now, begin, apart, repeated, close } = await openFeatures(device, given, 64);
const { actual, ...made } = { actual: session.description.name, ...provenance(new Date()) };

for (const size of sizes.length > 0 ? sizes : STANDARD) {
  const [width, height] = size.split("x").map(Number);
  const image = resized(original, width, height);
  for (const firstOctave of [-1, 0]) await sift(image, { ...SIFT_DEFAULTS, firstOctave });
  await corners(image, "harris", { ...HARRIS_DEFAULTS, most: 1000 });
  await corners(image, "klt selection", KLT_SELECTION_DEFAULTS);
  await klt(image);
  await canny(image);
  for (const what of EDGE_IMAGES) await edgeImage(image, what);
}
for (const n of isSoftware ? [100] : [2000, 10_000]) await match(n);
await close();

async function sift(image, options) {
  const gpu = await GpuSift.create(session, image, options);
  const found = (await gpu.detect(image)).keypoints;
  const twin = detectSiftOnCpu(image, options).keypoints;
  const agreement = Math.min(shared(found, twin), shared(twin, found));
  const label = options.firstOctave === -1 ? "sift doubled" : "sift";
  const extra = { keypoints: found.x.length, bytes: gpu.bytes, kernels: {} };
  if (agreement >= LEAST_AGREEMENT) {
    extra.kernels = await kernels(gpu);
    extra.wall = await walls(() => gpu.detect(image));
  }
  await row(label, image, agreement, (encoder, writes) => gpu.encode(encoder, writes), extra);
  gpu.destroy();
}

/** Milliseconds of every kernel, each in a pass of its own: the least of five runs. */
async function kernels(gpu) {
  const least = {};
  for (let repetition = 0; repetition < (isSoftware ? 1 : 5); repetition++) {
    const sums = {};
    for (const { name, time } of await apart(gpu)) sums[name] = (sums[name] ?? 0) + time;
    for (const [name, sum] of Object.entries(sums)) least[name] = Math.min(least[name] ?? Infinity, sum);
  }
  return Object.fromEntries(Object.entries(least).map(([name, ms]) => [name, Number(ms.toFixed(4))]));
}

async function corners(image, label, options) {
  const gpu = await GpuCorners.create(session, image, options);
  const { candidates } = await gpu.find(image, false);
  const found = chooseCorners(candidates, image.width, options);
  const twin = (await detectCorners(image, options, { device: null })).corners;
  const places = ({ x, y }) => new Set(Array.from(x, (px, k) => `${Math.round(px)},${Math.round(y[k])}`));
  const [a, b] = [places(found), places(twin)];
  const agreement = [...a].filter((place) => b.has(place)).length / Math.max(a.size, b.size);
  await row(label, image, agreement, (encoder, writes) => gpu.encode(encoder, writes), {
    corners: found.x.length,
    candidates: candidates.length,
  });
  gpu.destroy();
}

async function klt(image) {
  const { width, height } = image;
  const { corners: points } = await detectCorners(image, KLT_SELECTION_DEFAULTS, { device: null });
  const moved = { width, height, pixels: new Float32Array(width * height) };
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) moved.pixels[y * width + x] = bilinear(image, x - 3.3, y + 2.7);
  }
  const gpu = await GpuKlt.create(session, image, KLT_DEFAULTS, KLT_LEVELS);
  const found = await gpu.trackBothWays(image, moved, points);
  const twin = trackKltBothWays(kltPyramid(image, KLT_LEVELS), kltPyramid(moved, KLT_LEVELS), points, KLT_DEFAULTS);
  const same = [...twin.status.keys()].filter((k) => {
    if (twin.status[k] !== found.status[k]) return false;
    return twin.status[k] !== 0 || Math.hypot(found.x[k] - twin.x[k], found.y[k] - twin.y[k]) < MOST_PIXELS_OFF;
  });
  const tracked = found.status.filter((status) => status === 0).length;
  await row(
    "klt there and back",
    image,
    same.length / points.x.length,
    (encoder, writes) => gpu.encode(encoder, writes),
    {
      points: points.x.length,
      tracked,
      wall: await walls(() => gpu.trackBothWays(image, moved, points)),
    },
  );
  gpu.destroy();
}

async function canny(image) {
  const [low, high] = [50, 100];
  const gpu = await GpuCanny.create(session, image, low, high);
  const found = await gpu.detect(image);
  const twin = await detectCanny(image, low, high, { device: null });
  const agreement = Number(found.every((edge, p) => edge === twin[p]));
  const extra = { edgePixels: found.reduce((sum, edge) => sum + edge, 0), wall: await walls(() => gpu.detect(image)) };
  await row("canny", image, agreement, (encoder, writes) => gpu.encode(encoder, writes), extra);
  gpu.destroy();
}

/** Agreement: the share of pixels within 1e-4 of the largest. */
async function edgeImage(image, what) {
  const gpu = await GpuEdgeImage.create(session, image, what);
  const found = (await gpu.make(image)).pixels;
  const twin = (await makeEdgeImage(image, what, { device: null })).pixels;
  const most = twin.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
  const near = found.reduce((sum, value, p) => sum + Number(Math.abs(value - twin[p]) <= 1e-4 * most), 0);
  await row(what.filter, image, near / found.length, (encoder, writes) => gpu.encode(encoder, writes), {});
  gpu.destroy();
}

async function match(n) {
  const bytes = (seed) => {
    let state = seed;
    return Uint8Array.from({ length: 128 * n }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state >>> 24;
    });
  };
  const [a, b] = [bytes(1), bytes(2)];
  const gpu = await GpuMatch.create(session, a, b);
  const found = await gpu.run();
  const checked = Math.min(n, 300);
  const twin = nearestOnCpu(a.subarray(0, 128 * checked), b);
  const same = [...twin.nearest.keys()].filter(
    (i) => twin.nearest[i] === found.nearest[i] && twin.best[i] === found.best[i] && twin.second[i] === found.second[i],
  );
  const agreement = same.length / checked;
  await row(`match ${n} x ${n}`, null, agreement === 1 ? 1 : 0, (encoder, writes) => gpu.encode(encoder, writes), {
    checked,
  });
  gpu.destroy();
}

/** Times `encode` and prints the row; without a time where the answer does not agree. */
async function row(what, image, agreement, encode, extra) {
  let milliseconds = null;
  if (agreement >= (what.startsWith("klt there") ? LEAST_TRACKS : LEAST_AGREEMENT)) {
    milliseconds = await repeated(encode, REPETITIONS);
  } else process.exitCode = 1;
  const size = image === null ? null : `${image.width}x${image.height}`;
  const line = {
    benchmark: "features",
    what,
    size,
    image: source,
    milliseconds,
    agreement,
    ...extra,
    device: { requested: device, actual },
  };
  console.log(JSON.stringify({ ...line, repetitions: REPETITIONS, ...made }));
  const { bytes, ...shown } = extra;
  const time = milliseconds === null ? "DOES NOT AGREE" : `${milliseconds.median.toFixed(3)} ms`;
  process.stderr.write(
    `${(size ?? "").padEnd(10)} ${what.padEnd(20)} ${time.padEnd(14)} agreement ${agreement.toFixed(4)} ${JSON.stringify(shown)} at ${(now() - begin).toFixed(0)} s\n`,
  );
}

/** Milliseconds from the image on the host to the answer on the host. */
async function walls(work) {
  const times = [];
  for (let repetition = -1; repetition < (isSoftware ? 1 : 10); repetition++) {
    const from = performance.now();
    await work();
    if (repetition >= 0) times.push(performance.now() - from);
  }
  return spreadOf(times);
}
