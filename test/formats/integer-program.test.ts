import highs from "highs";
import { describe, expect, test } from "vitest";
import { bruteForce } from "../../lab/truth/tracks.js";
import { formatLp, formatMps } from "../../src/formats/integer-program.js";
import { buildGraph } from "../../src/map/instance/build.js";
import { randomProblem } from "../map/problems.js";

const solver = await (highs as unknown as typeof highs.default)();

test("an instance of 150,000 detections is written in either form", () => {
  const frames = 75_000;
  const detections = 2 * frames;
  const links = Array.from({ length: detections - 2 }, (_, i) => i);
  const { graph } = buildGraph({
    links: {
      frameStart: Uint32Array.from({ length: frames + 1 }, (_, p) => 2 * p),
      tail: Int32Array.from(links),
      head: Int32Array.from(links, (i) => i + 2),
      cost: new Float64Array(links.length),
    },
    triplets: null,
    birthDeath: null,
  });
  expect(formatMps(graph).match(/^ rhs /gm)).toHaveLength(2 * (detections - 2));
  expect(formatLp(graph).match(/^ {2}= 1$/gm)).toHaveLength(2 * (detections - 2));
});

describe("the integer program of an instance, solved by HiGHS, has the optimum of enumeration", () => {
  const problems = Array.from({ length: 12 }, (_, seed) =>
    seed % 2 === 0
      ? randomProblem({ seed, counts: [3, 3, 3, 3], triplets: 0.8, least: -1 })
      : randomProblem({
          seed,
          counts: [2, 3, 0, 2],
          births: true,
          least: -1,
          storage: seed % 4 === 1 ? "square" : "csr",
        }),
  );

  test.each(["lp", "mps"] as const)("as %s", (format) => {
    for (const problem of problems) {
      const { graph } = buildGraph(problem);
      const data = format === "lp" ? formatLp(graph) : formatMps(graph);
      // Without this word CBC reads fixed columns, and refuses the file.
      if (format === "mps") expect(data).toMatch(/^NAME \S+ FREE\n/);
      const optimum = solver.withModel({ format, data }, (model) => {
        model.options.set({ output_flag: false, mip_rel_gap: 0 });
        model.run();
        expect(model.getDimensions().numCols).toBe(graph.edges + graph.triplets.count);
        return model.getObjectiveValue();
      });
      expect(optimum).toBeCloseTo(bruteForce(problem)?.cost as number, 6);
    }
  });
});
