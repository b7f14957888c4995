#!/usr/bin/env node
/**
 * One recording solved on several devices, whose costs are learned from the tracks of rough solves there: a digest of each instance, what differs in the law, and the tracks of each priced by the others' instances.
 *
 *     npm run build && node lab/lineages/crossed.mjs RECORDING.csv [--on cpu,gpu] [--threads 16] [--rows lab/results/lineages-devices.jsonl]
 *
 * "links" says of tracks how many links the other instance leaves out, none of which may be taken there; without them the cost is that of tracks of the other instance, and at least its bound.
 */
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { edgesOf } from "../../dist/formats/branches.js";
import { digestOf } from "../../dist/formats/digest.js";
import { readInput } from "../../dist/formats/input.js";
import { priceTracks } from "../../dist/map/certificate/price-tracks.js";
import { linkBetween } from "../../dist/map/instance/instance.js";
import { provenance } from "../../dist/rows/provenance.js";
import { Places } from "../../dist/run/corrections/places.js";
import { openBackend } from "../../dist/run/device.js";
import { makeProblem } from "../../dist/run/problem.js";
import { runProblem } from "../../dist/run/run.js";
import { deviceNamed } from "../device.mjs";
import { keepRow } from "../rows.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    on: { type: "string", default: "cpu,gpu" },
    threads: { type: "string", default: "16" },
    rows: { type: "string" },
  },
});
const threads = Number(options.threads);
const now = () => performance.now() / 1000;

/** @typedef {import("../../dist/run/run.js").Run} Run */

/** @param {string} file @param {string} place @returns {Promise<Run & { place: string, seconds: number }>} */
async function solvedOn(file, place) {
  const began = now();
  const backend = await openBackend(deviceNamed(place), { threads, now });
  const problem = await makeProblem(await readInput(file), {}, { threads, now, solver: backend });
  const run = await runProblem(problem, { cuts: "auto", began, threads, backend, now });
  await backend.close();
  return { ...run, place, seconds: now() - began };
}

/** The tracks of one run by the instance of another. @param {Run} tracks @param {Run} instance */
function pricedBy(tracks, { graph, priced, motion }) {
  const places = new Places(priced, motion);
  const links = new Int32Array(graph.frameStart[graph.frames]).fill(-1);
  let absent = 0;
  const take = (/** @type {number} */ from, /** @type {number} */ to) => {
    const e = linkBetween(graph, from, to);
    if (e < 0) absent++;
    else links[from] = e;
  };
  /** @type {Map<number, number[]>} */
  const daughters = new Map();
  for (const [from, to] of edgesOf({ track: tracks.track ?? new Int32Array(0), parent: tracks.parents })) {
    if (tracks.track?.[from] !== tracks.track?.[to]) daughters.set(from, [...(daughters.get(from) ?? []), to]);
    else for (const [tail, head] of places.chain(from, to)) take(tail, head);
  }
  // Which daughter is the second is whichever is cheaper.
  let cost = Number.NaN;
  for (const [mother, both] of daughters) {
    const twin = places.twinOf[places.place[mother]];
    const ways = [both, [...both].reverse()].map(([first, second]) => {
      // The first daughter may be over missed frames, the second is in the next one.
      const found = [...places.chain(mother, first), [twin, places.place[second]]].map(([tail, head]) => ({
        tail,
        e: tail < 0 ? -1 : linkBetween(graph, tail, head),
      }));
      if (found.some(({ e }) => e < 0)) return { of: Number.POSITIVE_INFINITY, found };
      for (const { tail, e } of found) links[tail] = e;
      const whole = priceTracks(graph, links);
      for (const { tail } of found) links[tail] = -1;
      return { of: whole.status === "feasible" ? whole.cost : Number.POSITIVE_INFINITY, found };
    });
    const best = ways[0].of <= ways[1].of ? ways[0] : ways[1];
    if (best.of === Number.POSITIVE_INFINITY) absent += 2;
    else for (const { tail, e } of best.found) links[tail] = e;
  }
  const whole = priceTracks(graph, links);
  if (whole.status === "feasible") cost = whole.cost;
  return { cost, absent };
}

for (const file of positionals) {
  /** @type {Awaited<ReturnType<typeof solvedOn>>[]} */
  const runs = [];
  for (const place of options.on.split(",")) runs.push(await solvedOn(file, place));
  for (const { place, result, seconds, graph, ...run } of runs) {
    const { status, lowerBound, upperBound, detections, edges, triplets, iterations, device, motion, tracks } = result;
    const row = {
      ...{ benchmark: "crossed-costs", name: basename(file, ".csv"), place, device: device.actual, threads, status },
      ...{ iterations, detections, edges, triplets, divisions: tracks?.divisions, lowerBound, upperBound, seconds },
      ...{ instance: digestOf(graph).slice(0, 12), motion },
      by: Object.fromEntries(runs.map((other) => [other.place, pricedBy({ ...run, result, graph }, other)])),
    };
    console.log(JSON.stringify(keepRow(options.rows, { ...row, ...provenance(new Date()) })));
  }
}
