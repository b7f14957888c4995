import loadHighsModule from "highs";
import { beforeAll, describe, expect, test } from "vitest";
import { lpModel } from "../../../lab/truth/highs.js";
import { createCpuSteps } from "../../../src/map/dual/cpu-steps.js";
import {
  certify,
  certifyDuals,
  openRelaxation,
  type Proven,
  separate,
  solveRelaxation,
} from "../../../src/map/exact/cut-loop.js";
import type { OpenLinearProgram } from "../../../src/map/exact/linear-program.js";
import { type Goal, goalOf, narrow } from "../../../src/map/exact/stages.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import { type Core, wholeOf } from "../../../src/map/proof/core.js";
import { solve } from "../../../src/map/solve.js";
import { randomProblem, seconds } from "../problems.js";
import { openHighs } from "./support.js";

let open: OpenLinearProgram;
let whole: { solve: (model: string, options: object) => { Status: string; ObjectiveValue: number } };
beforeAll(async () => {
  open = await openHighs();
  whole = await (loadHighsModule as unknown as () => Promise<typeof whole>)();
});

/** The core that a few iterations leave next to tracks that may be dear. */
async function coreOf(seed: number): Promise<{ core: Core; base: Proven; goal: Goal } | null> {
  const births = seed % 2 === 1;
  const { graph } = buildGraph(
    randomProblem({
      seed,
      counts: births ? [6, 6, 5, 6, 6] : [6, 6, 6, 6, 6],
      births,
      triplets: births ? 1 : 0.9,
      links: births ? 1 : 0.8,
    }),
  );
  const steps = createCpuSteps(graph, { threads: 1, now: seconds });
  const { tracks } = await solve(graph, steps, { ascent: "polyak", iterations: 30, gap: 0, time: 60, now: seconds });
  const { v, columnDual } = await steps.read();
  const instance = wholeOf(graph, tracks as Int32Array);
  const none = { cuts: [], cutMultipliers: new Float64Array(0) };
  const proven = certify(instance, { v: v.slice(), columnDual: columnDual.slice(), ...none });
  const goal = goalOf(graph, tracks as Int32Array);
  if (goal === null) throw new Error("the tracks are not allowed");
  const next = narrow(instance, proven.reduced, goal, 1e6);
  if (!next?.core) return null;
  const { core } = next;
  const inside = { v: Float64Array.from(core.edgeOf, (e) => v[e]), columnDual: columnDual.slice(), ...none };
  return { core, base: certify(core, inside), goal };
}

describe("the relaxation of a core", () => {
  test("has the optimum of the whole linear program with fewer columns, and its duals certify it, with cuts too", async () => {
    let [columns, unknowns, cuts] = [0, 0, 0];
    for (let seed = 0; seed < 8; seed++) {
      const made = await coreOf(seed);
      if (made === null) continue;
      const { core, base, goal } = made;
      const opened = openRelaxation(core, base.reduced, [], open);
      const usable = lpModel(core.graph, false).replace(
        "End\n",
        `Bounds\n${[...core.removed].flatMap((one, e) => (one ? [`x${e} = 0`] : [])).join("\n")}\nEnd\n`,
      );
      const { ObjectiveValue: truth } = whole.solve(usable, { output_flag: false });
      for (let round = 0; round < 4; round++) {
        const solution = solveRelaxation(opened, 10);
        const value = opened.offset + solution.objective;
        if (round === 0) expect(value).toBeCloseTo(truth, 7);
        const proven = certifyDuals(opened, solution, core.removed);
        expect(proven.bound).toBeLessThanOrEqual(value + 1e-9);
        expect(proven.bound).toBeGreaterThan(value - 1e-7 * Math.max(1, Math.abs(goal.cost)));
        // A point over all edges and triplets: every detection has one edge out, and every edge its successors.
        const { graph, incidence } = core;
        for (let d = 0; d < graph.frameStart[graph.frames - 1]; d++) {
          let sum = 0;
          for (let k = incidence.outFrom[d]; k < incidence.outFrom[d + 1]; k++)
            sum += solution.value[incidence.outEdge[k]];
          expect(sum).toBeCloseTo(1, 7);
        }
        cuts += proven.multipliers.cuts.length;
        if (separate(opened, solution, true) === 0) break;
      }
      columns += opened.relaxation.data.cost.length;
      unknowns += core.graph.edges + core.graph.triplets.count;
      opened.program.close();
    }
    expect(columns).toBeGreaterThan(0);
    expect(columns).toBeLessThan(0.8 * unknowns);
    expect(cuts).toBeGreaterThan(10);
  });
});
