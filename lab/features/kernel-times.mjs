/**
 * Milliseconds of the device's clock of kernels whose loads were changed, each dispatch in a pass of its own and all in one: to be run in turn with the build before, in whose folder this file lies as well.
 *
 *     npm run build && npm run build -w lab && node lab/features/kernel-times.mjs [gpu|software] [--rows lab/results/kernel-times.jsonl] [--label new] [--sizes 640x480,1920x1080] [--repeat 50]
 *
 * Corners (Harris), OpenVIDIA's features, and the pyramid of a flow at a zoom of 0.7, of drawn blobs; where the build has it, affine fits of 500 windows there and on the CPU.
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { computeFlow, createGpuFlow, FLOW_PRESETS } from "rmap/pixels";
import { openSession } from "../../dist/gpu/open-session.js";
import { PassLog } from "../../dist/gpu/timer.js";
import {
  createGpuCorners,
  detectCorners,
  HARRIS_DEFAULTS,
  KLT_SELECTION_DEFAULTS,
} from "../../dist/pixels/features/corners.js";
import { createGpuOpenvidia, OPENVIDIA_DEFAULTS } from "../../dist/pixels/features/openvidia/openvidia.js";
import { inFloats } from "../../dist/pixels/image.js";
import { provenance } from "../../dist/rows/provenance.js";
import { FeatureClock } from "../../dist-lab/features/clock.js";
import { drawnBlobs } from "../../dist-lab/features/images.js";
import { deviceNamed } from "../device.mjs";
import { keepRow } from "../rows.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: "string" },
    label: { type: "string", default: "new" },
    sizes: { type: "string", default: "640x480,1920x1080" },
    repeat: { type: "string", default: "50" },
  },
});
const session = await openSession(deviceNamed(positionals[0] ?? "gpu"));
if (session === null) throw new Error("the device is no GPU");
const now = () => performance.now() / 1000;
const clock = await FeatureClock.create(session, now, Number(values.repeat));

/** @param {string} what @param {string} size @param {object} measured */
function keep(what, size, measured) {
  const row = { benchmark: "kernel-times", build: values.label, what, size, ...measured };
  keepRow(values.rows, { ...row, device: session?.description.name, ...provenance(new Date()) });
  console.log(values.label, what, size, JSON.stringify(measured));
}
const thousandth = (/** @type {number} */ milliseconds) => Number(milliseconds.toFixed(4));

for (const size of values.sizes.split(",")) {
  const [width, height] = size.split("x").map(Number);
  const image = drawnBlobs(width, height);
  const corners = await createGpuCorners(session, image, { ...HARRIS_DEFAULTS, most: 1000 });
  await method("corners", size, () => corners.find(image, false));
  corners.destroy();
  const openvidia = await createGpuOpenvidia(session, image, OPENVIDIA_DEFAULTS);
  await method("openvidia", size, () => openvidia.detect(image));
  openvidia.destroy();
  await pyramid(image, size);
  if (existsSync(new URL("../../dist/pixels/features/klt.js", import.meta.url))) await affine(image, size);
}
clock.destroy();
await session.close();

/** @param {string} what @param {string} size @param {() => Promise<unknown>} work */
async function method(what, size, work) {
  const milliseconds = thousandth((await clock.device(what, work)).median);
  keep(what, size, { milliseconds, kernels: await clock.kernels(work) });
}

/** The kernels of a flow's pyramid, of which one warp and one iteration a level leave little else. */
async function pyramid(image, size) {
  const log = new PassLog(session, 2048);
  const flow = createGpuFlow(session, { now });
  const options = { ...FLOW_PRESETS.paper, zoom: 0.7, warps: 1, iterations: 1 };
  const sums = [];
  for (let k = 0; k < 2 + Number(values.repeat) / 5; k++) {
    const passes = await log.of(() => computeFlow(image, image, options, flow), true);
    if (k < 2) continue;
    const kernels = {};
    for (const { label, milliseconds } of passes) kernels[label] = (kernels[label] ?? 0) + milliseconds;
    sums.push(kernels);
  }
  const names = Object.keys(sums[0]);
  const middle = (name) => thousandth(sums.map((one) => one[name]).sort((a, b) => a - b)[sums.length >> 1]);
  keep("flow, zoom 0.7", size, { kernels: Object.fromEntries(names.map((name) => [name, middle(name)])) });
  flow.destroy();
  log.destroy();
}

async function affine(image, size) {
  const { createGpuAffine } = await import("../../dist/pixels/features/klt.js");
  const { AFFINE_DEFAULTS, fitAffine, UNDEFORMED } = await import("../../dist/pixels/features/klt-affine.js");
  const { corners } = await detectCorners(image, { ...KLT_SELECTION_DEFAULTS, most: 500 }, { device: null });
  /** @returns {import("../../dist/pixels/features/klt-affine.js").AffineStart} */
  const startOf = (x, y) => ({ from: [x, y], to: [x + 0.4, y - 0.3], a: UNDEFORMED });
  const starts = Array.from(corners.x, (x, k) => startOf(x, corners.y[k]));
  const made = await createGpuAffine(session, image, AFFINE_DEFAULTS);
  const fit = () => made.fit(inFloats(image), image, starts);
  const device = await clock.device("affine", fit);
  const wall = await clock.wall(fit);
  const cpu = await clock.wall(() => starts.map((start) => fitAffine(image, image, start, AFFINE_DEFAULTS)), 5);
  const apart = cpu.answer.map((one, k) => Math.hypot(one.x - wall.answer[k].x, one.y - wall.answer[k].y));
  keep("affine fits", size, {
    fits: starts.length,
    milliseconds: thousandth(device.median),
    wall: thousandth(wall.spread.median),
    cpuMilliseconds: thousandth(cpu.spread.median),
    apart: Math.max(...apart),
  });
  made.destroy();
}
