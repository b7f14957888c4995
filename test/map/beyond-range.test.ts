import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const dist = new URL("../../dist/", import.meta.url).href;

/** What a program prints, of a process of its own: a loop that does not end cannot be ended from within. */
function printed(program: string): string {
  const code = program.replaceAll("dist:", dist);
  return execFileSync(process.execPath, ["--input-type=module", "-e", code], {
    cwd: fileURLToPath(new URL("../../", import.meta.url)),
    encoding: "utf8",
    timeout: 30_000,
  });
}

describe("costs beyond what f64 can add up come to an end", () => {
  test("in X-LAPs, from a cold start and a warm one, and where they are no numbers", () => {
    expect(
      printed(`
        import { randomStreams } from "dist:core/random.js";
        import { createJvWorkspace, solveJv } from "dist:lap/jv/jv.js";
        const wild = [[1e308, -1e308, 1.7e308], [NaN, Infinity, -Infinity], [1e301, -1e300, 1e290]];
        for (let seed = 0; seed < 6000; seed++) {
          const [random] = randomStreams(seed);
          const below = (n) => Math.floor(random.uniform(0, n));
          const cost = () => (random.uniform(0, 1) < 0.3 ? wild[seed % 3][below(3)] : random.uniform(-1, 1));
          const [rows, columns] = [1 + below(7), 1 + below(7)];
          const [rowStart, column] = [[0], []];
          for (let i = 0; i < rows; i++) {
            for (let j = 0; j < columns; j++) if (random.uniform(0, 1) < 0.8) column.push(j);
            rowStart.push(column.length);
          }
          const ends = random.uniform(0, 1) < 0.7;
          const none = (length) => new Int32Array(length).fill(-1);
          const solution = {
            columnOfRow: none(rows), entryOfRow: none(rows), rowOfColumn: none(columns),
            rowDual: new Float64Array(rows), columnDual: new Float64Array(columns),
          };
          const workspace = createJvWorkspace(rows, columns);
          for (let k = 0; k < 4; k++) {
            const problem = {
              rows, columns, rowStart: Uint32Array.from(rowStart), column: Uint32Array.from(column), cost: Float64Array.from(column, cost),
              rowUnassigned: ends ? Float64Array.from({ length: rows }, cost) : null,
              columnUnassigned: ends ? Float64Array.from({ length: columns }, cost) : null,
            };
            solveJv(problem, solution, workspace, { warm: k > 0 });
          }
        }
        console.log("ended");
      `),
    ).toBe("ended\n");
  });

  test.each(["bundle", "polyak", "bidirectional", "rmap"])(
    "in a solve by %s, where the penalty of a forbidden triplet overflows",
    (ascent) => {
      expect(
        printed(`
        import { buildGraph } from "dist:map/instance/build.js";
        import { createCpuSteps } from "dist:map/dual/cpu-steps.js";
        import { solve } from "dist:map/solve.js";
        import { uniformProblem } from "dist:simulation/uniform.js";
        for (let seed = 0; seed < 8; seed++) for (const scale of [1e300, 1e305, 1e306, 1e307]) {
          const { links, ...problem } = uniformProblem(8, 5, seed);
          const cost = links.cost.map((value, e) => (e % 3 === 0 ? -scale : scale) * value);
          const { graph } = buildGraph({ ...problem, links: { ...links, cost } });
          const now = () => 0;
          const steps = createCpuSteps(graph, { threads: 1, now });
          const { lowerBound, upperBound } = await solve(graph, steps, { ascent: "${ascent}", iterations: 50, gap: 0, time: Infinity, now });
          if (lowerBound > upperBound) console.log(seed, lowerBound, upperBound);
        }
        console.log("ended");
      `),
      ).toBe("ended\n");
    },
  );
});
