import { UNASSIGNED } from "../../../src/lap/lap.js";
import { ASCENTS, type AscentName } from "../../../src/map/dual/ascents.js";
import { createCpuSteps } from "../../../src/map/dual/cpu-steps.js";
import { examine } from "../../../src/map/exact/examine.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import { linkBetween } from "../../../src/map/instance/instance.js";
import type { PricedProblem } from "../../../src/map/instance/priced.js";
import { solve } from "../../../src/map/solve.js";
import { randomProblem } from "../../../test/map/problems.js";
import { judge } from "../check.js";
import { Garbler } from "../garble.js";
import { judgeMargins } from "../margins.js";
import { edgeBeside, sideBySide } from "../side-by-side.js";
import { graphOrNull, smallProblem } from "../small.js";
import type { Attack, Findings } from "./attack.js";

/** Detections in each of two frames beside a small problem, any two of which may be linked: more links than elimination goes on with. */
const CROWD = 325;

/** Seeds of which one attacks a crowded problem, which takes as long as these together. */
const CROWDED_EVERY = 1000;

/** Sets of multipliers that one such problem is examined with. */
const EXAMINATIONS = 5;

export const margins: Attack = {
  what: "margins of all links, births and deaths after few iterations or many, with cuts or without, by wrong multipliers, and beside more interchangeable tracks than elimination goes on with",
  share: 40,
  perSeed: 1.3,
  async run(seed, findings) {
    const garbler = new Garbler(seed);
    if (seed % CROWDED_EVERY === 0) return crowded(seed, garbler, findings);
    const { ended, violated } = findings;
    const problem = smallProblem(seed, garbler);
    const graph = graphOrNull(problem);
    if (graph === null) return ended("refused");
    const ascent = garbler.pick(...(Object.keys(ASCENTS) as AscentName[]));
    const now = () => performance.now() / 1000;
    const steps = createCpuSteps(graph, { threads: 1, now });
    const solution = await solve(graph, steps, {
      ascent,
      iterations: garbler.pick(1, 1, 3, 10, 60),
      gap: garbler.pick(0, 0, 0.05),
      margins: true,
      time: 60,
      now,
      // Without linear programs, cuts are found and weighed by the bundle.
      ...(garbler.chance(0.3) && {
        exact: { always: true, load: async () => null, mostTriplets: 1e6, mostLeaves: 100 },
      }),
    });
    for (const what of judge(problem, graph, solution, 0.05).violations) violated(`${ascent}: ${what}`);
    if (solution.tracks === null) {
      await steps.close();
      return ended(solution.status);
    }
    const { v, columnDual } = await steps.read();
    if (solution.margins !== null)
      for (const what of judgeMargins(problem, graph, solution.tracks, solution.margins))
        violated(`${ascent}: ${what}`);
    ended(solution.margins === null ? "none stated" : "stated");
    if (graph.surcharge === null && garbler.chance(0.3)) {
      const [others, duals] = [v.slice(), columnDual.slice()];
      garbler.entries(garbler.pick(others, duals));
      const found = examine(graph, others, duals, solution.tracks);
      if (found !== null)
        for (const what of judgeMargins(problem, graph, solution.tracks, found.margins()))
          violated(`examined: ${what}`);
      ended(found === null ? "none stated" : "stated, by wrong multipliers");
    }
    await steps.close();
  },
};

/**
 * Small problems beside a crowd of links that all cost the same in the first frame pair: tracks through these are interchangeable, so that their margins
 * are 0, and those of the others are what they are without the crowd.
 */
