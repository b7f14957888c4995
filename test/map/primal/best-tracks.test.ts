import { expect, test } from "vitest";
import { type RandomStream, randomStreams } from "../../../src/core/random.js";
import { priceTracks } from "../../../src/map/certificate/price-tracks.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import { linkBetween } from "../../../src/map/instance/instance.js";
import { BestTracks } from "../../../src/map/primal/best-tracks.js";
import { createTracksSearch, type Tracks } from "../../../src/map/primal/feasible.js";
import { randomProblem } from "../problems.js";

const { graph } = buildGraph(randomProblem({ seed: 1, counts: [6, 6, 6, 6, 6], storage: "absolute" }));
const { frames, frameStart } = graph;
const search = createTracksSearch(graph);

/** A target's place in each frame is drawn. */
function drawnTracks(random: RandomStream): Tracks {
  const tracks = new Int32Array(frameStart[frames]).fill(-1);
  for (let p = 0; p + 1 < frames; p++) {
    const heads = Array.from({ length: 6 }, (_, j) => frameStart[p + 1] + j);
    for (let i = frameStart[p]; i < frameStart[p + 1]; i++) {
      const [j] = heads.splice(Math.floor(random.uniform(0, heads.length)), 1);
      tracks[i] = linkBetween(graph, i, j);
    }
  }
  return tracks;
}

test("what a device makes of a mixture is kept where it is a set of tracks, and cheaper", async () => {
  const random = randomStreams(3).next().value;
  let [mixtures, improved] = [0, 0];
  const costOf = (tracks: Tracks) => {
    const priced = priceTracks(graph, tracks);
    return priced.status === "feasible" ? priced.cost : Number.POSITIVE_INFINITY;
  };
  const device = (repaired: (mixed: Tracks) => Tracks) => ({
    from: async () => drawnTracks(random),
    repaired: async (mixed: Tracks) => {
      mixtures++;
      return repaired(mixed);
    },
  });
  for (let pair = 0; pair < 20; pair++) {
    const [one, other] = [drawnTracks(random), drawnTracks(random)];
    const offered = async (repaired: (mixed: Tracks) => Tracks) => {
      const best = new BestTracks(graph, search);
      best.offer(one);
      await best.offerRepaired(other, device(repaired));
      return best;
    };
    const better = Math.min(costOf(one), costOf(other));
    const broken = await offered((mixed) => mixed.map((e, d) => (d === 0 ? mixed[1] : e)));
    expect(broken.cost).toBe(better);
    const dearer = await offered(() => drawnTracks(random));
    expect(dearer.cost).toBeLessThanOrEqual(better);
    const honest = await offered((mixed) => {
      search.improve(mixed);
      return mixed;
    });
    expect(honest.cost).toBeLessThanOrEqual(better);
    if (honest.cost < better) improved++;
    for (const { cost, tracks } of [broken, dearer, honest]) expect(cost).toBe(costOf(tracks as Tracks));
  }
  expect(mixtures).toBeGreaterThan(20);
  expect(improved).toBeGreaterThan(5);
});
