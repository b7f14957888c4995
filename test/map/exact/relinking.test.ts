import { expect, test } from "vitest";
import { randomStreams } from "../../../src/core/random.js";
import { priceTracks } from "../../../src/map/certificate/price-tracks.js";
import { Relinking } from "../../../src/map/exact/relinking.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import { createTracksSearch, type Tracks } from "../../../src/map/primal/feasible.js";
import { randomProblem } from "../problems.js";

test("between two sets of tracks lie others that are allowed and cannot be improved, a few of them cheaper than both", () => {
  let [between, cheaper] = [0, 0];
  for (let seed = 1; seed <= 40; seed++) {
    const { graph } = buildGraph(randomProblem({ seed, counts: [12, 12, 12, 12, 12], triplets: 1 }));
    const search = createTracksSearch(graph);
    const [random] = randomStreams(seed);
    const costOf = (tracks: Tracks): number => {
      const priced = priceTracks(graph, tracks);
      return priced.status === "feasible" ? priced.computed : Number.POSITIVE_INFINITY;
    };
    const noise = (): Float64Array => Float64Array.from({ length: graph.edges }, () => random.uniform(-1, 1));
    const columnDual = new Float64Array(graph.frameStart[graph.frames]);
    const [one, other] = [0, 1].map(() => {
      const tracks = new Int32Array(columnDual.length).fill(-1);
      search.construct({ v: noise(), delta: noise(), columnDual }, "forward", tracks);
      search.improve(tracks);
      return tracks;
    });
    const relinking = new Relinking(graph, search);
    relinking.enter(other, costOf(other));
    for (const tracks of relinking.path(one, random)) {
      const cost = costOf(tracks);
      expect(cost).toBeLessThan(Number.POSITIVE_INFINITY);
      const again = Int32Array.from(tracks);
      search.improve(again);
      expect(costOf(again)).toBeGreaterThan(cost - 1e-9);
      between++;
      if (cost < Math.min(costOf(one), costOf(other)) - 1e-9) cheaper++;
    }
  }
  expect(between).toBeGreaterThan(60);
  expect(cheaper).toBeGreaterThan(3);
});
