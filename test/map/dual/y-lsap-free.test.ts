import fc from "fast-check";
import { expect, test } from "vitest";
import { randomStreams } from "../../../src/core/random.js";
import { weigh } from "../../../src/map/dual/exclusions.js";
import { createAscentState } from "../../../src/map/dual/state.js";
import { freeYLsap } from "../../../src/map/dual/y-lsap-free.js";
import { storedYLsap } from "../../../src/map/dual/y-lsap-stored.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import type { StoredTriplets } from "../../../src/map/instance/instance.js";
import { randomMultipliers, randomProblem } from "../problems.js";

test("free triplets have the minima of the same ones stored, whatever v and the charges are", () => {
  let charged = 0;
  fc.assert(
    fc.property(fc.nat(2 ** 31 - 1), fc.boolean(), fc.boolean(), (seed, exclusions, divisions) => {
      const counts = [3, 4, 3, 5];
      const { graph } = buildGraph(
        randomProblem({ seed, counts, links: 0.7, births: true, least: -1, storage: "free", exclusions, divisions }),
      );
      const triplets = graph.triplets as StoredTriplets;
      expect(triplets.areFree).toBe(true);
      const [random] = randomStreams(seed);
      const states = [0, 1].map(() => ({ ...createAscentState(graph), tiedByUse: false }));
      const charges = (states[0].exclusions?.mu ?? new Float64Array(0)).map(() => Math.max(0, random.uniform(-0.5, 1)));
      const multipliers = randomMultipliers(graph.edges, 1, seed);
      for (const state of states) {
        state.v.set(multipliers);
        if (state.exclusions !== null) weigh(state.exclusions, state, (k) => charges[k]);
      }
      charged += charges.filter((mu) => mu > 0).length;
      const [free, stored] = [freeYLsap, storedYLsap].map((make, n) => make(graph, triplets, states[n]));
      const base = (e: number) => multipliers[graph.edges - 1 - e];
      for (let p = 0; p + 1 < graph.frames; p++) for (const one of [free, stored]) one.price(p);
      for (const name of ["delta", "bestSuccessor"] as const) expect(states[0][name]).toEqual(states[1][name]);
      for (let p = 0; p + 2 < graph.frames; p++) for (const one of [free, stored]) one.raise(p, base);
      expect(states[0].v).toEqual(states[1].v);
    }),
    { numRuns: 200 },
  );
  expect(charged).toBeGreaterThan(100);
});
