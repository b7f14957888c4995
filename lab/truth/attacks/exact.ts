import { createCpuSteps } from "../../../src/map/dual/cpu-steps.js";
import type { LinearProgram, LinearProgramSolution, OpenLinearProgram } from "../../../src/map/exact/linear-program.js";
import type { PricedProblem } from "../../../src/map/instance/priced.js";
import { solve } from "../../../src/map/solve.js";
import { judge } from "../check.js";
import { Garbler } from "../garble.js";
import { judgeMargins } from "../margins.js";
import { openHighs } from "../open-highs.js";
import { graphOrNull, looseProblem } from "../small.js";
import type { Attack, Findings } from "./attack.js";

/** HiGHS with answers that are wrong now and then: duals, values, the objective, the status or the ray; or it fails. */
function faulty(open: OpenLinearProgram, garbler: Garbler): OpenLinearProgram {
  const share = garbler.pick(0.1, 0.5, 1);
  const wrong = garbler.pick("duals", "duals", "values", "objective", "status", "ray", "all", "fails");
  const strikes = (what: typeof wrong): boolean => (wrong === what || wrong === "all") && garbler.chance(share);
  const garbled = (values: Float64Array): Float64Array => {
    const copy = values.slice();
    garbler.entries(copy);
    return copy;
  };
  return (data) => {
    const program = open(data);
    return {
      addRow: (index, value, right) => program.addRow(index, value, right),
      dropRows: (rows) => program.dropRows(rows),
      hold: (columns, atZero) => program.hold(columns, atZero),
      save: () => program.save(),
      restore: (basis) => program.restore(basis),
      close: () => program.close(),
      solve(limits): LinearProgramSolution {
        const { status, objective, iterations, value, rowDual } = program.solve(limits);
        if (strikes("fails")) throw new Error("HiGHS run failed with status -1");
        return {
          status: strikes("status") ? garbler.pick("optimal", "infeasible", "limit") : status,
          objective: strikes("objective") ? garbler.number(objective) : objective,
          iterations,
          value: strikes("values") ? garbled(value) : value,
          rowDual: strikes("duals") ? garbled(rowDual) : rowDual,
        };
      },
      ray() {
        const ray = program.ray();
        if (!strikes("ray")) return ray;
        return ray === null || garbler.chance(0.2) ? null : garbled(ray);
      },
    } satisfies LinearProgram;
  };
}

/** The same problem with all costs multiplied, so that the linear programs have large or tiny numbers. */
export function rescaled(problem: PricedProblem, by: number): PricedProblem {
  const times = (values: Float64Array) => values.map((value) => value * by);
  const { links, triplets, birthDeath } = problem;
  const unused = birthDeath?.unused && { unused: times(birthDeath.unused) };
  return {
    ...problem,
    links: { ...links, cost: times(links.cost) },
    triplets: triplets?.kind === "csr" ? { ...triplets, cost: times(triplets.cost) } : triplets,
    birthDeath: birthDeath && { birth: times(birthDeath.birth), death: times(birthDeath.death), ...unused },
  };
}

/** Attacks the exact solve of a problem. */
export async function attackExact(
  problem: PricedProblem,
  garbler: Garbler,
  { ended, violated }: Findings,
): Promise<void> {
  const graph = graphOrNull(problem);
  if (graph === null) return ended("not built");
  const healthy = garbler.chance(0.5);
  const highs = await openHighs();
  const now = () => performance.now() / 1000;
  const steps = createCpuSteps(graph, { threads: 1, now });
  const who = healthy ? "HiGHS" : "faulty HiGHS";
  try {
    const solution = await solve(graph, steps, {
      ascent: garbler.pick("bundle", "rmap"),
      iterations: garbler.pick(1, 3, 60),
      gap: 0,
      time: 60,
      margins: true,
      now,
      exact: {
        always: true,
        load: async () => (healthy ? highs : faulty(highs, garbler)),
        mostTriplets: garbler.pick(25, 1e6, 1e6),
        mostLeaves: garbler.pick(0, 10, 1e6),
      },
    });
    for (const what of judge(problem, graph, solution, 0).violations) violated(`${who}: ${what}`);
    if (solution.margins !== null && solution.tracks !== null)
      for (const what of judgeMargins(problem, graph, solution.tracks, solution.margins)) violated(`${who}: ${what}`);
    ended(`${solution.status}${healthy ? "" : " with faults"}`);
  } catch (error) {
    // What was certified before is lost.
    violated(`${who}: ended with ${error}`);
    ended("failed");
  } finally {
    await steps.close();
  }
}

/** Costs of 1e-9 to 1e15, most of them as they are. */
export const scaleOf = (garbler: Garbler): number => garbler.pick(1, 1, 1, 10 ** garbler.uniform(-9, 15), 1e9, 1e12);

export const exact: Attack = {
  what: "exact solves of problems with loose relaxations at costs of 1e-9 to 1e15, with HiGHS, with a HiGHS whose duals, values, objective, status or rays are wrong now and then, and with one that fails",
  share: 15,
  perSeed: 1,
  async run(seed, findings) {
    const garbler = new Garbler(seed);
    await attackExact(rescaled(looseProblem(seed, garbler), scaleOf(garbler)), garbler, findings);
  },
};