async function crowded(seed: number, garbler: Garbler, { ended, violated }: Findings): Promise<void> {
  const frames = garbler.pick(4, 5, 6);
  const small = Array.from({ length: 4 }, (_, k) => fewLinks(seed + k, frames, garbler));
  const { problem, places } = sideBySide([...small, crowdOf(frames)]);
  const { graph } = buildGraph(problem);
  const parts = await Promise.all(small.map((part) => solvedBriefly(part, garbler.pick(1, 2, 5))));
  if (parts.some((part) => part === null) || graph.surcharge !== null) return ended("none stated");

  const tracks = new Int32Array(graph.frameStart[graph.frames]).fill(UNASSIGNED);
  const v = new Float64Array(graph.edges);
  const columnDual = new Float64Array(tracks.length);
  parts.forEach((part, k) => {
    if (part === null) return;
    const edgeOf = (e: number) => edgeBeside(graph, part.graph, places[k], e);
    part.v.forEach((value, e) => {
      v[edgeOf(e)] = value;
    });
    part.columnDual.forEach((value, d) => {
      columnDual[places[k][d]] = value;
    });
    part.tracks.forEach((e, d) => {
      tracks[places[k][d]] = e === UNASSIGNED ? e : edgeOf(e);
    });
  });
  const ofCrowd = places[small.length];
  for (let n = 0; n < CROWD; n++) tracks[ofCrowd[n]] = linkBetween(graph, ofCrowd[n], ofCrowd[CROWD + n]);

  for (let n = 0; n < EXAMINATIONS; n++) {
    const spread = n === 0 ? 0 : garbler.pick(0.1, 1, 5);
    const moved = (values: Float64Array) =>
      values.map((value) => (value === 0 ? 0 : value + garbler.uniform(-spread, spread)));
    const found = examine(graph, moved(v), moved(columnDual), tracks);
    if (found === null) {
      ended("none stated");
      continue;
    }
    const { out, into } = found.margins();
    parts.forEach((part, k) => {
      if (part === null) return;
      const mine = {
        out: Float64Array.from(places[k], (d) => out[d]),
        into: Float64Array.from(places[k], (d) => into[d]),
        lineage: null,
      };
      for (const what of judgeMargins(small[k], part.graph, part.tracks, mine)) violated(`crowded: ${what}`);
    });
    for (let i = 0; i < CROWD; i++)
      if (!(out[ofCrowd[i]] <= 0)) violated(`crowded: margin ${out[ofCrowd[i]]} of one of many equal links`);
    ended("stated, crowded");
  }
}

/** A few tracks that mostly have no other links, and whose births and deaths are dear. */
function fewLinks(seed: number, frames: number, garbler: Garbler): PricedProblem {
  const problem = randomProblem({
    seed,
    counts: new Array(frames).fill(2),
    births: true,
    planted: true,
    links: garbler.pick(0.3, 0.6, 1),
    triplets: garbler.pick(1, 0.8),
    least: -1,
    grid: garbler.pick(1, 2 ** -10),
  });
  const dear = (values: Float64Array) => values.fill(garbler.pick(1, 3, 10));
  const { birthDeath } = problem;
  if (birthDeath === null) throw new Error("tracks may start and end");
  return { ...problem, birthDeath: { birth: dear(birthDeath.birth), death: dear(birthDeath.death) } };
}

/** Links from each of `CROWD` detections to as many, at no cost. */
function crowdOf(frames: number): PricedProblem {
  const frameStart = Uint32Array.from({ length: frames + 1 }, (_, p) => Math.min(p, 2) * CROWD);
  const links = CROWD * CROWD;
  return {
    links: {
      frameStart,
      tail: Int32Array.from({ length: links }, (_, e) => Math.floor(e / CROWD)),
      head: Int32Array.from({ length: links }, (_, e) => CROWD + (e % CROWD)),
      cost: new Float64Array(links),
    },
    triplets: {
      kind: "csr",
      rowStart: new Uint32Array(links + 1),
      successor: new Uint32Array(0),
      cost: new Float64Array(0),
    },
    birthDeath: { birth: new Float64Array(2 * CROWD).fill(2), death: new Float64Array(2 * CROWD).fill(2) },
  };
}

/** Multipliers and tracks after a few iterations; null where there are no tracks. */
async function solvedBriefly(problem: PricedProblem, iterations: number) {
  const { graph } = buildGraph(problem);
  const now = () => performance.now() / 1000;
  const steps = createCpuSteps(graph, { threads: 1, now });
  const { tracks } = await solve(graph, steps, { ascent: "bundle", iterations, gap: 0, time: 60, now });
  const { v, columnDual } = await steps.read();
  await steps.close();
  return tracks === null || graph.surcharge !== null
    ? null
    : { graph, tracks, v: v.slice(), columnDual: columnDual.slice() };
}
