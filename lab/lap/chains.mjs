// How long the serial chains of the block Hungarian are in the X-LAPs that ascents pose, counted by its twin; no GPU is needed.
// After `npm run build`:
//
//     node lab/lap/chains.mjs [--rows FILE] [--iterations 30] [--ascents rmap,bidirectional,bundle] [PROBLEM]
//
// PROBLEM is gated:N,T as in lab/ascent/ascent.mjs, 300,300 by default. The ascents' own steps run on the CPU; the twin solves the
// X-LAPs as the subgroup path does with subgroups of 32, and v, Δ and Ĉ are rounded to f32 as on a device, since it is rounding
// that unties ties. A row per ascent: the chain (auction rounds + steps of paths) of the slowest LAP of a batch, for which the batch
// waits, averaged over the batches and the most of all, and the mean of all LAPs. The first batch is cold and told apart.
import { parseArgs } from "node:util";
import { priceDetections } from "rmap/costs";
import { createJvWorkspace } from "rmap/lap";
import { ASCENTS, buildGraph, certifyBound } from "rmap/map";
import { simulate } from "rmap/simulation";
import { createBundle, createBundleKernels } from "../../dist/map/dual/bundle.js";
import { createPairKernels, largestFrame } from "../../dist/map/dual/kernels.js";
import { createAscentState } from "../../dist/map/dual/state.js";
import { reducedRounding } from "../../dist/map/gpu/gpu-laps.js";
import { provenance } from "../../dist/rows/provenance.js";
import { solveBlockHungarian } from "../../dist-lab/lap/twin/block-hungarian.js";
import { keepRow } from "../rows.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: "string" },
    iterations: { type: "string", default: "30" },
    ascents: { type: "string", default: "rmap,bidirectional,bundle" },
  },
});
const [problem = "gated:300,300"] = positionals;
const [targets, frames] = problem.split(":")[1].split(",").map(Number);
const layout = { teams: 4, lanes: 32, columnsPerLane: 4, bidRounds: 3 };
const seed = 1;
/** @type {import("rmap/costs").PricingParameters} */
const parameters = { cost: "spline", gate: { epsilon: 5 }, birthDeath: "none" };
const { graph } = buildGraph(await priceDetections(simulate({ targets, frames }, seed), parameters));
const iterations = Number(values.iterations);
const slack = reducedRounding(graph);

for (const ascent of values.ascents.split(",")) {
  const { steps, batches, state } = countingSteps(graph);
  let done = 0;
  await ASCENTS[ascent](steps, {
    upperBound: () => Number.POSITIVE_INFINITY,
    iterated: async () => ++done >= iterations,
    bounded: async () => false,
  });
  const lowerBound = certifyBound(graph, state.v, state.columnDual).lowerBound;
  const [cold, ...warm] = batches;
  const row = {
    benchmark: "lap-chains",
    problem,
    ascent,
    iterations,
    layout,
    slack,
    lowerBound,
    cold: summary([cold]),
    warm: summary(warm),
    seed,
    ...provenance(new Date()),
  };
  keepRow(values.rows, row);
  console.log(`${ascent}: ${lowerBound}\n  cold ${JSON.stringify(row.cold)}\n  warm ${JSON.stringify(row.warm)}`);
}

function summary(batches) {
  const all = batches.flat();
  const slowest = batches.map((batch) => batch.reduce((a, b) => (b.chain > a.chain ? b : a)));
  const mean = (laps) =>
    Object.fromEntries(
      ["chain", "bidRounds", "pathRounds", "steps"].map((key) => {
        const sum = laps.reduce((total, lap) => total + lap[key], 0);
        return [key, Math.round((10 * sum) / laps.length) / 10];
      }),
    );
  return {
    batches: batches.length,
    slowest: mean(slowest),
    most: Math.max(...all.map(({ chain }) => chain)),
    laps: mean(all),
  };
}

