#!/usr/bin/env node
/**
 * Which motion vectors find targets whose velocity is none of them, alone, with Markov switching and with the maximum: spots of any velocity up to
 * 2 pixels a frame, in straight lines and turning; and a scene like that of Davey, Rutten & Cheung (EURASIP JASP 2008, 428036).
 *
 *     npm run build && node lab/tbd/vectors.mjs spots turning davey [--seeds 2] [--device cpu] [--rows lab/results/tbd-detection.jsonl]
 *         [--vectors 113] [--way max]
 *
 * With --vectors and --way only that number of vectors, that way of coupling them.
 * Every way has its own threshold, which leaves F false alarms an output frame of noise alone (other seeds than those of the targets): coupled vectors
 * and filtered images have no closed form.
 */
import { parseArgs } from "node:util";
import { BEFORE_DETECT_DEFAULTS, motionVectors } from "rmap/pixels";
import { scoreDetections } from "rmap/scores";
import { readImageScene } from "../../dist/formats/image-scene.js";
import { matchedFilter } from "../../dist/pixels/before-detect/cpu.js";
import { provenance } from "../../dist/rows/provenance.js";
import { renderScene } from "../../dist/run/render.js";
import { openTbd } from "../../dist/run/tbd-device.js";
import { deviceNamed } from "../device.mjs";
import { requireParts } from "../parts.mjs";
import { keepRow } from "../rows.mjs";
import { bayesGrid } from "./bayes-grid.mjs";
import { particleFilter } from "./particles.mjs";
import { outputsByRegions } from "./regions.mjs";
import { framesOf, outputsOf } from "./scenes.mjs";

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: "string" },
    device: { type: "string", default: "cpu" },
    rows: { type: "string" },
    vectors: { type: "string" },
    way: { type: "string" },
  },
});

/** The published tables have 192 pixels a side, α = 0.9 and F = 1. */
const spots = {
  scene: { ...readImageScene("scenarios/tbd/spots.json"), width: 192, height: 192 },
  snrs: [1, 1.5],
  seeds: Number(flags.seeds ?? 2),
  vectors: [1, 0.5, 0.3333].map((spacing) => motionVectors(2, spacing)),
  prefilter: 1,
  // After so many images, as in the published tables and all rows.
  from: 30,
  to: 60,
  options: { alpha: 0.9, decimation: 10, radius: 4, falseAlarms: 1 },
};
const parts = {
  spots,
  turning: { ...spots, scene: { ...spots.scene, name: "spots that turn by 2°", turn: 2 } },
  davey: {
    scene: readImageScene("scenarios/tbd/davey.json"),
    // 12, 6 and 3 dB.
    snrs: [4, 2, 1.41],
    seeds: Number(flags.seeds ?? 100),
    vectors: [1 / 2, 1 / 4, 1 / 6].map((spacing) => motionVectors(1, spacing)),
    prefilter: 0.7,
    from: 7,
    to: 22,
    options: { alpha: 0.9, decimation: 1, radius: 2, falseAlarms: 0.05 },
    // The filter that knows the amplitude, and two shares that change their velocity.
    besides: [
      ...[0.05, 0.2].map((switching) => ({ name: `Bayes ${switching}`, filter: "bayes-grid", switching })),
      // Velocities are between the vectors: once is enough, with --vectors 13.
      ...[1000, 10000].map((particles) => ({ name: `particles ${particles}`, filter: "particles", particles })),
    ],
  },
};
requireParts(positionals, parts);
const WAYS = [
  { name: "alone", combine: "sum", switching: 0 },
  { name: "regions", combine: "sum", switching: 0, filter: "regions" },
  { name: "switching 0.2", combine: "sum", switching: 0.2 },
  { name: "max", combine: "max", switching: 0 },
];
const MATCH = 3;
/** Noise of these seeds sets the thresholds, over so many output frames at least. */
const NOISE_SEED = 1001;
const NOISE_FRAMES = 20;

const now = () => performance.now() / 1000;
const tbd = await openTbd(deviceNamed(flags.device), now);
for (const name of positionals) await run(parts[name]);
await tbd.close();

async function run({ scene, snrs, seeds, vectors: sets, prefilter, from, to, options, besides = [] }) {
  console.log(
    `${scene.name}: ${scene.width} × ${scene.height}, α ${options.alpha}, F ${options.falseAlarms}, ${seeds} seeds`,
  );
  for (const vectors of sets.filter((one) => flags.vectors === undefined || one.length === Number(flags.vectors))) {
    for (const { name, ...way } of [...WAYS, ...besides].filter(
      (one) => flags.way === undefined || one.name === flags.way,
    )) {
      const own = { ...BEFORE_DETECT_DEFAULTS, vectors, sigma: 1, ...options, ...way };
      let threshold = null;
      for (const snr of snrs) {
        // The filter expects the amplitude, so that its threshold depends on it.
        if (threshold === null || (own.filter && own.filter !== "regions"))
          threshold = await calibrated({ ...scene, snr }, own, prefilter, from, to);
        const row = await found({ ...scene, snr }, { ...own, threshold }, prefilter, seeds, from, to);
        keepRow(flags.rows, row);
        console.log(
          `${String(vectors.length).padStart(4)} ${name.padEnd(14)} SNR ${String(snr).padEnd(5)} τ ${threshold.toFixed(2)}  P_d ${row.detected.toFixed(3)}, last frame ${row.detectedAtEnd?.toFixed(3)}, ` +
            `found at all ${row.everFound?.toFixed(3)}, position ${row.positionError?.toFixed(2) ?? "–"} px, false ${row.falseAlarmsPerFrame.toFixed(3)} a frame, after the target ${row.falseAfter?.toFixed(3) ?? "–"}`,
        );
      }
    }
  }
}

