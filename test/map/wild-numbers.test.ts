import { describe, expect, test } from "vitest";
import { judge } from "../../lab/truth/check.js";
import { bruteForce, exactly } from "../../lab/truth/tracks.js";
import { randomStreams } from "../../src/core/random.js";
import { ASCENTS, type AscentName } from "../../src/map/dual/ascents.js";
import { createCpuSteps } from "../../src/map/dual/cpu-steps.js";
import type { AscentSteps, ReadState } from "../../src/map/dual/steps.js";
import { examine } from "../../src/map/exact/examine.js";
import { withRebuiltCores } from "../../src/map/exact/rebuilt-cores.js";
import { buildGraph } from "../../src/map/instance/build.js";
import { checkProof } from "../../src/map/proof/check.js";
import type { Proof, Stage } from "../../src/map/proof/proof.js";
import { solve } from "../../src/map/solve.js";
import { type Recipe, randomMultipliers, randomProblem, seconds, tracksOf } from "./problems.js";

const NOT_FINITE = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
const WILD = [...NOT_FINITE, Number.NaN, 1e308, -1e308, 1e30, -1e30];

/** Small problems, each fourth with births and each way to keep triplets. */
function recipeOf(seed: number): Recipe {
  const births = seed % 4 === 0;
  const storage = (["csr", "absolute", "csr", "square"] as const)[(seed >> 2) % 4];
  const counts = births ? [3, 2, 3, 2] : [3, 3, 3, 3];
  return { seed, counts, births, storage, least: seed % 3 === 0 ? -1 : 0, triplets: 0.8 };
}

const randomOf = (seed: number) => {
  const [random] = randomStreams(seed);
  return {
    chance: () => random.uniform(0, 1),
    below: (n: number) => Math.floor(random.uniform(0, n)),
    pick: <T>(values: readonly T[]): T => values[Math.floor(random.uniform(0, values.length))],
  };
};

/** Steps of a device that returns some wild numbers: in one read, or from one on; in one bound. */
function faulty(steps: AscentSteps, seed: number): AscentSteps {
  const { chance, below, pick } = randomOf(seed);
  const [once, first, wild] = [chance() < 0.5, below(5), pick(WILD)];
  const name = pick(["v", "v", "columnDual", "columnDual", "delta", "reduced", "rowDual"] as const);
  const [place, count] = [chance(), 1 + below(2)];
  const wrongBound = chance() < 0.3 ? below(6) : -1;
  let [reads, bounds] = [0, 0];
  const bound = (value: number) => (bounds++ === wrongBound ? wild : value);
  return {
    ...steps,
    precision: chance() < 0.5 ? "f32" : "f64",
    async read(): Promise<ReadState> {
      const state = await steps.read();
      const now = reads++;
      if (once ? now !== first : now < first) return state;
      const values = Float64Array.from(state[name]);
      for (let n = 0; n < count; n++) values[Math.floor(place * values.length + n) % values.length] = wild;
      return { ...state, [name]: values };
    },
    evaluate: async () => bound(await steps.evaluate()),
    async evaluateBundle() {
      const { model, bound: value } = await steps.evaluateBundle();
      return { model, bound: bound(value) };
    },
  };
}

