/**
 * The measurements of Mücke 2007 made again (docs/features.md): Figs. 5.2 (where suppression runs), 5.3 (Harris), 5.5 (KLT), 5.13 (SIFT), Tables 4.3
 * (transfers) and 5.1 (OpenVIDIA). Every answer is compared with its twin on the CPU, or with the known motion; what does not agree is not timed.
 *
 *     npm run build && node bench/features/thesis.mjs [gpu|software] [image.pgm|-] [WIDTHxHEIGHT ...]
 *
 * Prints a JSON line per row (append them to results/features-thesis.jsonl) and a table on stderr.
 */
import { spreadOf } from "../../dist/experiments/bench/timing.js";
import { createStorage, readStorage, writeStorage } from "../../dist/gpu/buffers.js";
import {
  chooseCorners,
  cornerCandidates,
  HARRIS_DEFAULTS,
  KLT_SELECTION_DEFAULTS,
} from "../../dist/pixels/features/corners.js";
import { detectCorners } from "../../dist/pixels/features/detect-corners.js";
import { GpuCorners } from "../../dist/pixels/features/gpu-corners.js";
import { GpuKlt } from "../../dist/pixels/features/gpu-klt.js";
import { findHomography, RANSAC_DEFAULTS } from "../../dist/pixels/features/homography.js";
import { KLT_DEFAULTS, KLT_LEVELS } from "../../dist/pixels/features/klt-track.js";
import { matchDescriptors } from "../../dist/pixels/features/match-descriptors.js";
import { GpuOpenvidia } from "../../dist/pixels/features/openvidia/gpu-openvidia.js";
import { detectOpenvidiaOnCpu, OPENVIDIA_DEFAULTS } from "../../dist/pixels/features/openvidia/openvidia.js";
import { GpuSift } from "../../dist/pixels/features/sift/gpu-sift.js";
import { detectSiftOnCpu, SIFT_DEFAULTS } from "../../dist/pixels/features/sift/sift.js";
import { provenance } from "../../dist/rows/provenance.js";
import { bilinear, resized, shared } from "./images.mjs";
import { openFeatures } from "./open.mjs";

const [device = "gpu", given, ...sizes] = process.argv.slice(2);
const isSoftware = device === "software";
const REPETITIONS = isSoftware ? 1 : 30;
const WALLS = isSoftware ? 1 : 10;
const LEAST_AGREEMENT = 0.99;
const SIZES = ["320x240", "512x384", "640x480", "800x600", "1024x768", "1280x960", "1920x1080"];
const SHIFT = [3.3, -2.7];

const { session, source, original, now, begin, repeated, close } = await openFeatures(device, given, 8);
const made = provenance(new Date());

await transfers();
for (const size of sizes.length > 0 ? sizes : SIZES) {
  const [width, height] = size.split("x").map(Number);
  const image = resized(original, width, height);
  const next = moved(image);
  await harris(image, size);
  for (const n of [100, 1000, 5000]) await klt(image, next, size, n);
  await openvidia(image, next, size);
  for (const firstOctave of [-1, 0]) await sift(image, size, firstOctave);
}
await close();

/** Of 64 MiB to the device, back, and within it (read and written). */
async function transfers() {
  const bytes = isSoftware ? 2 ** 20 : 2 ** 26;
  const data = new Uint32Array(bytes / 4);
  const [a, b] = ["a", "b"].map((label) => createStorage(session, label, data.length));
  const up = await walls(async () => {
    writeStorage(session, a, data);
    await session.finished();
  });
  const down = await walls(() => readStorage(session, [a]));
  const within = await walls(async () => {
    const encoder = session.device.createCommandEncoder();
    for (let k = 0; k < 20; k++) encoder.copyBufferToBuffer(a, 0, b, 0, bytes);
    session.device.queue.submit([encoder.finish()]);
    await session.finished();
  });
  const rate = (ms, times = 1) => Number(((times * bytes) / 1e6 / ms).toPrecision(4));
  row("table 4.3", "upload", null, { wallMilliseconds: up, gigabytesPerSecond: rate(up) });
  row("table 4.3", "readback", null, { wallMilliseconds: down, gigabytesPerSecond: rate(down) });
  row("table 4.3", "device memory, read and written", null, {
    wallMilliseconds: within,
    gigabytesPerSecond: rate(within, 40),
  });
  for (const buffer of [a, b]) buffer.destroy();
}

