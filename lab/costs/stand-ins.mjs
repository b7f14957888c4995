import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { readDetections } from "rmap/formats";
import { randomStreams } from "../../dist/core/random.js";
import { CLEAN, damaged, RECORDING_DAMAGES } from "../../dist/experiments/baselines/damage.js";
import { changing, day } from "./changing.mjs";
import * as particles from "./particles.mjs";
import * as travellers from "./travellers.mjs";
import { inPerspective, onGround, rounded, seen, sparse, strided, turned, withHoles } from "./views.mjs";

/** @typedef {import("rmap/core").Detections} Detections */
/** @typedef {{ name: string, kind: string, group: string, detections: () => Detections }} Input a name is kind/what was done to it/seed */

/**
 * Recordings of simulated targets in the place of ones that are not in ../shared/data: 2,000 to 5,000 detections, positions only.
 * @type {Readonly<Record<string, (random: import("./recorded.mjs").RandomStream) => Detections>>}
 */
const SHORT = { ...travellers, ...particles };

/** 50,000 to 60,000 detections. In the last two the beginning does not say what the end is like. */
const LONG = {
  "long-crowd": (random) => travellers.crowd(random, { targets: 400, frames: 140, width: 70, height: 35 }),
  "long-fish": (random) => particles.fish(random, { targets: 900, frames: 60 }),
  "long-traffic": (random) => travellers.traffic(random, { targets: 30, frames: 1800, length: 120 }),
  "long-changing": changing,
  "long-day": day,
};

/** @type {Record<string, Record<string, (clean: Detections, seed: number) => Detections>>} */
const FAULTS = {
  short: {
    clean: (clean) => clean,
    dropped: (clean, seed) => damaged(clean, { fault: "missed", level: 0.1 }, seed),
    // Targets that report every other frame.
    reports: (clean, seed) => damaged(clean, { fault: "missed", level: 0.5 }, seed),
    mixed,
  },
  long: {
    clean: (clean) => clean,
    dropped: (clean, seed) => damaged(clean, { fault: "missed", level: 0.05 }, seed),
  },
  recordings: Object.fromEntries(
    RECORDING_DAMAGES.map((damage) => [
      damage === CLEAN ? "clean" : `${damage.fault}${damage.level}`,
      (clean, seed) => damaged(clean, damage, seed),
    ]),
  ),
};

/** @type {Readonly<Record<string, (clean: Detections) => Detections>>} */
const ODD = {
  degrees: (clean) => seen(clean, (x, y) => [8.4 + 1e-5 * x, 49.01 + 6.6e-6 * y]),
  utm: (clean) => seen(clean, (x, y) => [456_789_000 + 1000 * x, 5_428_123_000 + 1000 * y]),
  strided,
  holes: withHoles,
  sparse: (clean) => sparse(clean),
  two: (clean) => sparse(clean, 2),
};

/** r_: rounded; q_: and turned; p_: and seen in strong perspective; g_: rounded in perspective and brought back to the ground. */
const ROUNDED = { r_: rounded, q_: (clean) => turned(rounded(clean)), p_: inPerspective, g_: onGround };

/**
 * @param {readonly number[]} seeds
 * @returns {Input[]}
 */
export function shortInputs(seeds) {
  const plain = faulty("", SHORT, FAULTS.short, seeds);
  const views = (/** @type {string} */ view, see, /** @type {readonly string[]} */ of) =>
    of.flatMap((kind) =>
      seeds.map((seed) => ({
        name: `${view}${kind}/odd/${seed}`,
        kind: `${view}${kind}`,
        group: view.endsWith("_") ? `odd ${view}` : "odd",
        detections: () => see(drawn(SHORT[kind], seed)),
      })),
    );
  const odd = [
    ...Object.entries(ROUNDED).flatMap(([view, see]) => views(view, see, Object.keys(SHORT))),
    ...Object.entries(ODD).flatMap(([view, see]) => views(`${view}-`, see, ["students", "ships"])),
  ];
  return [...plain, ...odd];
}

/**
 * @param {readonly number[]} seeds
 * @returns {Input[]}
 */
export function longInputs(seeds) {
  return faulty("long ", LONG, FAULTS.long, seeds);
}

/**
 * The recordings of a folder, positions only, with one seed for each fault and three for two of them at once.
 * @param {string} folder
 * @returns {Input[]}
 */
export function recordingInputs(folder, velocities = false) {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".csv"))
    .flatMap((file) => {
      const kind = basename(file, ".csv");
      const read = () => readDetections(join(folder, file), velocities ? "if-complete" : "ignored").detections;
      const made = (/** @type {string} */ fault, /** @type {number} */ seed, make) => ({
        name: `${kind}/${fault}/${seed}`,
        kind,
        group: `recordings ${fault}`,
        detections: () => make(read(), seed),
      });
      return [
        ...Object.entries(FAULTS.recordings).map(([fault, make]) => made(fault, 1, make)),
        ...[1, 2, 3].map((seed) => made("mixed", seed, mixed)),
      ];
    });
}

/** @returns {Input[]} */
function faulty(/** @type {string} */ prefix, all, faults, /** @type {readonly number[]} */ seeds) {
  return Object.entries(all).flatMap(([kind, draw]) =>
    Object.entries(faults).flatMap(([fault, make]) =>
      seeds.map((seed) => ({
        name: `${kind}/${fault}/${seed}`,
        kind,
        group: `${prefix}${fault}`,
        detections: () => make(drawn(draw, seed), seed),
      })),
    ),
  );
}

/** @returns {Detections} */
function drawn(draw, /** @type {number} */ seed) {
  return draw(randomStreams(seed).next().value);
}

/** Shares of detections. */
export const MIXED = { dropped: 0.1, false: 0.05 };

/**
 * 10 % dropped, 5 % false ones added.
 * @param {Detections} clean
 * @param {number} seed
 */
export function mixed(clean, seed) {
  const fewer = damaged(clean, { fault: "missed", level: MIXED.dropped }, seed);
  return damaged(fewer, { fault: "clutter", level: MIXED.false }, seed);
}
