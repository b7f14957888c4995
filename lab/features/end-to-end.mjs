/**
 * Where the time of SIFT and of KLT goes from images on the host to answers there: the whole, the device's part by its own clock, the upload and
 * the readback of as many bytes measured alone; two images in flight; and matching. Every answer is compared with the CPU's first. Prints a table
 * and writes no rows (lab/features/bench.ts does).
 *
 *     npm run build && node lab/features/end-to-end.mjs [gpu|software] [WIDTHxHEIGHT ...]
 */
import { existsSync } from "node:fs";
import {
  detectCorners,
  GpuMatch,
  GpuSift,
  KLT_DEFAULTS,
  KLT_LEVELS,
  KLT_SELECTION_DEFAULTS,
  KLT_STATUS,
  matchDescriptors,
  SIFT_DEFAULTS,
} from "rmap/pixels";
import { createStorage, readBeginnings, writeStorage } from "../../dist/gpu/buffers.js";
import { openSession } from "../../dist/gpu/open-session.js";
import { Workspace } from "../../dist/gpu/workspace.js";
import { createGpuKlt } from "../../dist/pixels/features/klt.js";
import { kltPyramid, trackKltBothWays } from "../../dist/pixels/features/klt-track.js";
import { nearestOnCpu } from "../../dist/pixels/features/match.js";
import { memoryFor } from "../../dist/pixels/features/sift/gather.js";
import { detectSiftOnCpu } from "../../dist/pixels/features/sift/sift.js";
import { PlaneUpload } from "../../dist/pixels/gpu-planes.js";
import { inFloats } from "../../dist/pixels/image.js";
import { readFeatureImage } from "../../dist/run/features/image.js";
import { FeatureClock } from "../../dist-lab/features/clock.js";
import { drawnBlobs, resized, sharedKeypoints as shared, shifted } from "../../dist-lab/features/images.js";
import { deviceNamed } from "../device.mjs";

const [device = "gpu", ...sizes] = process.argv.slice(2);
const isSoftware = device === "software";
const LEAST_AGREEMENT = 0.995;
/** Of KLT's tracks: iterations end by a threshold. */
const LEAST_TRACKS = 0.99;
const RUNS = isSoftware ? 2 : 40;

const session = await openSession(deviceNamed(device));
if (session === null) throw new Error(`${device} names no GPU`);
const now = () => performance.now() / 1000;
const clock = await FeatureClock.create(session, now, isSoftware ? 1 : 30);
const source = ["shared/images/cudasift-left.pgm", "../shared/images/cudasift-left.pgm"].find((file) =>
  existsSync(file),
);
const original = source === undefined ? drawnBlobs(1280, 960) : await readFeatureImage(source, () => {});
console.log(`${session.description.name}, ${source ?? "blobs"}; medians of ${RUNS}, milliseconds`);

for (const size of sizes.length > 0 ? sizes : ["640x480", "1280x960", "1920x1080"]) {
  const [width, height] = size.split("x").map(Number);
  const image = resized(original, width, height);
  for (const firstOctave of /** @type {const} */ ([-1, 0])) await sift(image, size, firstOctave);
  await klt(image, size);
}
await transfers();
clock.destroy();
await session.close();

/** The first fifth of the runs warms up. */
async function median(work) {
  const times = [];
  for (let run = -Math.ceil(RUNS / 5); run < RUNS; run++) {
    const from = performance.now();
    await work(run);
    if (run >= 0) times.push(performance.now() - from);
  }
  times.sort((a, b) => a - b);
  return times[times.length >> 1];
}

async function sift(image, size, firstOctave) {
  const options = { ...SIFT_DEFAULTS, firstOctave };
  const [gpu, second] = await Promise.all([0, 1].map(() => GpuSift.create(session, image, options)));
  const found = (await gpu.detect(image)).keypoints;
  const twin = detectSiftOnCpu(inFloats(image), options).keypoints;
  const agreement = Math.min(shared(found, twin), shared(twin, found));
  const name = `sift${firstOctave === -1 ? " doubled" : ""} ${size}`;
  if (agreement < LEAST_AGREEMENT) {
    console.log(`${name}: DOES NOT AGREE, ${agreement}`);
    process.exitCode = 1;
    return;
  }
  await second.detect(image);
  const lengths = { places: new Set(found.place).size, keypoints: found.x.length };
  // First, since it brings the device's clocks up.
  const ofDevice = (await clock.device("sift", () => gpu.detect(image))).median;
  const whole = await median(() => gpu.detect(image));
  const upload = await uploadOf([image]);
  const bytes = 24 * lengths.places + (8 + 128) * lengths.keypoints;
  const read = await readingOf(bytes);
  // What detect does while the device works.
  const touch = await median(() => void memoryFor(Math.ceil(1.25 * lengths.keypoints)));
  const scopes = await median(() => session.scoped("nothing", () => {}));
  // Two images in flight: the time of one is a frame's part of the whole.
  let before = second.detect(image);
  const inFlight = await median(async (k) => {
    const next = (k % 2 === 0 ? gpu : second).detect(image);
    await before;
    before = next;
  });
  const last = (await before).keypoints;
  const same = ["x", "y", "sigma", "angle", "descriptors"].every((what) =>
    last[what].every((v, k) => v === found[what][k]),
  );
  if (!same) process.exitCode = 1;
  const ms = (value) => value.toFixed(2);
  console.log(
    `${name}: whole ${ms(whole)}, two in flight ${ms(inFlight)}${same ? "" : " WRONG"}; device ${ms(ofDevice)}; alone: upload ${ms(upload)}, ` +
      `read ${bytes} bytes ${ms(read)}, memory ${ms(touch)}, error scopes ${ms(scopes)}; ` +
      `${lengths.keypoints} keypoints, agreement ${agreement.toFixed(4)}`,
  );
  const descriptors = found.descriptors;
  const exact = nearestOnCpu(descriptors.subarray(0, 128 * 100), descriptors);
  const all = { ratio: 1, mutual: false };
  const kept = await GpuMatch.create(session);
  const matched = await matchDescriptors(descriptors, descriptors, all, { device: session, kept });
  const right = exact.nearest.every((j, i) => matched.j[i] === j);
  if (!right) process.exitCode = 1;
  const match = await median(() => matchDescriptors(descriptors, descriptors, all, { device: session, kept }));
  const anew = await median(() => matchDescriptors(descriptors, descriptors, all, { device: session }));
  console.log(
    `  matching ${lengths.keypoints}² end to end ${right ? ms(match) : "WRONG"}, with buffers made anew ${ms(anew)}`,
  );
  kept.destroy();
  gpu.destroy();
  second.destroy();
}

