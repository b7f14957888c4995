#!/usr/bin/env node
/**
 * Divisions that a solve of simulated cells finds, with no option: colonies that push about (lab/costs/particles.mjs), and cells that go on as they go, in a plane or in space, with `missed` a share of their
 * detections left out, with `crowd` three hundred of them, with `large` a thousand, and with `few` twenty.
 *
 *     npm run build && node lab/lineages/divisions.mjs [--kinds colony,straight,space,missed] [--seeds 1,2] [--gap PERCENT] [--csv FOLDER] [--rows FILE]
 *
 * DIST=FOLDER in the environment solves with another build; inputs and scores are always those of ../../dist. --csv writes the recordings instead.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { compareLabels, scoreLineages } from "rmap/scores";
import { joinFrames } from "../../dist/core/detections.js";
import { randomStreams } from "../../dist/core/random.js";
import { recordingOf } from "../../dist/formats/detections.js";
import { provenance } from "../../dist/rows/provenance.js";
import { dividing } from "../costs/particles.mjs";
import { recorded, times } from "../costs/recorded.mjs";
import { keepRow } from "../rows.mjs";

/** @typedef {import("../costs/recorded.mjs").Mover} Mover */
/** @typedef {import("../../dist/core/random.js").RandomStream} RandomStream */
/** @typedef {{ detections: import("rmap/core").Detections, mothers: Map<number, number> }} Lineage */

const { values: options } = parseArgs({
  options: {
    kinds: { type: "string", default: "colony,straight,space,missed" },
    seeds: { type: "string", default: "1,2" },
    gap: { type: "string" },
    csv: { type: "string" },
    rows: { type: "string" },
  },
});

/** Cells that keep nine tenths of their velocity, in a box of a side of 40, each dividing some ten frames after its birth. @param {RandomStream} random @param {Mover[]} daughters */
function straight(random, daughters, { cells = 40, frames = 30, side = 40 } = {}) {
  const life = () => Math.max(3, Math.round(20 * (1 + 0.3 * random.normal())));
  const drawn = (/** @type {number} */ age) => ({ age, life: life() });
  const step = (/** @type {Mover} */ one) => {
    one.vx = 0.9 * one.vx + 0.25 * random.normal();
    one.vy = 0.9 * one.vy + 0.25 * random.normal();
    one.x += one.vx;
    one.y += one.vy;
    if (one.x < 0 || one.x > side) one.vx = -one.vx;
    if (one.y < 0 || one.y > side) one.vy = -one.vy;
    one.age++;
  };
  return recorded(
    {
      frames,
      noise: 0.15,
      first: times(cells, () => ({
        ...{ x: random.uniform(0, side), y: random.uniform(0, side) },
        ...{ vx: 0.6 * random.normal(), vy: 0.6 * random.normal() },
        ...drawn(random.uniform(0, 20)),
      })),
      move: (one) => {
        if (one.age >= one.life) return false;
        step(one);
        return true;
      },
      enter: (_, __, gone) =>
        gone.flatMap((mother) => {
          const { cos, sin } = random.direction();
          const both = [0.9, -0.9].map((apart) => {
            const [vx, vy] = [mother.vx / 2 + apart * cos, mother.vy / 2 + apart * sin];
            const one = { ...mother, vx, vy, ...drawn(0), mother: mother.id ?? -1 };
            step(one);
            return one;
          });
          daughters.push(...both);
          return both;
        }),
    },
    random,
  );
}

/** The same cells with a depth that wanders. @param {RandomStream} random @param {Mover[]} daughters */
function space(random, daughters) {
  const flat = straight(random, daughters, { cells: 60 });
  const depth = new Map();
  const z = Float64Array.from(flat.target ?? [], (id) => {
    const mother = daughters.find((one) => one.id === id)?.mother;
    const before = depth.get(id) ?? depth.get(mother) ?? random.uniform(0, 20);
    depth.set(id, before + 0.4 * random.normal());
    return depth.get(id) + 0.15 * random.normal();
  });
  return { ...flat, z };
}

/** A twentieth of the detections of straight cells are missed. @param {RandomStream} random @param {Mover[]} daughters */
function missed(random, daughters) {
  const { frames, frameStart, x, y, target } = straight(random, daughters);
  const seen = Array.from({ length: frames }, (_, p) =>
    Array.from({ length: frameStart[p + 1] - frameStart[p] }, (_, n) => frameStart[p] + n)
      .filter(() => random.uniform(0, 1) > 0.05)
      .map((d) => ({ x: x[d], y: y[d], vx: Number.NaN, vy: Number.NaN, target: target?.[d] ?? -1 })),
  );
  return { ...joinFrames(seen, 1), vx: null, vy: null };
}

