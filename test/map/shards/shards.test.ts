import { describe, expect, test } from "vitest";
import { certifyBound } from "../../../src/map/certificate/certificate.js";
import { ASCENTS, type AscentName } from "../../../src/map/dual/ascents.js";
import { createCpuSteps } from "../../../src/map/dual/cpu-steps.js";
import type { AscentSteps } from "../../../src/map/dual/steps.js";
import { createGpuSteps } from "../../../src/map/gpu/gpu-steps.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import type { Graph } from "../../../src/map/instance/instance.js";
import type { FromShard, Line, ToShard } from "../../../src/map/shards/line.js";
import { planShards } from "../../../src/map/shards/plan.js";
import { type OpenSteps, serveShard } from "../../../src/map/shards/serve.js";
import { createShardedSteps } from "../../../src/map/shards/sharded-steps.js";
import { solve } from "../../../src/map/solve.js";
import { useSoftwareSession } from "../../gpu/software-session.js";
import { randomMultipliers, randomProblem, seconds } from "../problems.js";

const counts = [7, 9, 6, 8, 9, 7, 8, 6, 9, 8, 7, 9, 8, 6, 7, 8, 9];
const even = counts.map(() => 8);

const problems = [
  ["births, computed triplets", { seed: 11, counts, births: true, storage: "absolute" }],
  ["births, stored triplets", { seed: 12, counts, births: true, storage: "csr" }],
  ["no births, squares", { seed: 13, counts: even, births: false, storage: "square" }],
] as const;

const graphOf = (problem: (typeof problems)[number][1]): Graph =>
  buildGraph(randomProblem({ ...problem, counts: [...problem.counts] })).graph;

/** Two ends of a line within this process; `cut` loses it. */
function line() {
  type Listener = { hear: (message: never) => void; lost: (why: string) => void };
  const listeners: (Listener | null)[] = [null, null];
  let isCut = false;
  const end = (mine: number) => ({
    send(message: unknown) {
      const copy = structuredClone(message);
      setImmediate(() => {
        if (!isCut) listeners[1 - mine]?.hear(copy as never);
      });
    },
    listen(hear: (message: never) => void, lost: (why: string) => void) {
      listeners[mine] = { hear, lost };
    },
  });
  return {
    near: end(0) as Line<ToShard, FromShard>,
    far: end(1) as Line<FromShard, ToShard>,
    cut() {
      isCut = true;
      for (const listener of listeners) listener?.lost("cut");
    },
  };
}

const onCpu: OpenSteps = async (graph, part) => ({
  steps: createCpuSteps(graph, { threads: 1, now: seconds, part }),
  actual: "cpu",
});

/** Steps over shards within this process. */
async function sharded(graph: Graph, count: number, open: OpenSteps = onCpu) {
  const lines = Array.from({ length: count }, line);
  for (const { far } of lines) serveShard(far, open, () => {});
  const near = lines.map((one) => one.near);
  return { lines, steps: await createShardedSteps(graph, near, seconds) };
}

