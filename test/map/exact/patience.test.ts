import { beforeAll, describe, expect, test } from "vitest";
import { createCpuSteps } from "../../../src/map/dual/cpu-steps.js";
import { goBeyond } from "../../../src/map/exact/beyond-ascent.js";
import type { LinearProgram, LinearProgramData, OpenLinearProgram } from "../../../src/map/exact/linear-program.js";
import { iterationWork, Patience, workOfAscent } from "../../../src/map/exact/patience.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import { checkProof } from "../../../src/map/proof/check.js";
import { solve } from "../../../src/map/solve.js";
import { randomProblem, seconds } from "../problems.js";
import { openHighs } from "./support.js";

let highs: OpenLinearProgram;
beforeAll(async () => {
  highs = await openHighs();
});

describe("patience", () => {
  test("is over once the work granted has closed no tenth of the gap, and begins anew whenever it has", () => {
    const patience = new Patience(100);
    patience.saw(0, 10);
    patience.took(99);
    expect(patience.isOver()).toBe(false);
    expect(patience.isOver(0.99)).toBe(true);
    // A little less than a tenth, from either side.
    patience.saw(0.5, 10);
    patience.saw(0, 9.51);
    patience.took(1);
    expect(patience.isOver()).toBe(true);
    patience.saw(0.51, 20);
    expect(patience.isOver(0.01)).toBe(false);
    // The next tenth is one of what was left.
    patience.took(100);
    patience.saw(1.4, 9.51);
    expect(patience.isOver()).toBe(true);
    patience.saw(1.42, 9.51);
    expect(patience.isOver()).toBe(false);
  });

  test("grants the work of the ascent, and a second's in any case; triplets that are computed are not gone through", () => {
    const { graph } = buildGraph(randomProblem({ seed: 1, counts: [9, 9, 9] }));
    const work = graph.edges + graph.triplets.count;
    expect(iterationWork(graph)).toBe(work);
    expect(workOfAscent(graph, 1)).toBe(5e7);
    expect(workOfAscent(graph, 1e6)).toBe(1e6 * work);
    const implicit = buildGraph(randomProblem({ seed: 1, counts: [9, 9, 9], storage: "absolute" })).graph;
    expect(iterationWork(implicit)).toBe(implicit.edges);
  });

  test("counts simplex iterations by the size of the program, and limits a solve to those that are left", () => {
    const limits: (number | undefined)[] = [];
    const program = {
      solve: ({ iterations }) => {
        limits.push(iterations);
        return {
          status: "limit",
          objective: 0,
          iterations: 50,
          value: new Float64Array(0),
          rowDual: new Float64Array(0),
        };
      },
    } as LinearProgram;
    const data = { right: new Float64Array(20), index: new Int32Array(100) } as unknown as LinearProgramData;
    // An iteration counts 15. No limit is told where 200 iterations are left for 20 rows.
    const patience = new Patience(3000);
    const opened = patience.counting(() => program)(data);
    for (let n = 0; n < 4; n++) opened.solve({ seconds: 1 });
    opened.solve({ seconds: 1, iterations: 7 });
    expect(limits).toEqual([undefined, 150, 100, 50, 7]);
    expect(patience.isOver()).toBe(true);
  });
});

/** A dense instance of random costs where the ascent stalls far from the tracks, and cores are too large. */
async function stalled() {
  const { graph } = buildGraph(randomProblem({ seed: 5, counts: Array(6).fill(14) }));
  const steps = createCpuSteps(graph, { threads: 1, now: seconds });
  const found = await solve(graph, steps, { ascent: "bundle", iterations: 200, gap: 0, time: 60, now: seconds });
  const { v, columnDual } = await steps.read();
  const stage = { v: v.slice(), columnDual: columnDual.slice(), cuts: [], cutMultipliers: new Float64Array(0) };
  await steps.close();
  if (found.tracks === null) throw new Error("no tracks");
  return { graph, tracks: found.tracks, stage };
}

describe("cuts that take no effect", () => {
  test("end after the work granted, the same by any clock; a time or the user that ends them before is not called so", async () => {
    const { graph, tracks, stage } = await stalled();
    const beyond = (options: Partial<Parameters<typeof goBeyond>[3]>) =>
      goBeyond(graph, stage, tracks, {
        ...{
          load: async () => highs,
          mostTriplets: 200,
          mostLeaves: 0,
          iterations: 2000,
          gap: 0,
          time: Number.POSITIVE_INFINITY,
        },
        now: seconds,
        ...options,
      });
    const vain = 30 * iterationWork(graph);
    let read = 0;
    const [one, other] = [await beyond({ vain }), await beyond({ vain, now: () => 1000 * read++ })];
    expect(one?.outcome).toBe("fruitless");
    expect(other).toEqual(one);
    expect(one && checkProof(graph, one.tracks, one.proof)).toMatchObject({ valid: true });
    expect((await beyond({ vain, time: 0 }))?.outcome).toBe("time");
    expect((await beyond({ vain, interrupted: () => true }))?.outcome).not.toBe("fruitless");
    // With more of it the bundle goes on for longer, and proves more.
    const all = await beyond({ vain: 4 * vain });
    expect(all?.lowerBound).toBeGreaterThan(one?.lowerBound as number);
  });

  test("end a solve that is patient, as stalled and not as one that had no time", async () => {
    const { graph } = await stalled();
    // A linear program of a billion iterations.
    const long: OpenLinearProgram = (data) => {
      const program = highs(data);
      return { ...program, solve: (limits) => ({ ...program.solve(limits), status: "limit", iterations: 1e9 }) };
    };
    for (const patient of [true, false]) {
      const steps = createCpuSteps(graph, { threads: 1, now: seconds });
      const solution = await solve(graph, steps, {
        ...{ ascent: "bundle", iterations: 400, gap: 0, time: 60, now: seconds },
        exact: { mostTriplets: 1e6, mostLeaves: 0, always: true, patient, load: async () => long },
      });
      await steps.close();
      expect(solution.exact?.outcome).toBe(patient ? "fruitless" : "time");
      expect(solution.status).toBe(patient ? "stalled" : "stopped");
    }
  });
});