/** Fig. 5.3; and Fig. 5.2: suppression on the device, against the whole response read back and suppression on the host. */
async function harris(image, size) {
  const options = HARRIS_DEFAULTS;
  const gpu = await GpuCorners.create(session, image, options);
  const found = chooseCorners((await gpu.find(image, false)).candidates, image.width, options);
  let twin;
  const cpuMilliseconds = await walls(async () => {
    twin = (await detectCorners(image, options, { device: null })).corners;
  }, 3);
  const agreement = overlap(found, twin);
  const compacted = await walls(async () => {
    chooseCorners((await gpu.find(image, false)).candidates, image.width, options);
  });
  const whole = await walls(async () => {
    const { response } = await gpu.find(image, true);
    const most = response.reduce((a, b) => Math.max(a, b), 0);
    chooseCorners(cornerCandidates(response, image, options.quality * most, 0), image.width, options);
  });
  const deviceMilliseconds = await timed((encoder, writes) => gpu.encode(encoder, writes));
  const common = { found: found.x.length, agreement, deviceMilliseconds };
  row("5.3", "harris", size, { ...common, cpuMilliseconds, wallMilliseconds: compacted });
  const bytes = { list: 8 + 16 * Math.max(4096, Math.ceil(image.pixels.length / 32)) };
  row("5.2", "suppression on the device", size, { ...common, wallMilliseconds: compacted, bytesBack: bytes.list });
  row("5.2", "whole response read back, suppression on the host", size, {
    ...common,
    wallMilliseconds: whole,
    bytesBack: bytes.list + 4 * image.pixels.length,
  });
  gpu.destroy();
}

/** Fig. 5.5: n features tracked there and back over a known shift. */
async function klt(image, next, size, n) {
  const selection = { ...KLT_SELECTION_DEFAULTS, most: n, quality: 0.001, distance: 3 };
  const { corners } = await detectCorners(image, selection, { device: null });
  const gpu = await GpuKlt.create(session, image, KLT_DEFAULTS, KLT_LEVELS);
  const tracks = await gpu.trackBothWays(image, next, corners);
  const distances = [...tracks.status.keys()]
    .filter((k) => tracks.status[k] === 0)
    .map((k) => Math.hypot(tracks.x[k] - corners.x[k] - SHIFT[0], tracks.y[k] - corners.y[k] - SHIFT[1]));
  const near = distances.filter((distance) => distance < 1);
  const error = Math.sqrt(near.reduce((sum, distance) => sum + distance ** 2, 0) / Math.max(1, near.length));
  row("5.5", `klt there and back, ${n} asked for, ${corners.x.length} there`, size, {
    found: near.length,
    error: Number(error.toPrecision(4)),
    deviceMilliseconds: await timed((encoder, writes) => gpu.encode(encoder, writes)),
    wallMilliseconds: await walls(() => gpu.trackBothWays(image, next, corners)),
  });
  gpu.destroy();
}

