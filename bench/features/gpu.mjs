/**
 * Times features on a GPU by the device's clock, image and results on the device: SIFT with and without doubling, selection of corners, KLT there
 * and back, matching. Every answer is compared with its twin on the CPU first; what does not agree is not timed.
 *
 *     npm run build && node bench/features/gpu.mjs [gpu|software] [image.pgm|-] [WIDTHxHEIGHT ...]
 *
 * Prints a JSON line per row (append them to results/features-gpu.jsonl) and a table on stderr. Without an image that of CudaSift is looked for in
 * shared/images, and else one of blobs is drawn; `-` draws blobs.
 */
import { existsSync } from "node:fs";
import { BusyWork, spreadOf } from "../../dist/experiments/bench/timing.js";
import { readFrame } from "../../dist/files/images/frames.js";
import { openSession } from "../../dist/gpu/open-session.js";
import { PassTimer } from "../../dist/gpu/timer.js";
import { chooseCorners, HARRIS_DEFAULTS, KLT_SELECTION_DEFAULTS } from "../../dist/pixels/features/corners.js";
import { detectCorners } from "../../dist/pixels/features/detect-corners.js";
import { GpuCorners } from "../../dist/pixels/features/gpu-corners.js";
import { GpuKlt } from "../../dist/pixels/features/gpu-klt.js";
import { GpuMatch } from "../../dist/pixels/features/gpu-match.js";
import { kltPyramid } from "../../dist/pixels/features/klt-pyramid.js";
import { KLT_DEFAULTS, KLT_LEVELS, trackKltBothWays } from "../../dist/pixels/features/klt-track.js";
import { nearestOnCpu } from "../../dist/pixels/features/match.js";
import { GpuSift } from "../../dist/pixels/features/sift/gpu-sift.js";
import { detectSiftOnCpu, SIFT_DEFAULTS } from "../../dist/pixels/features/sift/sift.js";
import { provenance } from "../../dist/rows/provenance.js";
import { featureImage } from "../../dist/run/features/image.js";

/** Software only shows that everything runs and agrees. */
const isSoftware = process.argv[2] === "software";
const REPETITIONS = isSoftware ? 2 : 50;
const LEAST_AGREEMENT = 0.995;
/** Of tracks: where the border cuts a window, the steps of a level may not settle, and end elsewhere after other roundings. */
const LEAST_TRACKS = 0.99;
const MOST_PIXELS_OFF = 0.01;
const STANDARD = ["640x480", "1280x960", "1920x1080"];
const DEFAULT_IMAGES = ["shared/images/cudasift-left.pgm", "../shared/images/cudasift-left.pgm"];

const [device = "gpu", given, ...sizes] = process.argv.slice(2);
const session = await openSession(device);
if (session === null) throw new Error(`${device} names no GPU`);
const now = () => performance.now() / 1000;
const begin = now();
const busy = await BusyWork.create(session, now);
const timer = new PassTimer(session, 64);
const source = given ?? DEFAULT_IMAGES.find((file) => existsSync(file)) ?? "-";
const original = source === "-" ? blobs(1280, 960) : featureImage(await readFrame(source));
const { actual, ...made } = { actual: session.description.name, ...provenance(new Date()) };

for (const size of sizes.length > 0 ? sizes : STANDARD) {
  const [width, height] = size.split("x").map(Number);
  const image = resized(original, width, height);
  for (const firstOctave of [-1, 0]) await sift(image, { ...SIFT_DEFAULTS, firstOctave });
  await corners(image, "harris", { ...HARRIS_DEFAULTS, most: 1000 });
  await corners(image, "klt selection", KLT_SELECTION_DEFAULTS);
  await klt(image);
}
for (const n of isSoftware ? [100] : [2000, 10_000]) await match(n);
timer.destroy();
busy.destroy();
await session.close();

async function sift(image, options) {
  const gpu = await GpuSift.create(session, image, options);
  const found = (await gpu.detect(image)).keypoints;
  const twin = detectSiftOnCpu(image, options).keypoints;
  const agreement = Math.min(shared(found, twin), shared(twin, found));
  const label = options.firstOctave === -1 ? "sift doubled" : "sift";
  const extra = { keypoints: found.x.length, bytes: gpu.bytes, kernels: {} };
  if (agreement >= LEAST_AGREEMENT) {
    extra.kernels = await apart(gpu);
    extra.wall = await walls(() => gpu.detect(image));
  }
  await row(label, image, agreement, (encoder, writes) => gpu.encode(encoder, writes), extra);
  gpu.destroy();
}

