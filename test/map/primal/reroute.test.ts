import fc from "fast-check";
import { expect, test } from "vitest";
import { UNASSIGNED } from "../../../src/lap/lap.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import { conflictsOf } from "../../../src/map/instance/exclusions.js";
import { EditedTracks } from "../../../src/map/primal/edited-tracks.js";
import { Reroute, rerouteMemory } from "../../../src/map/primal/reroute.js";
import { randomProblem } from "../problems.js";
import { costOf, randomTracks } from "./free.js";

const CLOSE = 1e-9;

/** Free triplets, exclusions or none, divisions or none. */
const recipe = fc
  .record({
    seed: fc.nat(2 ** 31 - 1),
    counts: fc.array(fc.integer({ min: 2, max: 6 }), { minLength: 3, maxLength: 6 }),
    exclusions: fc.boolean(),
    divisions: fc.boolean(),
  })
  .map((drawn) => ({ ...drawn, links: 0.8, births: true, least: -1.5, storage: "free" as const }));

test("tracks that are laid anew are allowed and cost no more, and nothing is left of what was tried", () => {
  let better = 0;
  fc.assert(
    fc.property(recipe, fc.nat(1e6), (recipe, seed) => {
      const { graph } = buildGraph(randomProblem(recipe));
      const conflicts = conflictsOf(graph);
      const reroute = new Reroute(graph, conflicts);
      const [memory, elsewhere] = [0, 1].map(() => rerouteMemory(graph.birthOf.length));
      for (const one of [seed, seed + 1]) {
        const tracks = randomTracks(graph, one);
        const before = costOf(graph, tracks);
        const onAnotherThread = tracks.slice();
        new Reroute(graph, conflicts).improve(onAnotherThread, elsewhere);
        reroute.improve(tracks, memory);
        expect(onAnotherThread).toEqual(tracks);
        const after = costOf(graph, tracks);
        expect(after).toBeLessThanOrEqual(before + CLOSE);
        if (after < before - CLOSE) better++;
        const again = tracks.slice();
        reroute.improve(again, memory);
        new Reroute(graph, conflicts).improve(onAnotherThread, elsewhere);
        expect(costOf(graph, again)).toBeLessThanOrEqual(after + CLOSE);
      }
    }),
    { numRuns: 300 },
  );
  expect(better).toBeGreaterThan(200);
});

test("links that are replaced cost what the price of the tracks says, and can be undone", () => {
  fc.assert(
    fc.property(recipe, fc.nat(1e6), (recipe, seed) => {
      const { graph } = buildGraph(randomProblem(recipe));
      const edited = new EditedTracks(graph, conflictsOf(graph));
      const [one, other] = [seed, seed + 1].map((each) => randomTracks(graph, each));
      edited.become(one);
      edited.replaced.length = 0;
      const ends = Array.from(one.keys(), (d) => [d, UNASSIGNED] as const);
      const begins = Array.from(other.entries());
      const cost = [...ends, ...begins].reduce((sum, [d, link]) => sum + edited.put(d, link), 0);
      expect(cost).toBeCloseTo(costOf(graph, other) - costOf(graph, one), 9);
      edited.undo(0);
      expect(edited.tracks).toEqual(one);
    }),
    { numRuns: 200 },
  );
});
