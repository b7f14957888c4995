import { expect, test } from "vitest";
import { createCpuSteps } from "../../src/map/dual/cpu-steps.js";
import { buildGraph } from "../../src/map/instance/build.js";
import { solve } from "../../src/map/solve.js";
import { uniformProblem } from "../../src/simulation/uniform.js";
import { seconds } from "./problems.js";

test("a device whose bounds are too high is believed once: what the certificate takes off stays off", async () => {
  const { graph } = buildGraph(uniformProblem(8, 5, 2));
  const steps = createCpuSteps(graph, { threads: 1, now: seconds });
  const bounds: number[] = [];
  let reads = 0;
  const device = {
    ...steps,
    precision: "f32" as const,
    async evaluate() {
      const bound = await steps.evaluate();
      bounds.push(bound);
      return bound + 10;
    },
    async read() {
      reads++;
      return steps.read();
    },
  };
  const solution = await solve(graph, device, { ascent: "polyak", iterations: 200, gap: 0, time: 60, now: seconds });
  await steps.close();
  expect(solution.status).not.toBe("optimal");
  expect(bounds.length).toBeGreaterThan(100);
  // Every bound seems to close the gap; a certificate at each would read the state back each time.
  expect(solution.upperBound - Math.max(...bounds)).toBeLessThan(10);
  expect(reads).toBeLessThan(bounds.length / 2);
  expect(solution.lowerBound).toBeGreaterThan(0.99 * Math.max(...bounds));
});