function countingSteps(graph) {
  const { frameStart, linkStart, linkEnd, links, edges } = graph;
  if (edges > links) throw new Error("births are not counted");
  const state = createAscentState(graph);
  const bundle = createBundle(graph, 10);
  const widest = largestFrame(graph);
  const kernels = {
    ...createPairKernels(graph, state, createJvWorkspace(widest, widest)),
    ...createBundleKernels(graph, state, bundle),
  };
  const pairs = graph.frames - 1;
  const all = Array.from({ length: pairs }, (_, p) => p);
  const halves = [0, 1].map((parity) => all.filter((p) => p % 2 === parity));
  const previous = new Array(pairs);
  const batches = [];
  const run = (kernel, over, argument) => {
    for (const p of over) kernels[kernel](p, argument);
  };
  const round = (array) => array.set(Float32Array.from(array));
  const price = (over) => {
    round(state.v);
    run("price", over);
    round(state.delta);
    round(state.reduced);
  };
  const lapOf = (p) => {
    const [from, to, end] = [frameStart[p], frameStart[p + 1], frameStart[p + 2]];
    const [rows, columns] = [to - from, end - to];
    const cost = new Float32Array(rows * columns).fill(Number.POSITIVE_INFINITY);
    for (let i = from; i < to; i++) {
      for (let e = linkStart[i]; e < linkEnd[i]; e++) cost[(i - from) * columns + state.column[e]] = state.reduced[e];
    }
    const none = (length) => new Float32Array(length).fill(Number.POSITIVE_INFINITY);
    return { rows, columns, cost, rowLimit: none(rows), columnLimit: none(columns), slack };
  };
  const assign = (over) => {
    batches.push(
      over.map((p) => {
        const lap = lapOf(p);
        const result = solveBlockHungarian(lap, layout, previous[p]);
        if (result.status !== "optimal") throw new Error(`pair ${p}: ${result.status}`);
        previous[p] = result;
        const [from, to] = [frameStart[p], frameStart[p + 1]];
        let value = 0;
        for (let i = 0; i < lap.rows; i++) {
          const j = result.columnOfRow[i];
          state.rowDual[from + i] = result.rowDual[i];
          state.columnOfRow[from + i] = j;
          state.rowOfColumn[to + j] = i;
          let e = linkStart[from + i];
          while (state.column[e] !== j) e++;
          state.linkOfRow[from + i] = e;
          value += result.rowDual[i];
        }
        for (let j = 0; j < lap.columns; j++) {
          state.columnDual[to + j] = result.columnDual[j];
          value += result.columnDual[j];
        }
        state.pairValue[p] = value;
        const { steps, bidRounds, pathRounds } = result;
        return { chain: bidRounds + steps, bidRounds, pathRounds, steps };
      }),
    );
  };
  const sum = (array) => array.reduce((total, x) => total + x, 0);
  const steps = {
    precision: "f32",
    boundEvery: Number.POSITIVE_INFINITY,
    async assign() {
      price(all);
      assign(all);
    },
    async evaluate() {
      await this.assign();
      return sum(state.pairValue);
    },
    pushReducedCosts: async (share) => run("pushLeft", all, share),
    async visit(parity) {
      round(state.v);
      run("pull", halves[parity]);
      price(halves[parity]);
      assign(halves[parity]);
      run("pushLeft", halves[parity], 0.5);
      run("pushRight", halves[parity], 0.5);
    },
    async subgradient() {
      run("subgradient", all);
      return sum(state.pairNorm);
    },
    keep: async () => run("keep", all),
    restore: async () => run("restore", all),
    beginBundle: async () => run("begin", all),
    collectPlanes: async () => run("collect", all),
    async refine(tau) {
      for (const half of halves) {
        price(half);
        assign(half);
        run("refine", half, tau);
      }
    },
    async refineKept(tau) {
      for (const half of halves) run("refineKept", half, tau);
    },
    async evaluateBundle() {
      run("measure", all);
      const model = sum(bundle.model);
      return { bound: await steps.evaluate(), model };
    },
    stand: async (tau) => run("stand", all, tau),
  };
  return { steps, batches, state };
}