/** A thousand cells in 50 frames, as dense. @param {RandomStream} random @param {Mover[]} daughters */
const large = (random, daughters) => straight(random, daughters, { cells: 1000, frames: 50, side: 200 });

/** Three hundred cells in 40 frames, as dense. @param {RandomStream} random @param {Mover[]} daughters */
const crowd = (random, daughters) => straight(random, daughters, { cells: 300, frames: 40, side: 110 });

/** Twenty cells in 20 frames, as dense: scenarios/cells.csv. @param {RandomStream} random @param {Mover[]} daughters */
const few = (random, daughters) => straight(random, daughters, { cells: 20, frames: 20, side: 28 });

const KINDS = { colony: dividing, straight, space, missed, crowd, large, few };

/** @param {string} kind @param {number} seed @returns {Lineage} */
function drawn(kind, seed) {
  /** @type {Mover[]} */
  const daughters = [];
  const detections = KINDS[/** @type {keyof typeof KINDS} */ (kind)](randomStreams(seed).next().value, daughters);
  return { detections, mothers: new Map(daughters.map(({ id, mother }) => [id ?? -1, mother])) };
}

/** @param {string} name @param {Lineage} lineage */
function write(name, { detections, mothers }) {
  const { frames, frameStart, x, y, z, target } = detections;
  const rows = [`# dt=1\nframe,x,y,${z ? "z," : ""}target,parent`];
  for (let p = 0; p < frames; p++) {
    for (let d = frameStart[p]; d < frameStart[p + 1]; d++) {
      const one = target?.[d] ?? -1;
      const places = [x[d], y[d], ...(z ? [z[d]] : [])].map((value) => Number(value.toFixed(4)));
      rows.push([p, ...places, one, mothers.get(one) ?? ""].join());
    }
  }
  mkdirSync(options.csv ?? ".", { recursive: true });
  writeFileSync(join(options.csv ?? ".", `${name}.csv`), `${rows.join("\n")}\n`);
}

/** @param {string} name @param {Lineage} lineage */
async function solved(name, { detections, mothers }) {
  const dist = pathToFileURL(`${resolve(process.env.DIST ?? fileURLToPath(new URL("../../dist", import.meta.url)))}/`);
  const load = (/** @type {string} */ file) => import(new URL(file, dist).href);
  /** @type {typeof import("../../dist/run/device.js")} */
  const { cpuBackend } = await load("run/device.js");
  /** @type {typeof import("../../dist/run/problem.js")} */
  const { makeProblem } = await load("run/problem.js");
  /** @type {typeof import("../../dist/run/run.js")} */
  const { runProblem } = await load("run/run.js");
  const now = () => performance.now() / 1000;
  const before = process.cpuUsage();
  const recording = recordingOf(name, detections);
  const problem = await makeProblem({ kind: "detections", recording }, {}, { threads: 1, now });
  const gapPercent = options.gap === undefined ? undefined : Number(options.gap);
  const backend = cpuBackend("cpu", 1, now);
  const run = await runProblem(problem, { gapPercent, cuts: "auto", began: now(), threads: 1, backend, now });
  const { user, system } = process.cpuUsage(before);
  const { frameStart, target } = detections;
  if (run.track === null || target === null) throw new Error(`${name}: no tracks`);
  const lineages = { truth: mothers, answer: run.parents };
  const comparison = compareLabels(frameStart, target, run.track, lineages);
  const [exactly, within] = [0, 1].map((buffer) => scoreLineages(comparison, buffer));
  const { scores, status, lowerBound, upperBound } = run.result;
  const { divisionF1, divisionPrecision, divisionRecall } = exactly;
  return {
    ...{ benchmark: "divisions", name },
    ...{ detections: target.length, status, gapNats: upperBound === null ? null : upperBound - (lowerBound ?? 0) },
    ...{ divisionF1, divisionPrecision, divisionRecall },
    ...{ divisions: exactly.divisions, within: within.divisions.found, tra: exactly.tra, lnk: exactly.lnk },
    ...{ linkErrors: scores?.linkErrors, idf1: scores?.idf1, cpuSeconds: (user + system) / 1e6 },
  };
}

for (const kind of options.kinds.split(",")) {
  for (const seed of options.seeds.split(",").map(Number)) {
    const lineage = drawn(kind, seed);
    if (options.csv === undefined)
      console.log(
        JSON.stringify(
          keepRow(options.rows, { ...(await solved(`${kind}/${seed}`, lineage)), ...provenance(new Date()) }),
        ),
      );
    else write(`${kind}-${seed}`, lineage);
  }
}
