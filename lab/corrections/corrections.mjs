#!/usr/bin/env node
/**
 * Corrections needed to reach errorless tracks on inputs with truth, by the order in which a user looks at links, starts and ends. The user looks at the first one not looked at before, knows the
 * truth, and confirms it (a required link) or corrects it: a wrong link by the true one from its tail or into its head, or by ruling it out where there is none, a wrong start or end by the true link. After
 * each correction all is solved again. Links over more frames than the costs know count as none; a daughter's link is right where the truth begins a target at the daughter and ends one at
 * the mother, since identities name no mothers. With --seconds a session ends after these CPU seconds.
 *
 *     npm run build && node lab/corrections/corrections.mjs [--rows lab/results/corrections.jsonl] INPUT[:SEED]…
 *     node lab/corrections/corrections.mjs --speed lab/results/corrections-speed.jsonl INPUT[:SEED]…      seconds of one correction each of the links with the least margins
 *     node lab/corrections/corrections.mjs --table      the tables of the notes, of all rows
 */
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { Corrections } from "rmap/run";
import { randomStreams } from "../../dist/core/random.js";
import { edgesOf } from "../../dist/formats/branches.js";
import { readInput } from "../../dist/formats/input.js";
import { provenance } from "../../dist/rows/provenance.js";
import { doubtfulItems } from "../../dist/run/corrections/doubtful.js";
import { openBackend } from "../../dist/run/device.js";
import { solveInput } from "../../dist/run/solve-input.js";
import { putTable } from "../docs-table.mjs";
import { keepRow } from "../rows.mjs";
import { tableOfOrders, tableOfSpeed } from "./tables.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: "string", default: "lab/results/corrections.jsonl" },
    speed: { type: "string" },
    table: { type: "boolean", default: false },
    seconds: { type: "string", default: "Infinity" },
    order: { type: "string", multiple: true, default: ["margin", "cost", "time", "random", "ends first"] },
  },
});
const NOTES = "lab/notes/corrections.md";
const now = () => performance.now() / 1000;
const cpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** @param {string} name */
async function solved(name) {
  const [file, seed] = name.split(":");
  const backend = await openBackend("cpu", { threads: 1, now });
  const isRecording = file.endsWith(".csv");
  const settings = {
    threads: 1,
    ...(isRecording && { estimateVelocities: true }),
    ...(seed && { seed: Number(seed) }),
  };
  const { problem, run } = await solveInput(() => backend, await readInput(file), settings, { now, began: now() });
  return { problem, run, input: basename(file).replace(/\.\w+$/, ""), seed: seed === undefined ? null : Number(seed) };
}

/** The true link out of each detection and into it, −1 for none. */
function truthOf({ target, frame, most }) {
  const [next, previous] = [new Int32Array(target.length).fill(-1), new Int32Array(target.length).fill(-1)];
  const last = new Map();
  target.forEach((one, d) => {
    const before = one < 0 ? undefined : last.get(one);
    if (before !== undefined && frame[d] - frame[before] <= most) {
      next[before] = d;
      previous[d] = before;
    }
    last.set(one, d);
  });
  return { next, previous };
}

/**
 * How sure pair costs alone are of an item: what its cheapest alternative at either end costs more than it.
 * @param {import("../../dist/run/motion-passes.js").MotionPass} motion
 */