async function klt(image, size) {
  const { corners: points } = await detectCorners(image, KLT_SELECTION_DEFAULTS, { device: null });
  const moved = shifted(image, 3.3, -2.7);
  const gpu = await createGpuKlt(session, image, KLT_DEFAULTS, KLT_LEVELS);
  const found = await gpu.trackBothWays(image, moved, points);
  const twin = trackKltBothWays(
    kltPyramid(inFloats(image), KLT_LEVELS),
    kltPyramid(inFloats(moved), KLT_LEVELS),
    points,
    KLT_DEFAULTS,
  );
  const near = (k) => Math.hypot(found.x[k] - twin.x[k], found.y[k] - twin.y[k]) < 0.01;
  const same = [...twin.status.keys()].filter(
    (k) => twin.status[k] === found.status[k] && (twin.status[k] !== KLT_STATUS.tracked || near(k)),
  );
  const agreement = same.length / points.x.length;
  if (!(agreement >= LEAST_TRACKS)) {
    console.log(`klt ${size}: DOES NOT AGREE, ${agreement}`);
    process.exitCode = 1;
    return;
  }
  const ofDevice = (await clock.device("klt", () => gpu.trackBothWays(image, moved, points))).median;
  const whole = await median(() => gpu.trackBothWays(image, moved, points));
  const upload = await uploadOf([image, moved]);
  const bytes = 2 * 20 * points.x.length;
  const read = await readingOf(bytes);
  console.log(
    `klt there and back ${size}: whole ${whole.toFixed(2)}; device ${ofDevice.toFixed(2)}; alone: upload of two ${upload.toFixed(2)}, ` +
      `read ${bytes} bytes ${read.toFixed(2)}; ${points.x.length} points, agreement ${agreement.toFixed(4)}`,
  );
  gpu.destroy();
}

/** Milliseconds of the way of images to the device. */
async function uploadOf(images) {
  const work = new Workspace(session, "alone");
  const pixels = images[0].width * images[0].height;
  const upload = new PlaneUpload(work, pixels);
  for (const [k] of images.entries()) work.storage(`image ${k}`, pixels);
  const send = async (encoder) => {
    for (const [k, image] of images.entries()) await upload.send(encoder, image, `image ${k}`);
  };
  const time = await median(async () => {
    await work.run(send, [], () => null);
    await session.finished();
  });
  work.destroy();
  return time;
}

/** Milliseconds until so many bytes are back. */
async function readingOf(bytes) {
  const buffer = createStorage(session, "alone", Math.max(1, bytes / 4));
  const time = await median(() => readBeginnings(session, [{ buffer, bytes }], () => {}));
  buffer.destroy();
  return time;
}

/** Ways of an image of so many bytes to the device. */
async function transfers() {
  for (const kib of isSoftware ? [64] : [300, 1200, 2025, 8100]) {
    const data = new Uint8Array(1024 * kib).map((_, k) => k);
    const buffer = createStorage(session, "transfer", data.length / 4);
    const work = new Workspace(session, "transfer");
    work.storage("to", data.length / 4);
    const written = await median(async () => {
      writeStorage(session, buffer, new Uint32Array(data.buffer));
      await session.finished();
    });
    const call = await median(() => writeStorage(session, buffer, new Uint32Array(data.buffer)));
    await session.finished();
    const mapped = await median(async () => {
      await work.run(
        (encoder) => work.send(encoder, data, "to"),
        [],
        () => null,
      );
      await session.finished();
    });
    const copied = new Uint8Array(data.length);
    const host = await median(() => copied.set(data));
    const idle = await median(() => session.finished());
    const rate = (ms) => `${ms.toFixed(3)} (${(data.length / 1e6 / ms).toFixed(1)} GB/s)`;
    console.log(
      `${kib} KiB up: writeBuffer ${rate(written)}, the call alone ${call.toFixed(3)}; kept mapped buffers ${rate(mapped)}; a copy on the host ${rate(host)}; an idle wait ${idle.toFixed(3)}`,
    );
    work.destroy();
    buffer.destroy();
  }
}
