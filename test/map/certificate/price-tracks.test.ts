import { expect, test } from "vitest";
import { randomStreams } from "../../../src/core/random.js";
import { priceTracks, TracksPricer } from "../../../src/map/certificate/price-tracks.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import { createTracksSearch, type Tracks } from "../../../src/map/primal/feasible.js";
import { randomMultipliers, randomProblem } from "../problems.js";

test.each([
  ["computed triplets", { storage: "absolute" }],
  ["computed triplets and births", { storage: "absolute", births: true }],
  ["stored triplets and births", { births: true }],
] as const)("the price of tracks does not depend on those that were priced before: %s", (_, recipe) => {
  const { graph } = buildGraph(randomProblem({ seed: 2, counts: [6, 6, 6, 6, 6], ...recipe }));
  const { edges, frames, frameStart } = graph;
  const search = createTracksSearch(graph);
  const random = randomStreams(5).next().value;
  const drawn = (seed: number): Tracks => {
    const tracks = new Int32Array(frameStart[frames]).fill(-1);
    const [v, delta] = [seed, seed + 1].map((one) => randomMultipliers(edges, 30, one));
    search.construct({ v, delta, columnDual: new Float64Array(frameStart[frames]) }, "forward", tracks);
    return tracks;
  };
  const sets = Array.from({ length: 8 }, (_, k) => drawn(10 * k));
  expect(new Set(sets.map(String)).size).toBeGreaterThan(4);
  const pricer = new TracksPricer(graph);
  for (let k = 0; k < 60; k++) {
    const tracks = sets[Math.floor(random.uniform(0, sets.length))];
    expect(pricer.price(tracks)).toEqual(priceTracks(graph, tracks));
  }
});
