import { describe, expect, test } from "vitest";
import { DenseAscent } from "../../../src/experiments/naive/dense-ascent.js";
import { createJvWorkspace } from "../../../src/lap/jv/jv.js";
import { certifyBound } from "../../../src/map/certificate/certificate.js";
import { createCpuSteps } from "../../../src/map/dual/cpu-steps.js";
import { createPairKernels } from "../../../src/map/dual/kernels.js";
import { createAscentState } from "../../../src/map/dual/state.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import type { Graph } from "../../../src/map/instance/instance.js";
import { solve } from "../../../src/map/solve.js";
import { useSoftwareSession } from "../../gpu/software-session.js";
import { type Recipe, randomProblem } from "../../map/problems.js";

const session = useSoftwareSession();
const N = 6;

const recipes: Record<string, Recipe> = {
  "stored triplets": { seed: 1, counts: [N, N, N, N, N] },
  "stored triplets, some links and triplets gated out": { seed: 2, counts: [N, N, N, N], links: 0.6, triplets: 0.7 },
  "implicit |m − m|": { seed: 3, counts: [N, N, N, N], storage: "absolute", links: 0.7 },
  "implicit |m − m|²": { seed: 4, counts: [N, N, N], storage: "square", links: 0.7 },
  "negative costs": { seed: 5, counts: [N, N, N, N], least: -1 },
  "two frames": { seed: 6, counts: [N, N] },
};

function instanceOf(recipe: Recipe): Graph {
  return buildGraph(randomProblem(recipe)).graph;
}

async function withNaive<Result>(
  graph: Graph,
  work: (dense: DenseAscent) => Promise<Result>,
  mostTriples?: number,
): Promise<Result> {
  const dense = await DenseAscent.create(session(), graph, mostTriples);
  await dense.reset();
  const result = await session().scoped("naive", () => work(dense));
  dense.destroy();
  return result;
}

function expectNear(actual: Float64Array, expected: Float64Array, what: string): void {
  expect(actual.length).toBe(expected.length);
  for (let e = 0; e < actual.length; e++) expect(Math.abs(actual[e] - expected[e]), `${what} ${e}`).toBeLessThan(1e-5);
}

describe.each(Object.entries(recipes))("%s", (_, recipe) => {
  test("each distribution moves the multipliers as the CPU's step does under the same duals", async () => {
    const graph = instanceOf(recipe);
    const state = createAscentState(graph);
    const kernels = createPairKernels(graph, state, createJvWorkspace(N, N));
    const pairs = Array.from({ length: graph.frames - 1 }, (_, p) => p);
    await withNaive(graph, async (dense) => {
      for (let iteration = 0; iteration < 3; iteration++) {
        await dense.takeLeast();
        await dense.assign();
        const { v, rowDual, columnDual } = await dense.read();
        expectNear(v, state.v, `iteration ${iteration}: v`);
        for (const p of pairs) kernels.price(p);
        state.rowDual.set(rowDual);
        state.columnDual.set(columnDual);
        for (const p of pairs) kernels.pushLeft(p, 1);
        await dense.distribute();
      }
    });
  });

  test("its bound is certified, begins where the CPU's begins, never falls and stays below the tracks' cost", async () => {
    const graph = instanceOf(recipe);
    const steps = createCpuSteps(graph, { threads: 1, now: () => 0 });
    const first = await steps.evaluate();
    const options = { ascent: "bundle", iterations: 200, gap: 0, time: 10, now: () => 0 } as const;
    const { upperBound } = await solve(graph, steps, options);
    const bounds = await withNaive(graph, async (dense) => {
      const list: number[] = [];
      for (let iteration = 0; iteration < 5; iteration++) {
        if (iteration > 0) await dense.distribute();
        await dense.takeLeast();
        await dense.assign();
        const { v, rowDual, columnDual } = await dense.read();
        list.push(certifyBound(graph, v, columnDual).lowerBound);
        const own = [...rowDual, ...columnDual].reduce((sum, dual) => sum + dual, 0);
        expect(Math.abs(own - list[iteration])).toBeLessThan(1e-4);
      }
      return list;
    });
    expect(Math.abs(bounds[0] - first)).toBeLessThan(1e-4);
    for (let k = 1; k < bounds.length; k++) expect(bounds[k]).toBeGreaterThan(bounds[k - 1] - 1e-4);
    expect(bounds[4]).toBeLessThanOrEqual(upperBound);
  });
});

test("triplets in many buffers move as those in one", async () => {
  const graph = instanceOf({ seed: 7, counts: [4, 4, 4, 4, 4, 4], storage: "absolute", links: 0.8 });
  const moved = async (mostTriples: number) =>
    await withNaive(
      graph,
      async (dense) => {
        for (let iteration = 0; iteration < 3; iteration++) {
          await dense.takeLeast();
          await dense.assign();
          await dense.distribute();
        }
        return await dense.read();
      },
      mostTriples,
    );
  const whole = await moved(Number.POSITIVE_INFINITY);
  for (const mostTriples of [1, 3]) {
    const { v, columnDual } = await moved(mostTriples);
    expectNear(v, whole.v, `${mostTriples} a buffer: v`);
    expectNear(columnDual, whole.columnDual, `${mostTriples} a buffer: β`);
  }
});

test("a problem whose frames differ in size, or with births, is refused", async () => {
  const graph = instanceOf({ seed: 1, counts: [3, 3], births: true });
  await expect(DenseAscent.create(session(), graph)).rejects.toThrow(/births/);
});
