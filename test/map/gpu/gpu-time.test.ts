import { expect, test } from "vitest";
import { bruteForce, exactly } from "../../../lab/truth/tracks.js";
import { OutOfTime } from "../../../src/core/errors.js";
import type { AscentName } from "../../../src/map/dual/ascents.js";
import { createGpuSteps } from "../../../src/map/gpu/gpu-steps.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import { solve } from "../../../src/map/solve.js";
import { useSoftwareSession } from "../../gpu/software-session.js";
import { randomProblem } from "../problems.js";

const session = useSoftwareSession();
const problem = randomProblem({ seed: 8, counts: [3, 4, 3, 4, 3], births: true, storage: "absolute" });
const { graph } = buildGraph(problem);

/** A clock that goes on by 1 whenever it is asked: every step takes long, and any part of it may be the first that is late. */
function ticking(): () => number {
  let ticks = 0;
  return () => ++ticks;
}

test.each<AscentName>(["bundle", "bidirectional"])(
  "a solve that is cut short anywhere within an iteration states what is true, and loses no bound that it had: %s",
  async (ascent) => {
    const truth = bruteForce(problem);
    if (truth === null) throw new Error("the problem has tracks");
    const statuses = new Set<string>();
    for (let time = 1; time < 400; time += 39) {
      const now = ticking();
      const steps = await createGpuSteps(session(), graph, { now });
      const bounds: number[] = [];
      const { status, lowerBound, upperBound } = await solve(graph, steps, {
        ...{ ascent, iterations: 60, gap: 0, time, now, eliminate: false },
        progress: (row) => bounds.push(row.lowerBound),
      });
      await steps.close();
      statuses.add(status);
      expect(exactly(lowerBound) <= truth.exact).toBe(true);
      if (upperBound < Number.POSITIVE_INFINITY) expect(exactly(upperBound) >= truth.exact).toBe(true);
      // The ascent's bounds are in f32.
      const known = Math.max(...bounds.slice(0, -1), Number.NEGATIVE_INFINITY);
      expect(lowerBound).toBeGreaterThanOrEqual(known - 1e-5 * (1 + Math.abs(known)));
    }
    expect(statuses).toContain("stopped");
  },
);

test("a step that takes long ends at the next half of the frame pairs, and what was kept is there", async () => {
  const now = ticking();
  const steps = await createGpuSteps(session(), graph, { now });
  expect(await steps.keptDuals?.()).toBeNull();
  await steps.evaluate();
  await steps.keep();
  const { v, columnDual } = await steps.read();
  const kept = { v: v.slice(), columnDual: columnDual.slice() };
  await steps.beginBundle();
  await steps.stand(0.1);
  let asked = 0;
  steps.limit?.(() => ++asked === 2);
  await steps.refineKept(0.1).catch((error) => expect(error).toBeInstanceOf(OutOfTime));
  expect(asked).toBe(2);
  steps.limit?.(null);
  await steps.refine(0.1);
  expect(asked).toBe(2);
  expect(await steps.keptDuals?.()).toEqual(kept.columnDual);
  await steps.restore();
  expect((await steps.read()).v).toEqual(kept.v);
  await steps.close();
});
