/**
 * Where SIFT's time goes on a GPU: every dispatch by the device's clock in a pass of its own, and the whole in one pass; before: the last row
 * of lab/results/features-gpu.jsonl. Each is compared with the twin on the CPU
 * first. Prints a table; it writes no rows (lab/features/bench.ts does).
 *
 *     npm run build && node lab/features/sift-speed.mjs [gpu|software] [WIDTHxHEIGHT ...]
 */
import { existsSync, readFileSync } from "node:fs";
import { GpuSift, SIFT_DEFAULTS } from "rmap/pixels";
import { openSession } from "../../dist/gpu/open-session.js";
import { detectSiftOnCpu } from "../../dist/pixels/features/sift/sift.js";
import { inFloats } from "../../dist/pixels/image.js";
import { readFeatureImage } from "../../dist/run/features/image.js";
import { FeatureClock } from "../../dist-lab/features/clock.js";
import { drawnBlobs, resized, sharedKeypoints as shared } from "../../dist-lab/features/images.js";
import { deviceNamed } from "../device.mjs";

const [device = "gpu", ...sizes] = process.argv.slice(2);
const isSoftware = device === "software";
const LEAST_AGREEMENT = 0.995;

const session = await openSession(deviceNamed(device));
if (session === null) throw new Error(`${device} names no GPU`);
const now = () => performance.now() / 1000;
const begin = now();
const clock = await FeatureClock.create(session, now, isSoftware ? 1 : 30);
const source = ["shared/images/cudasift-left.pgm", "../shared/images/cudasift-left.pgm"].find((file) =>
  existsSync(file),
);
const original = source === undefined ? drawnBlobs(1280, 960) : await readFeatureImage(source, () => {});
const rows = readFileSync("lab/results/features-gpu.jsonl", "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));
console.log(`${session.description.name}, ${source ?? "blobs"}`);

for (const size of sizes.length > 0 ? sizes : ["640x480", "1280x960", "1920x1080"]) {
  const [width, height] = size.split("x").map(Number);
  const image = resized(original, width, height);
  for (const firstOctave of /** @type {const} */ ([-1, 0])) {
    const options = { ...SIFT_DEFAULTS, firstOctave };
    const twin = detectSiftOnCpu(inFloats(image), options).keypoints;
    const what = firstOctave === -1 ? "sift doubled" : "sift";
    const old = rows.filter((row) => row.what === what && row.size === size).at(-1);
    console.log(
      `\n${what} ${size}: ${twin.x.length} keypoints; before: ${old?.milliseconds?.median.toFixed(3)} ms ${JSON.stringify(old?.kernels)}`,
    );
    await measure(what, image, options, twin);
  }
}
console.log(`\n${(now() - begin).toFixed(0)} s`);
clock.destroy();
await session.close();

async function measure(name, image, options, twin) {
  const gpu = await GpuSift.create(session, image, options);
  const found = (await gpu.detect(image)).keypoints;
  const agreement = Math.min(shared(found, twin), shared(twin, found));
  if (agreement < LEAST_AGREEMENT) {
    console.log(`  ${name}: DOES NOT AGREE, ${agreement}`);
    process.exitCode = 1;
    return gpu.destroy();
  }
  const whole = await clock.device("sift", () => gpu.detect(image));
  const least = await clock.passes(() => gpu.detect(image));
  const blurs = least.filter((one) => one.name === "scale-space").map(({ milliseconds }) => milliseconds);
  const others = least.flatMap(({ name, milliseconds }) =>
    name === "scale-space" ? [] : [`${name} ${(1000 * milliseconds).toFixed(0)}`],
  );
  const sum = blurs.reduce((a, b) => a + b, 0);
  console.log(
    `  ${name.padEnd(34)} ${whole.median.toFixed(3)} ms; apart, µs: blurs ${(1000 * sum).toFixed(0)} = ${blurs.map((ms) => (1000 * ms).toFixed(1)).join(" ")}; ${others.join(", ")}; agreement ${agreement.toFixed(4)}`,
  );
  gpu.destroy();
}