function confidenceOf(motion) {
  const { links, edgeOf, kept, birthDeath } = motion.priced;
  const place = new Map([...motion.priced.origin.entries()].flatMap(([at, d]) => (d < 0 ? [] : [[d, at]])));
  const cut = (d, which) => birthDeath[which][place.get(d)];
  const cost = new Map();
  const [out, into] = [new Map(), new Map()];
  kept.tail.forEach((i, n) => {
    const j = kept.head[n];
    const value = links.cost[edgeOf[n]] - cut(i, "death") - cut(j, "birth");
    cost.set(`${i} ${j}`, value);
    const named = [`${i} ${j}`, value];
    out.set(i, [...(out.get(i) ?? []), named]);
    into.set(j, [...(into.get(j) ?? []), named]);
  });
  const least = (all, but, cut) =>
    (all ?? []).reduce((low, [name, value]) => (name === but ? low : Math.min(low, value)), cut);
  return ({ kind, from, to }) => {
    if (kind === "start") return least(into.get(to), null, Number.POSITIVE_INFINITY);
    if (kind === "end") return least(out.get(from), null, Number.POSITIVE_INFINITY);
    const name = `${from} ${to}`;
    return Math.min(least(out.get(from), name, 0), least(into.get(to), name, 0)) - (cost.get(name) ?? 0);
  };
}

const nameOf = ({ kind, from, to }) => `${kind} ${from} ${to}`;

/** Order of items that are there: `key` is compared first, and then the margin. */
function ordersOf(motion, frame) {
  const confidence = confidenceOf(motion);
  const time = ({ from, to }) => frame[from < 0 ? to : from];
  const random = (seed) => {
    const stream = randomStreams(seed).next().value;
    const drawn = new Map();
    return (item) => {
      const name = nameOf(item);
      if (!drawn.has(name)) drawn.set(name, stream.uniform(0, 1));
      return drawn.get(name);
    };
  };
  const margin = (item) => item.margin;
  const first = (isFirst) => (item) => item.margin - (isFirst(item) ? 1e6 : 0);
  return {
    margin: [margin],
    cost: [confidence],
    time: [time],
    random: [1, 2].map(random),
    // A further one: starts and ends by margin, then links by margin.
    "ends first": [first(({ kind }) => kind !== "link")],
  };
}

async function proofread({ problem, run }, truth, key) {
  const session = new Corrections({ problem, run }, { now });
  const trueLinks = new Set(Array.from(truth.next.entries()).flatMap(([i, j]) => (j < 0 ? [] : [`${i} ${j}`])));
  const isDivision = ({ track }, from, to) =>
    track[from] !== track[to] && truth.next[from] < 0 && truth.previous[to] < 0;
  const errorsOf = (answer) => {
    const all = edgesOf({ track: answer.track, parent: answer.parents });
    const links = all.filter(([i, j]) => !isDivision(answer, i, j));
    const right = links.filter(([i, j]) => trueLinks.has(`${i} ${j}`)).length;
    return links.length - right + trueLinks.size - right;
  };
  /** @type {import("rmap/run").Correction[]} */
  const list = [];
  const [next, previous] = [new Map(), new Map()];
  const require = (from, to) => {
    if (next.get(from) === to) return;
    list.push({ kind: "required", from, to });
    next.set(from, to);
    previous.set(to, from);
  };
  const isOpen = (from, to) => !list.some((one) => one.from === from && one.to === to);
  const looked = new Set();
  let answer = await session.correct([]);
  let [looks, corrections, refused, whole, seconds, most] = [0, 0, 0, 0, 0, 0];
  const curve = [[0, errorsOf(answer)]];
  while (curve[curve.length - 1][1] > 0 && seconds < Number(options.seconds)) {
    const items = doubtfulItems(answer)
      .map((item) => ({ item, rank: key(item) }))
      .sort((a, b) => a.rank - b.rank);
    let isCorrected = false;
    for (const { item } of items) {
      const { kind, from, to } = item;
      if (looked.has(nameOf(item))) continue;
      looked.add(nameOf(item));
      looks++;
      if (kind === "link" && truth.next[from] === to) {
        if (isOpen(from, to)) require(from, to);
        continue;
      }
      if (kind === "link" && isDivision(answer, from, to)) continue;
      const isRight = kind === "start" ? truth.previous[to] < 0 : kind === "end" ? truth.next[from] < 0 : false;
      if (isRight) continue;
      corrections++;
      if (kind !== "start" && truth.next[from] >= 0) require(from, truth.next[from]);
      else if (kind !== "end" && truth.previous[to] >= 0) require(truth.previous[to], to);
      else list.push({ kind: "forbidden", from, to });
      isCorrected = true;
      break;
    }
    if (!isCorrected) break;
    const began = cpu();
    try {
      answer = await session.correct(list);
    } catch (error) {
      refused++;
      process.stderr.write(`${error.message}\n`);
      list.pop();
    }
    const took = cpu() - began;
    seconds += took;
    most = Math.max(most, took);
    whole += answer.whole ? 1 : 0;
    curve.push([looks, errorsOf(answer)]);
  }
  return { looks, corrections, refused, whole, seconds, most, curve };
}