/**
 * A scene's output frames, by the recursion or by the filter that it is compared with.
 * @param drawn the SNR that the frames have; the filter expects the scene's
 */
async function outputs(scene, seed, options, prefilter, drawn = scene.snr) {
  if (options.filter === undefined)
    return await outputsOf({ ...scene, snr: drawn }, seed, options, prefilter, tbd.steps);
  const { truth, pixels } = renderScene({ ...scene, snr: drawn }, seed);
  const filtered = framesOf(scene, pixels).map((frame) => matchedFilter(frame, prefilter));
  if (options.filter === "regions")
    return { truth, outputs: await outputsByRegions(filtered, scene, options, tbd.steps) };
  // Of a spot's shape, whose squares add up to π σ² on a grid that is fine enough.
  const amplitude = scene.snr * Math.sqrt(Math.PI) * prefilter;
  if (options.filter === "bayes-grid") return { truth, outputs: bayesGrid(filtered, scene, { ...options, amplitude }) };
  return { truth, outputs: particleFilter(filtered, scene, { speed: 1, wander: 0.05, ...options, amplitude }) };
}

/** The threshold that leaves F maxima an output frame of noise. */
async function calibrated(scene, options, prefilter, from, to) {
  const scores = [];
  let frames = 0;
  for (let seed = NOISE_SEED; frames < NOISE_FRAMES / options.falseAlarms; seed++) {
    const { outputs: found } = await outputs(
      scene,
      seed,
      { ...options, threshold: options.filter && options.filter !== "regions" ? -1e9 : 1.5 },
      prefilter,
      0,
    );
    for (const { frame, detections } of found) {
      if (frame + 1 < from || frame + 1 > to) continue;
      frames++;
      scores.push(...detections.map(({ score }) => score));
    }
  }
  scores.sort((a, b) => b - a);
  const wanted = Math.round(options.falseAlarms * frames);
  return (scores[wanted - 1] + scores[wanted]) / 2;
}

async function found(scene, options, prefilter, seeds, from, to) {
  const sums = {
    hits: 0,
    targets: 0,
    falseAlarms: 0,
    frames: 0,
    hitsAtEnd: 0,
    everFound: 0,
    square: 0,
    after: 0,
    framesAfter: 0,
  };
  for (let seed = 1; seed <= seeds; seed++) {
    const { truth, outputs: all } = await outputs(scene, seed, options, prefilter);
    const during = all.filter(({ frame }) => frame + 1 >= from && frame + 1 <= to);
    const score = scoreDetections(during, truth, MATCH);
    sums.hits += score.hits;
    sums.targets += score.targets;
    sums.falseAlarms += score.falseAlarms;
    sums.frames += score.frames;
    sums.square += score.hits * (score.positionError ?? 0) ** 2;
    sums.hitsAtEnd += score.byFrame.at(-1).hits;
    sums.everFound += new Set(score.target.flat().filter((target) => target >= 0)).size;
    for (const { frame, detections } of all) {
      if (frame <= scene.leave) continue;
      sums.after += detections.length;
      sums.framesAfter++;
    }
  }
  return {
    benchmark: "tbd-detection",
    scene: scene.name,
    snr: scene.snr,
    turn: scene.turn,
    alpha: options.alpha,
    decimation: options.decimation,
    vectors: options.vectors.length,
    filter: options.filter,
    combine: options.filter ? undefined : options.combine,
    switching: options.switching,
    threshold: options.threshold,
    falseAlarms: options.falseAlarms,
    prefilter,
    from,
    to,
    seeds: Array.from({ length: seeds }, (_, n) => n + 1),
    targets: sums.targets,
    detected: sums.hits / sums.targets,
    detectedAtEnd: sums.hitsAtEnd / (seeds * scene.targets),
    everFound: sums.everFound / (seeds * scene.targets),
    positionError: sums.hits === 0 ? null : Math.sqrt(sums.square / sums.hits),
    theory: null,
    falseAlarmsPerFrame: sums.falseAlarms / sums.frames,
    falseAfter: sums.framesAfter === 0 ? null : sums.after / sums.framesAfter,
    ...provenance(new Date()),
  };
}