/** Milliseconds of every kernel, each in a pass of its own: the least of five runs. */
async function apart(gpu) {
  const least = {};
  for (let repetition = 0; repetition < (isSoftware ? 1 : 5); repetition++) {
    await busy.run();
    const encoder = session.device.createCommandEncoder();
    const names = gpu.encodeApart(encoder, () => timer.next());
    timer.resolve(encoder);
    session.device.queue.submit([encoder.finish()]);
    const sums = {};
    (await timer.read()).forEach((milliseconds, k) => {
      const name = names[k].replace(/.*\//, "").replace(".wgsl", "");
      sums[name] = (sums[name] ?? 0) + milliseconds;
    });
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
    const times = [];
    for (let repetition = isSoftware ? -1 : -3; repetition < REPETITIONS; repetition++) {
      if (repetition % 10 === 0 || repetition === -3) await busy.run();
      const encoder = session.device.createCommandEncoder();
      encode(encoder, timer.next());
      timer.resolve(encoder);
      session.device.queue.submit([encoder.finish()]);
      const [one] = await timer.read();
      if (repetition >= 0) times.push(one);
    }
    milliseconds = spreadOf(times);
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

/** Share of a's keypoints that b has, within 0.01 px, 0.1 % of σ and 0.01 rad. */
function shared(a, b) {
  if (a.x.length === 0) return b.x.length === 0 ? 1 : 0;
  const cells = new Map();
  const key = (x, y) => `${Math.round(x)},${Math.round(y)}`;
  b.x.forEach((x, k) => {
    const cell = key(x, b.y[k]);
    cells.set(cell, [...(cells.get(cell) ?? []), k]);
  });
  let same = 0;
  a.x.forEach((x, k) => {
    const y = a.y[k];
    const near = [-0.5, 0, 0.5].flatMap((dx) => [-0.5, 0, 0.5].flatMap((dy) => cells.get(key(x + dx, y + dy)) ?? []));
    same += near.some(
      (l) =>
        Math.hypot(x - b.x[l], y - b.y[l]) <= MOST_PIXELS_OFF &&
        Math.abs(a.sigma[k] / b.sigma[l] - 1) < 1e-3 &&
        Math.abs(Math.sin((a.angle[k] - b.angle[l]) / 2)) < 0.005,
    )
      ? 1
      : 0;
  });
  return same / a.x.length;
}

function bilinear({ width, height, pixels }, x, y) {
  const [cx, cy] = [Math.min(Math.max(x, 0), width - 1), Math.min(Math.max(y, 0), height - 1)];
  const [x0, y0] = [Math.floor(cx), Math.floor(cy)];
  const [x1, y1] = [Math.min(x0 + 1, width - 1), Math.min(y0 + 1, height - 1)];
  const top = pixels[y0 * width + x0] * (1 - cx + x0) + pixels[y0 * width + x1] * (cx - x0);
  const bottom = pixels[y1 * width + x0] * (1 - cx + x0) + pixels[y1 * width + x1] * (cx - x0);
  return top * (1 - cy + y0) + bottom * (cy - y0);
}

/** Rounded to integers, as an image file would hold it. */
function resized(image, width, height) {
  if (image.width === width && image.height === height) return image;
  const pixels = new Float32Array(width * height);
  const [sx, sy] = [image.width / width, image.height / height];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let sum = 0;
      // Four samples a pixel: enough for a reduction to a half.
      for (const oy of [0.25, 0.75])
        for (const ox of [0.25, 0.75]) sum += bilinear(image, (x + ox) * sx - 0.5, (y + oy) * sy - 0.5);
      pixels[y * width + x] = Math.round(sum / 4);
    }
  }
  return { width, height, pixels };
}

function blobs(width, height) {
  const pixels = new Float32Array(width * height).fill(128);
  const unit = (k, step) => (k * step) % 1;
  for (let k = 1; k <= 6000; k++) {
    const [bx, by] = [unit(k, 0.7548776662466927) * width, unit(k, 0.5698402909980532) * height];
    const sigma = 1.2 * 8 ** unit(k, 0.6180339887498949);
    const peak = (k % 2 === 0 ? 1 : -1) * (15 + 40 * unit(k, 0.41421356237));
    const reach = Math.ceil(4 * sigma);
    for (let y = Math.max(0, Math.floor(by) - reach); y <= Math.min(height - 1, by + reach); y++) {
      for (let x = Math.max(0, Math.floor(bx) - reach); x <= Math.min(width - 1, bx + reach); x++) {
        pixels[y * width + x] += peak * Math.exp(-((x - bx) ** 2 + (y - by) ** 2) / (2 * sigma ** 2));
      }
    }
  }
  return { width, height, pixels: pixels.map((value) => Math.min(Math.max(Math.round(value), 0), 255)) };
}
