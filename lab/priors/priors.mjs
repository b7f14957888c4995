#!/usr/bin/env node
/**
 * Two targets that cross among false detections (crossing.mjs): IDF1 of rmap without and with what a radar knows, and of the tracker that a toolbox runs on the same
 * (radar.mjs). What that tracker leaves to choose is chosen on even seeds, and odd ones are reported; a row each.
 *
 *     npm run build && node lab/priors/priors.mjs [--seeds 100] [--rows lab/results/priors.jsonl]
 *     node lab/priors/priors.mjs --table lab/notes/priors.md                   the table from the latest rows
 */
import { parseArgs } from "node:util";
import { makeProblem, runProblem } from "rmap/run";
import { compareLabels, scoreTracks } from "rmap/scores";
import { recordingOf } from "../../dist/formats/detections.js";
import { provenance } from "../../dist/rows/provenance.js";
import { cpuBackend } from "../../dist/run/device.js";
import { putTable } from "../docs-table.mjs";
import { keepRow, rowsOf } from "../rows.mjs";
import { CROSSING, crossing } from "./crossing.mjs";
import { radarTracks } from "./radar.mjs";

const { values: options } = parseArgs({
  options: { seeds: { type: "string", default: "100" }, rows: { type: "string" }, table: { type: "string" } },
});
const now = () => performance.now() / 1000;
const solving = { threads: 1, now, backend: cpuBackend("cpu", 1, now) };
const all = Array.from({ length: Number(options.seeds) }, (_, n) => n + 1);
const half = (/** @type {number} */ rest) => all.filter((seed) => seed % 2 === rest);

const { noise, process: acceleration, missed, most, reach, starts } = CROSSING;
const clutter = most;
/** The box of all detections, the square of either target's false ones, and a size between: over which the filters take the false ones to be spread. */
const AREAS = [(2 * reach + 20) ** 2, (1.5 * 2 * reach) ** 2, (2 * reach) ** 2];
const [{ vx, vy }] = starts;
/** Both are there from the beginning; that one appears is as good as never. */
const known = { noise: Math.sqrt(noise), missed, clutter, births: 0.05, speed: Math.hypot(vx, vy) };
const radar = { noise, process: acceleration, missed, speed: (vx * vx + vy * vy) / 2 };

/** @typedef {(detections: ReturnType<typeof crossing>) => Promise<Int32Array> | Int32Array} Method */

/** @param {import("../../dist/run/overrides.js").ProblemOverrides["prior"]} prior */
const solved = (prior) => async (/** @type {ReturnType<typeof crossing>} */ detections) => {
  const recording = recordingOf("crossing", detections);
  const problem = await makeProblem({ kind: "detections", recording }, prior ? { prior } : {}, solving);
  const { track } = await runProblem(problem, { ...solving, cuts: "auto" });
  if (track === null) throw new Error("no tracks");
  return track;
};

/** @param {Method} method @param {readonly number[]} seeds */
async function idf1Of(method, seeds) {
  const scores = [];
  for (const seed of seeds) {
    const detections = crossing(seed);
    const track = await method(detections);
    scores.push(Number(scoreTracks(compareLabels(detections.frameStart, detections.target, track)).idf1));
  }
  return scores;
}

/** @param {readonly number[]} values */
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

if (options.table !== undefined) putTable(options.table, "priors", table());
else await measure();

async function measure() {
  /** @type {{ words: string, method: Method, mean: number }[]} */
  const tried = [];
  for (const [need, within] of [
    [2, 3],
    [3, 4],
    [4, 6],
    [5, 7],
    [6, 8],
    [7, 10],
    [8, 11],
    [9, 12],
  ]) {
    for (const lost of [2, 3, 4]) {
      for (const area of AREAS) {
        /** @type {Method} */
        const method = (detections) =>
          radarTracks(detections, { ...radar, clutter: clutter / area, need, within, lost });
        const words = `${need} of ${within}, lost after ${lost}, false ones over ${area}`;
        tried.push({ words, method, mean: mean(await idf1Of(method, half(0))) });
      }
    }
  }
  const best = tried.reduce((one, other) => (other.mean > one.mean ? other : one));

  /** @type {[method: string, track: Method, chosen?: string][]} */
  const methods = [
    ["rmap, nothing stated", solved(undefined)],
    ["rmap, clutter and births stated", solved({ clutter, births: known.births })],
    ["rmap, all five stated", solved(known)],
    ["filters, the same known", best.method, best.words],
    [
      "filters, first states known too",
      (detections) =>
        radarTracks(detections, { ...radar, clutter: clutter / AREAS[1], need: 1, within: 1, lost: 99, starts }),
    ],
  ];
  for (const [method, track, chosen] of methods) {
    const scores = (await idf1Of(track, half(1))).sort((a, b) => a - b);
    const at = (/** @type {number} */ share) => scores[Math.round(share * (scores.length - 1))];
    const row = {
      benchmark: "priors",
      method,
      ...(chosen !== undefined && { chosen }),
      seeds: scores.length,
      idf1: mean(scores),
      ...{ lowest: at(0), lower: at(0.25), median: at(0.5), upper: at(0.75), highest: at(1) },
      ...provenance(new Date()),
    };
    console.log(
      `${[method, chosen ?? []].flat().join(", ").padEnd(34)} ${row.idf1.toFixed(1)} (${row.lowest.toFixed(1)} to ${row.highest.toFixed(1)})`,
    );
    keepRow(options.rows, row);
  }
}

function table() {
  const latest = new Map(rowsOf(options.rows ?? "lab/results/priors.jsonl").map((row) => [row.method, row]));
  const lines = Array.from(latest.values(), ({ method, chosen, idf1, lowest, lower, median, upper, highest }) => {
    const cells = [idf1, lowest, lower, median, upper, highest].map((value) => value.toFixed(1));
    return `| ${[method + (chosen === undefined ? "" : ` (${chosen})`), ...cells].join(" | ")} |`;
  });
  return `| | mean | lowest | lower quartile | median | upper quartile | highest |\n|---|---|---|---|---|---|---|\n${lines.join("\n")}\n`;
}