describe("an ascent that shards make together", () => {
  test.each(problems)(
    "has the multipliers of one process to the last bit, and its bounds but for the order of sums: %s",
    async (_, problem) => {
      const graph = graphOf(problem);
      for (const count of [2, 3]) {
        expect(planShards(graph, count)).toHaveLength(count);
        const whole = createCpuSteps(graph, { threads: 1, now: seconds });
        const { steps } = await sharded(graph, count);
        const both = async <Result>(work: (steps: AscentSteps) => Promise<Result>) => [
          await work(whole),
          await work(steps),
        ];
        const equal = async (work: (steps: AscentSteps) => Promise<number>) => {
          const [one, other] = await both(work);
          expect(Math.abs(one - other)).toBeLessThanOrEqual(1e-12 * Math.abs(one));
        };
        await equal((one) => one.evaluate());
        await both((one) => one.visit(0));
        await both((one) => one.visit(1));
        await equal((one) => one.evaluate());
        await both((one) => one.pushReducedCosts(0.5));
        await equal((one) => one.evaluate());
        await equal((one) => one.subgradient());
        await both((one) => one.follow(0.01));
        await equal((one) => one.evaluate());
        await both((one) => one.keep());
        await both((one) => one.beginBundle());
        for (let round = 0; round < 4; round++) {
          await both((one) => one.stand(0.2));
          await both((one) => one.refineKept(0.2));
          await both((one) => one.refine(0.2));
          const [one, other] = await both((one) => one.evaluateBundle());
          expect(other.bound).toBeCloseTo(one.bound, 9);
          expect(other.model).toBeCloseTo(one.model, 9);
          await both((one) => one.collectPlanes());
        }
        const [one, other] = await both((one) => one.read());
        for (const name of ["v", "delta", "reduced", "rowDual", "columnDual"] as const) {
          expect(other[name]).toEqual(new Float64Array(one[name]));
        }
        expect(other.linkOfRow).toEqual(new Int32Array(one.linkOfRow));
        const { edgeStart, birthStart } = graph;
        const range = [edgeStart[5], birthStart[5]] as const;
        expect(await steps.multipliers([range])).toEqual(await whole.multipliers([range]));
        await both((one) => one.restore());
        await equal((one) => one.evaluate());
      }
    },
  );

  test.each(Object.keys(ASCENTS) as AscentName[])("ends at the bound of one process: %s", async (ascent) => {
    const graph = graphOf(problems[0][1]);
    const options = { ascent, iterations: 60, gap: 0, time: Number.POSITIVE_INFINITY, now: seconds };
    const { steps } = await sharded(graph, 3);
    const [one, other] = [
      await solve(graph, createCpuSteps(graph, { threads: 1, now: seconds }), options),
      await solve(graph, steps, options),
    ];
    expect(other.status).toBe(one.status);
    expect(other.iterations).toBe(one.iterations);
    expect(other.lowerBound).toBeCloseTo(one.lowerBound, 9);
    expect(other.upperBound).toBe(one.upperBound);
    expect(other.loss).toBeNull();
  });

  test("begins at multipliers that are given, as one process does", async () => {
    const graph = graphOf(problems[1][1]);
    const { edgeStart, birthStart, frames } = graph;
    const v = randomMultipliers(graph.edges, 1, 5).fill(0, 0, edgeStart[1]);
    for (let p = 0; p + 1 < frames; p++) v.fill(0, birthStart[p], edgeStart[p + 1]);
    const whole = createCpuSteps(graph, { threads: 1, now: seconds });
    const { steps } = await sharded(graph, 3);
    for (const one of [whole, steps]) await one.setMultipliers(v);
    expect(await steps.evaluate()).toBeCloseTo(await whole.evaluate(), 9);
    await steps.reset();
    await whole.reset();
    expect(await steps.evaluate()).toBeCloseTo(await whole.evaluate(), 9);
  });

  test("that loses a shard ends with the certified answer so far", async () => {
    const graph = graphOf(problems[0][1]);
    const { steps, lines } = await sharded(graph, 3);
    const solution = await solve(graph, steps, {
      ascent: "bundle",
      iterations: 1000,
      gap: 0,
      time: Number.POSITIVE_INFINITY,
      now: seconds,
      progress: ({ iteration }) => {
        if (iteration >= 12) lines[1].cut();
      },
    });
    expect(solution).toMatchObject({ status: "stopped", hurried: true, loss: "shard 2 of 3 was lost (cut)" });
    const best = await solve(graph, createCpuSteps(graph, { threads: 1, now: seconds }), {
      ...{ ascent: "bundle", iterations: 1000, gap: 0, time: Number.POSITIVE_INFINITY, now: seconds },
    });
    expect(solution.lowerBound).toBeLessThanOrEqual(best.lowerBound);
    expect(solution.lowerBound).toBeGreaterThan(best.lowerBound - 0.2 * Math.abs(best.lowerBound));
    expect(solution.tracks).not.toBeNull();
    const { v, columnDual } = await steps.read();
    expect(certifyBound(graph, v, columnDual).lowerBound).toBeLessThanOrEqual(best.upperBound);
  });
});

describe("on a device", () => {
  const session = useSoftwareSession();

  test.each(problems.slice(0, 2))("shards have the multipliers of one ascent: %s", async (_, problem) => {
    const graph = graphOf(problem);
    const whole = await createGpuSteps(session(), graph, { now: seconds });
    const open: OpenSteps = async (stretch, part) => ({
      steps: await createGpuSteps(session(), stretch, { now: seconds, part }),
      actual: "software",
    });
    const { steps } = await sharded(graph, 2, open);
    const values: number[][] = [];
    for (const one of [whole, steps]) {
      const seen = [await one.evaluate(), await one.subgradient()];
      await one.visit(0);
      await one.visit(1);
      await one.evaluate();
      await one.keep();
      await one.beginBundle();
      await one.stand(0.2);
      await one.refine(0.2);
      await one.refineKept(0.2);
      const { bound, model } = await one.evaluateBundle();
      values.push([...seen, bound, model]);
    }
    values[0].forEach((value, k) => {
      expect(Math.abs(values[1][k] - value)).toBeLessThanOrEqual(1e-5 * Math.abs(value));
    });
    const [one, other] = [await whole.read(), await steps.read()];
    const scale = one.v.reduce((most, v) => Math.max(most, Math.abs(v)), 0);
    one.v.forEach((v, e) => {
      expect(Math.abs(other.v[e] - v)).toBeLessThanOrEqual(1e-4 * scale);
    });
    await whole.close();
    await steps.close();
  });
});

test("a problem is cut into stretches of about equally many edges, whose parities are those of the whole", () => {
  const graph = graphOf(problems[0][1]);
  for (let shards = 1; shards <= 6; shards++) {
    const plans = planShards(graph, shards);
    expect(plans.length).toBe(Math.min(shards, 4));
    expect([plans[0].first, plans.at(-1)?.end]).toEqual([0, graph.frames - 1]);
    plans.forEach(({ first, end, from, to }, k) => {
      if (k > 0) expect(first).toBe(plans[k - 1].end);
      expect(from % 2).toBe(0);
      expect(from).toBeLessThanOrEqual(Math.max(0, first - 2));
      expect(to).toBe(Math.min(graph.frames - 1, end + 1));
      expect(end - first).toBeGreaterThanOrEqual(4);
    });
  }
});
