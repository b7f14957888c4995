/**
 * A plane of cells that move and divide, with a cost for each link and each change of velocity, as ../shared/specs/reference/lineages draws them, solved to a proof: by the rule that says when
 * linear programs begin, or after some iterations; on one thread, or on a device with some.
 *
 *     node lab/lineages/cells.mjs [--cells 1000] [--frames 50] [--seed 1] [--iterations 2000] [--device cpu] [--threads 1] [--rows lab/results/lineages.jsonl]
 */
import { parseArgs } from "node:util";
import { randomStreams } from "../../dist/core/random.js";
import { buildGraph } from "../../dist/map/instance/build.js";
import { likeTheirMothers, withTwins } from "../../dist/map/instance/twins.js";
import { solve } from "../../dist/map/solve.js";
import { provenance } from "../../dist/rows/provenance.js";
import { openBackend } from "../../dist/run/device.js";
import { loadHighs } from "../../dist/run/highs.js";
import { deviceNamed } from "../device.mjs";
import { keepRow } from "../rows.mjs";

const { values: options } = parseArgs({
  options: {
    cells: { type: "string", default: "1000" },
    frames: { type: "string", default: "50" },
    seed: { type: "string", default: "1" },
    iterations: { type: "string", default: "2000" },
    device: { type: "string", default: "cpu" },
    threads: { type: "string", default: "1" },
    rows: { type: "string" },
  },
});
const [cells, frames, seed, limit, threads] = ["cells", "frames", "seed", "iterations", "threads"].map((name) =>
  Number(options[name]),
);
/** Frames between divisions, the place that a cell has, noise of detections, the reach of a link, and what births, deaths and divisions cost. */
const [EVERY, ROOM, NOISE, GATE, END, DIVISION] = [60, 14.4, 0.15, 4, 8, 4];
const random = randomStreams(seed).next().value;
const normal = () => Math.sqrt(-2 * Math.log(1 - random.uniform(0, 1))) * Math.cos(random.uniform(0, 2 * Math.PI));
const box = Math.sqrt(ROOM * cells);
const life = () => Math.max(3, Math.round(EVERY * (1 + 0.3 * normal())));

function simulate() {
  const step = (cell) => {
    const [vx, vy] = [0.9 * cell.vx + 0.25 * normal(), 0.9 * cell.vy + 0.25 * normal()];
    const [x, y] = [cell.x + vx, cell.y + vy];
    return { ...cell, x, y, vx: x < 0 || x > box ? -vx : vx, vy: y < 0 || y > box ? -vy : vy, age: cell.age + 1 };
  };
  const place = () => random.uniform(0, box);
  const age = () => Math.floor(random.uniform(0, EVERY));
  let alive = Array.from({ length: cells }, () => ({
    x: place(),
    y: place(),
    vx: 0.6 * normal(),
    vy: 0.6 * normal(),
    age: age(),
    life: life(),
  }));
  return Array.from({ length: frames }, () => {
    const seen = alive.map(({ x, y }) => [x + NOISE * normal(), y + NOISE * normal()]);
    alive = alive.flatMap((cell) => {
      if (cell.age < cell.life) return [step(cell)];
      const turn = random.uniform(0, 2 * Math.PI);
      return [0.9, -0.9].map((part) =>
        step({
          ...cell,
          vx: cell.vx / 2 + part * Math.cos(turn),
          vy: cell.vy / 2 + part * Math.sin(turn),
          age: 0,
          life: life(),
        }),
      );
    });
    return seen;
  });
}

/** Links within the gate cost their length, and triplets the change of it as a vector. */
function price(seen) {
  const frameStart = Uint32Array.from([0, ...seen].keys(), (p) => seen.slice(0, p).flat().length);
  const links = [];
  const linkStart = [];
  for (const [p, here] of seen.entries()) {
    const cellOf = (place) => place.map((x) => Math.floor(x / GATE));
    const grid = new Map();
    for (const [j, to] of (seen[p + 1] ?? []).entries()) {
      const key = cellOf(to).join();
      grid.set(key, [...(grid.get(key) ?? []), j]);
    }
    for (const [i, from] of here.entries()) {
      linkStart.push(links.length);
      const [cx, cy] = cellOf(from);
      const near = [-1, 0, 1].flatMap((dx) => [-1, 0, 1].flatMap((dy) => grid.get([cx + dx, cy + dy].join()) ?? []));
      for (const j of near.sort((a, b) => a - b)) {
        const step = seen[p + 1][j].map((x, k) => x - from[k]);
        if (Math.hypot(...step) <= GATE) links.push({ tail: frameStart[p] + i, head: frameStart[p + 1] + j, step });
      }
    }
  }
  linkStart.push(links.length);
  const rowStart = new Uint32Array(links.length + 1);
  const [successor, cost] = [[], []];
  for (const [e, { head, step }] of links.entries()) {
    for (let f = linkStart[head]; f < linkStart[head + 1]; f++) {
      successor.push(f);
      cost.push(Math.hypot(links[f].step[0] - step[0], links[f].step[1] - step[1]));
    }
    rowStart[e + 1] = successor.length;
  }
  const [tail, head] = ["tail", "head"].map((name) => Int32Array.from(links, (link) => link[name]));
  const ofLinks = { frameStart, tail, head, cost: Float64Array.from(links, ({ step }) => Math.hypot(...step)) };
  const triplets = {
    kind: /** @type {const} */ ("csr"),
    rowStart,
    successor: Uint32Array.from(successor),
    cost: Float64Array.from(cost),
  };
  const ends = () => new Float64Array(frameStart[frames]).fill(END);
  return { links: ofLinks, triplets, birthDeath: { birth: ends(), death: ends() } };
}

const priced = price(simulate());
const { frameStart } = priced.links;
const divides = new Float64Array(frameStart[frames])
  .fill(Number.NaN)
  .fill(DIVISION, frameStart[1], frameStart[frames - 1]);
const { graph } = buildGraph(withTwins(priced, likeTheirMothers(priced, divides)).problem);
const used = () => Object.values(process.cpuUsage()).reduce((sum, value) => sum + value, 0) / 1e6;
for (const device of options.device.split(",")) await solveOn(device);

/** @param {string} device */
async function solveOn(device) {
  const [before, began] = [used(), performance.now()];
  const byClock = () => (performance.now() - began) / 1000;
  const now = threads === 1 && device === "cpu" ? () => used() - before : byClock;
  const backend = await openBackend(deviceNamed(device), { threads, now });
  const steps = await backend.createSteps(graph);
  let core = "";
  const { status, iterations, lowerBound, upperBound, gap, times } = await solve(graph, steps, {
    ascent: "bundle",
    ...{ iterations: limit, gap: 0, time: 600, now, threads },
    exact: {
      ...{ mostTriplets: 300_000, mostLeaves: Number.POSITIVE_INFINITY, always: true },
      load: async () => (await loadHighs())?.open ?? null,
      progress: (state) => {
        core ||= JSON.stringify({ ...state, seconds: now() });
      },
    },
  });
  await steps.close();
  await backend.close();
  const sizes = { detections: frameStart[frames], edges: graph.edges, triplets: graph.triplets.count };
  const row = {
    ...{ benchmark: "cells", cells, frames, seed, limit, ...sizes },
    ...{ status, iterations, lowerBound, upperBound, gapPercent: 100 * gap },
    ...{ device: backend.actual, threads, seconds: byClock(), cpuSeconds: used() - before, exactSeconds: times.exact },
    ...provenance(new Date()),
  };
  console.log(core);
  console.log(JSON.stringify(keepRow(options.rows, row)));
}