/** Table 5.1: extraction, and with matching to the next image and its homography. */
async function openvidia(image, next, size) {
  const gpu = await GpuOpenvidia.create(session, image, OPENVIDIA_DEFAULTS);
  const found = await gpu.detect(image);
  let twin;
  const cpuMilliseconds = await walls(async () => {
    twin = detectOpenvidiaOnCpu(image, OPENVIDIA_DEFAULTS);
  }, 1);
  const agreement = overlap(found, twin);
  row("table 5.1", "openvidia, extraction with 128 numbers", size, {
    ...{ found: found.x.length, agreement, cpuMilliseconds },
    deviceMilliseconds: await timed((encoder, writes) => gpu.encode(encoder, writes)),
    wallMilliseconds: await walls(() => gpu.detect(image)),
  });
  let error = null;
  const wallMilliseconds = await walls(async () => {
    const other = await gpu.detect(next);
    const { i, j } = await matchDescriptors(
      found.descriptors,
      other.descriptors,
      { ratio: 0.8, mutual: true },
      { device: session },
    );
    const take = (values, of) => Float64Array.from(of, (k) => values[k]);
    const pairs = { x: take(found.x, i), y: take(found.y, i), u: take(other.x, j), v: take(other.y, j) };
    const model = findHomography(pairs, RANSAC_DEFAULTS);
    error = model && Math.hypot(model.h[2] / model.h[8] - SHIFT[0], model.h[5] / model.h[8] - SHIFT[1]);
  });
  row("table 5.1", "openvidia with matching and RANSAC (on the CPU)", size, { agreement, wallMilliseconds, error });
  gpu.destroy();
}

/** Fig. 5.13; the twin on the CPU only where that takes little. */
async function sift(image, size, firstOctave) {
  const options = { ...SIFT_DEFAULTS, firstOctave };
  const gpu = await GpuSift.create(session, image, options);
  const found = (await gpu.detect(image)).keypoints;
  let twin;
  const cpuMilliseconds = await walls(async () => {
    twin = detectSiftOnCpu(image, options).keypoints;
  }, 1);
  row("5.13", firstOctave === -1 ? "sift, doubled" : "sift", size, {
    ...{ found: found.x.length, agreement: Math.min(shared(found, twin), shared(twin, found)), cpuMilliseconds },
    deviceMilliseconds: await timed((encoder, writes) => gpu.encode(encoder, writes)),
    wallMilliseconds: await walls(() => gpu.detect(image)),
  });
  gpu.destroy();
}

function moved(image) {
  const { width, height } = image;
  const pixels = new Float32Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) pixels[y * width + x] = bilinear(image, x - SHIFT[0], y - SHIFT[1]);
  }
  return { width, height, pixels };
}

/** Share of places, rounded to pixels, that both have. */
function overlap(a, b) {
  const places = ({ x, y }) => new Set(Array.from(x, (px, k) => `${Math.round(px)},${Math.round(y[k])}`));
  const [one, other] = [places(a), places(b)];
  if (one.size === 0 && other.size === 0) return 1;
  return [...one].filter((place) => other.has(place)).length / Math.max(one.size, other.size);
}

async function timed(encode) {
  return (await repeated(encode, REPETITIONS)).median;
}

async function walls(work, repetitions = WALLS) {
  const times = [];
  for (let repetition = -1; repetition < repetitions; repetition++) {
    const from = performance.now();
    await work();
    if (repetition >= 0 || repetitions === 1) times.push(performance.now() - from);
  }
  return spreadOf(times).median;
}

function row(figure, what, size, values) {
  const none = { deviceMilliseconds: null, wallMilliseconds: null, cpuMilliseconds: null, bytesBack: null };
  const line = { ...none, found: null, error: null, agreement: null, gigabytesPerSecond: null, ...values };
  if (line.agreement !== null && line.agreement < LEAST_AGREEMENT) {
    process.exitCode = 1;
    Object.assign(line, none);
  }
  const head = { benchmark: "features-thesis", figure, what, size, image: source };
  console.log(
    JSON.stringify({ ...head, ...line, device: { requested: device, actual: session.description.name }, ...made }),
  );
  const shown = Object.entries(line).filter(([, value]) => value !== null);
  const text = shown.map(
    ([name, value]) => `${name} ${typeof value === "number" ? Number(value.toPrecision(4)) : value}`,
  );
  process.stderr.write(
    `${figure.padEnd(10)} ${(size ?? "").padEnd(10)} ${what.padEnd(48)} ${text.join(", ")} at ${(now() - begin).toFixed(0)} s\n`,
  );
}