async function measure(name) {
  const { problem, run, input, seed } = await solved(name);
  const { target } = problem;
  const frame = Array.from({ length: run.frameStart.length - 1 }, (_, p) =>
    new Array(run.frameStart[p + 1] - run.frameStart[p]).fill(p),
  ).flat();
  const truth = truthOf({ target, frame, most: run.motion.fit.model.prior.length });
  for (const [order, keys] of Object.entries(ordersOf(run.motion, frame))) {
    if (!options.order.includes(order)) continue;
    for (const [repeat, key] of keys.entries()) {
      const { curve, ...found } = await proofread({ problem, run }, truth, key);
      const errors = curve[0][1];
      const looksTo = (share) => curve.find(([, left]) => left <= share * errors)?.[0] ?? null;
      const row = {
        benchmark: "corrections",
        input,
        seed,
        order,
        repeat,
        detections: run.track.length,
        status: run.solution.status,
        errors,
        left: curve[curve.length - 1][1],
        ...found,
        looksToHalf: looksTo(0.5),
        looksToTenth: looksTo(0.1),
        ...provenance(new Date()),
      };
      keepRow(options.rows, row);
      process.stderr.write(
        `${input}${seed === null ? "" : ` ${seed}`} ${order}: ${errors} errors, ${found.looks} looks, ${found.corrections} corrections, ${row.left} left, ${found.seconds.toFixed(1)} s\n`,
      );
    }
  }
}

/** CPU seconds of a correction by the link that is corrected: each of the least sure links forbidden, alone, after one to warm up. */
async function measureSpeed(name) {
  const { problem, run, input, seed } = await solved(name);
  const session = new Corrections({ problem, run }, { now });
  const links = doubtfulItems(run)
    .filter(({ kind }) => kind === "link")
    .slice(0, 25);
  for (const link of links.slice(0, 5)) await session.instead([], link);
  const times = [];
  let whole = 0;
  for (const link of links) {
    const began = cpu();
    whole += (await session.instead([], link)).whole ? 1 : 0;
    times.push(cpu() - began);
  }
  times.sort((a, b) => a - b);
  const { graph, result } = run;
  const row = {
    benchmark: "corrections-speed",
    input,
    seed,
    detections: run.track.length,
    frames: graph.frames,
    edges: graph.edges,
    triplets: graph.triplets.count,
    corrections: times.length,
    whole,
    cpuSeconds: { median: times[times.length >> 1], min: times[0], max: times[times.length - 1] },
    passesSeconds: result.times.passes,
    solveSeconds: result.times.solve,
    ...provenance(new Date()),
  };
  keepRow(options.speed, row);
  process.stderr.write(
    `${input} ${run.track.length} detections: median ${row.cpuSeconds.median.toFixed(3)}, most ${row.cpuSeconds.max.toFixed(3)} s, ${whole} of ${times.length} in the whole\n`,
  );
}

if (options.table) {
  putTable(positionals[0] ?? NOTES, "corrections", tableOfOrders("lab/results/corrections.jsonl"));
  putTable(positionals[0] ?? NOTES, "corrections-speed", tableOfSpeed("lab/results/corrections-speed.jsonl"));
} else for (const name of positionals) await (options.speed === undefined ? measure(name) : measureSpeed(name));
