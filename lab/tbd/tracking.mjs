#!/usr/bin/env node
/**
 * From images to tracks: track-before-detect and thresholds on single frames, each solved by `rmap solve`'s defaults, on scenarios/tbd/tracking.json
 * (256², 120 frames, 20 point targets at velocities among the 13 vectors). Links are scored over all true ones, not only those of detected targets.
 *
 *     npm run build && node lab/tbd/tracking.mjs [--rows lab/results/tbd-tracking.jsonl] [--snr 1,1.25,1.5] [--seeds 1,2,3] [--device cpu]
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { BEFORE_DETECT_DEFAULTS, detectBeforeTracking, motionVectors } from "rmap/pixels";
import { makeProblem, runProblem } from "rmap/run";
import { scoreDetections } from "rmap/scores";
import { formatFoundTargets } from "../../dist/formats/found-targets.js";
import { readImageScene } from "../../dist/formats/image-scene.js";
import { readInput } from "../../dist/formats/input.js";
import { findPeaks } from "../../dist/pixels/before-detect/detect.js";
import { thresholdFor } from "../../dist/pixels/before-detect/noise.js";
import { provenance } from "../../dist/rows/provenance.js";
import { openBackend } from "../../dist/run/device.js";
import { renderScene } from "../../dist/run/render.js";
import { openTbd } from "../../dist/run/tbd-device.js";
import { deviceNamed } from "../device.mjs";
import { keepRow } from "../rows.mjs";
import { framesOf } from "./scenes.mjs";

const { values: flags } = parseArgs({
  options: {
    rows: { type: "string" },
    snr: { type: "string", default: "1,1.25,1.5" },
    seeds: { type: "string", default: "1,2,3" },
    device: { type: "string", default: "cpu" },
  },
});
const FALSE_ALARMS = 0.2;
const ALPHA = 0.95;
const MATCH = 2;
const SECONDS = 10;

const now = () => performance.now() / 1000;
const scene = readImageScene("scenarios/tbd/tracking.json");
const vectors = motionVectors(2);
const folder = mkdtempSync(join(tmpdir(), "rmap-tracking-"));
const tbd = await openTbd(deviceNamed(flags.device), now);
const cells = scene.width * scene.height;
/** @type {{ method: string, decimation: number, level?: number }[]} */
const METHODS = [
  { method: "track-before-detect", decimation: 10 },
  { method: "track-before-detect", decimation: 5 },
  { method: "threshold, F 0.2", decimation: 10, level: thresholdFor(FALSE_ALARMS, cells) },
  { method: "threshold, 3 sigma", decimation: 10, level: 3 },
  { method: "threshold, F 0.2", decimation: 1, level: thresholdFor(FALSE_ALARMS, cells) },
];

console.log("SNR   method                  D   seeds   P_d    false/frame   recall   precision");
for (const snr of flags.snr.split(",").map(Number)) {
  for (const one of METHODS) {
    const rows = [];
    for (const seed of flags.seeds.split(",").map(Number)) rows.push(await measure(one, snr, seed));
    for (const row of rows) keepRow(flags.rows, row);
    const mean = (key) => {
      const known = rows.map((row) => row[key]).filter((value) => value !== null);
      return known.length === 0 ? "none" : (known.reduce((sum, value) => sum + value, 0) / known.length).toFixed(3);
    };
    const cellsOf = [
      String(snr).padEnd(6),
      one.method.padEnd(24),
      String(one.decimation).padEnd(4),
      String(rows.length).padEnd(8),
    ];
    console.log(
      `${cellsOf.join("")}${mean("detected").padEnd(7)}${mean("falseAlarmsPerFrame").padEnd(14)}${mean("recall").padEnd(9)}${mean("precision").padEnd(10)}${rows.map(({ status }) => status).join(" ")}`,
    );
  }
}
await tbd.close();
rmSync(folder, { recursive: true });

/**
 * @param {{ method: string, decimation: number, level?: number }} one
 * @param {number} snr
 * @param {number} seed
 */
async function measure({ method, decimation, level }, snr, seed) {
  const { truth, pixels } = renderScene({ ...scene, snr }, seed);
  const frames = framesOf(scene, pixels);
  const outputs = level === undefined ? await before(frames, decimation) : thresholded(frames, decimation, level);
  const score = scoreDetections(outputs, truth, MATCH);
  const possible = scene.targets * (scene.frames / decimation - 1);
  const found = outputs.reduce((sum, { detections }) => sum + detections.length, 0);
  const links =
    found < 2 ? { right: 0, all: 0, status: "too few detections" } : await solved(outputs, score.target, decimation);
  return {
    benchmark: "tbd-tracking",
    method,
    snr,
    seed,
    decimation,
    alpha: ALPHA,
    falseAlarms: FALSE_ALARMS,
    detected: score.detected,
    falseAlarmsPerFrame: score.falseAlarmsPerFrame,
    recall: links.right / possible,
    precision: links.all === 0 ? null : links.right / links.all,
    status: links.status,
    ...provenance(new Date()),
  };
}

async function before(frames, decimation) {
  const options = { ...BEFORE_DETECT_DEFAULTS, vectors, decimation, alpha: ALPHA, falseAlarms: FALSE_ALARMS, sigma: 1 };
  const outputs = [];
  for await (const output of detectBeforeTracking(frames, options, tbd.steps)) outputs.push(output);
  return outputs;
}

function thresholded(frames, decimation, level) {
  const outputs = [];
  for (let k = decimation; k <= frames.length; k += decimation) {
    const { width, height, pixels } = frames[k - 1];
    const peaks = findPeaks({ value: pixels, vector: new Uint16Array(cells) }, { width, height }, level, 2);
    const detections = Array.from(peaks.pixel, (pixel, n) => ({
      x: pixel % width,
      y: Math.floor(pixel / width),
      // A threshold on one frame measures no velocity.
      vx: Number.NaN,
      vy: Number.NaN,
      score: peaks.value[n],
    }));
    outputs.push({ frame: k - 1, detections });
  }
  return outputs;
}

/** Links of the tracks that `rmap solve` finds in the file, all and those between detections of one target. */
async function solved(outputs, targets, decimation) {
  const file = join(folder, "detections.csv");
  const rows = outputs.map((output, n) => ({ ...output, target: targets[n] }));
  const lines = [
    ...formatFoundTargets(rows, [
      ["dt", decimation],
      ["step", decimation],
      ["units", "px,px/frame"],
    ]),
  ];
  writeFileSync(file, lines.join(""));
  const backend = await openBackend("cpu", { threads: 1, now });
  try {
    const problem = await makeProblem(await readInput(file), {}, { threads: 1, now, progress: () => {} });
    const run = await runProblem(problem, { threads: 1, backend, now, time: SECONDS });
    const { frameStart, track } = run;
    const last = new Map();
    let [all, right] = [0, 0];
    for (let d = 0, p = 0; d < problem.target.length; d++) {
      while (frameStart[p + 1] <= d) p++;
      if (track[d] < 0) continue;
      const from = last.get(track[d]);
      if (from !== undefined) {
        all++;
        if (from.frame === p - 1 && problem.target[d] >= 0 && problem.target[from.d] === problem.target[d]) right++;
      }
      last.set(track[d], { d, frame: p });
    }
    return { right, all, status: run.result.status };
  } catch (error) {
    if (error.name !== "InputError") throw error;
    return { right: 0, all: 0, status: error.message };
  } finally {
    await backend.close();
  }
}