describe("numbers that are none", () => {
  test("from a device make no answer false, whatever the ascent: bound, status, gap and proof in exact arithmetic", async () => {
    const ascents = Object.keys(ASCENTS) as AscentName[];
    const violations: string[] = [];
    let [optimal, unproved] = [0, 0];
    for (let seed = 0; seed < 1200; seed++) {
      const problem = randomProblem(recipeOf(seed));
      if (bruteForce(problem) === null) continue;
      const { graph } = buildGraph(problem);
      const steps = createCpuSteps(graph, { threads: 1, now: seconds });
      const ascent = ascents[seed % ascents.length];
      // So few iterations that most are not optimal.
      const options = { ascent, iterations: 1 + (seed % 7), gap: 0, time: 60, now: seconds };
      const solution = await solve(graph, faulty(steps, seed), options);
      for (const what of judge(problem, graph, solution, 0).violations)
        violations.push(`seed ${seed}, ${ascent}: ${what}`);
      if (solution.status === "optimal") optimal++;
      else unproved++;
    }
    expect(violations).toEqual([]);
    expect(optimal).toBeGreaterThan(100);
    expect(unproved).toBeGreaterThan(100);
  });

  /** Tracks that are dearer than the optimum, and a stage with some wild numbers about them. */
  const forged = (seed: number, wilds: readonly number[]) => {
    const problem = randomProblem(recipeOf(seed));
    const truth = bruteForce(problem);
    const { graph } = buildGraph(problem);
    const { below, pick } = randomOf(seed);
    const { edges, frames, frameStart } = graph;
    // The straight tracks, which are always allowed without births; none at all with them.
    const next = Int32Array.from({ length: frameStart[frames] }, (_, d) =>
      edges > graph.links || d >= frameStart[frames - 1] ? -1 : d + frameStart[1],
    );
    const v = randomMultipliers(edges, 0.2, seed);
    const columnDual = randomMultipliers(frameStart[frames], 0.2, seed + 1);
    for (let n = 0; n <= below(3); n++) {
      const values = pick([v, columnDual]);
      values[below(values.length)] = pick(wilds);
    }
    const stage: Stage = { v, columnDual, cuts: [], cutMultipliers: new Float64Array(0) };
    return { truth, graph, tracks: tracksOf(graph, next), stage };
  };

  test("in a proof are refused, in each of its arrays, with the place", () => {
    const { graph, tracks, stage: free } = forged(1, [0]);
    const [stage] = withRebuiltCores(graph, tracks, { stages: [free], leaves: [] }).stages;
    const [cut, cutMultipliers] = [{ kind: "clique" as const, items: [[0, -1] as const] }, Float64Array.of(1)];
    const sound = { ...stage, cuts: [cut], cutMultipliers };
    const leafOf = (one: Stage) => ({ decisions: [], stages: [one], leaves: [] });
    expect(checkProof(graph, tracks, { stages: [sound], leaves: [] }).valid).toBe(true);
    for (const value of NOT_FINITE) {
      const wild = (values: Float64Array) => Float64Array.from(values, (own, n) => (n === 0 ? value : own));
      const cases: [RegExp, Proof][] = [
        [/^stage 0 has the multiplier/, { stages: [{ ...sound, v: wild(stage.v) }], leaves: [] }],
        [/^stage 0 has the dual/, { stages: [{ ...sound, columnDual: wild(stage.columnDual) }], leaves: [] }],
        [/multiplier of a cut/, { stages: [{ ...sound, cutMultipliers: wild(cutMultipliers) }], leaves: [] }],
        [/^stage 0 has the limit/, { stages: [{ ...sound, below: value }], leaves: [] }],
        [/^leaf 0 has the multiplier/, { stages: [sound], leaves: [leafOf({ ...stage, v: wild(stage.v) })] }],
      ];
      for (const [why, proof] of cases) {
        expect(checkProof(graph, tracks, proof)).toEqual({ valid: false, why: expect.stringMatching(why) });
      }
    }
  });

  test("given to the certificate itself prove nothing false: a bound above the optimum, or that dear tracks are optimal", () => {
    const violations: string[] = [];
    let [none, some] = [0, 0];
    for (let seed = 0; seed < 2500; seed++) {
      const { truth, graph, tracks, stage } = forged(seed, WILD);
      if (truth === null) continue;
      const found = examine(graph, stage.v, stage.columnDual, tracks);
      if (found === null) none++;
      else {
        some++;
        if (found.lowerBound > -1e200 && exactly(found.lowerBound) > truth.exact)
          violations.push(`seed ${seed}: ${found.lowerBound} above ${truth.cost}`);
      }
      const checked = checkProof(graph, tracks, { stages: [stage], leaves: [] });
      if (checked.valid && checked.lowerBound > -1e200 && exactly(checked.lowerBound) > truth.exact)
        violations.push(`seed ${seed}: a proof of ${checked.lowerBound} above ${truth.cost}`);
    }
    expect(violations).toEqual([]);
    expect(none).toBeGreaterThan(500);
    expect(some).toBeGreaterThan(500);
  });
});
