import { UNASSIGNED } from "../../../src/lap/lap.js";
import { ASCENTS, type AscentName } from "../../../src/map/dual/ascents.js";
import { createCpuSteps } from "../../../src/map/dual/cpu-steps.js";
import type { AscentSteps } from "../../../src/map/dual/steps.js";
import type { Graph } from "../../../src/map/instance/instance.js";
import { solve } from "../../../src/map/solve.js";
import { judge } from "../check.js";
import { Garbler } from "../garble.js";
import { judgeMargins } from "../margins.js";
import { graphOrNull, smallProblem } from "../small.js";
import type { Attack } from "./attack.js";

/** Numbers that come back from a device, by what they are. */
const RETURNED = ["bound", "model", "norm", "v", "columnDual", "rowDual", "reduced", "delta", "links"] as const;
type Returned = (typeof RETURNED)[number];

/**
 * Steps of which some numbers are wrong when they come back, once or from some call on. What the
 * solver does with them is its own: whatever it states must hold all the same.
 */
function faulty(steps: AscentSteps, graph: Graph, garbler: Garbler): AscentSteps {
  const wrong = new Set<Returned>(Array.from({ length: garbler.pick(1, 1, 2, 4) }, () => garbler.pick(...RETURNED)));
  const from = garbler.pick(0, 0, garbler.below(8), garbler.below(60));
  const until = garbler.chance(0.5) ? from + 1 : Number.POSITIVE_INFINITY;
  let calls = 0;
  const strikes = (): boolean => calls >= from && calls < until;
  const spoilt = (what: Returned, value: number): number =>
    wrong.has(what) && strikes() ? garbler.number(value) : value;
  const state = async () => {
    const healthy = await steps.read();
    calls++;
    if (!strikes()) return healthy;
    const spoilt = { ...healthy };
    for (const key of ["v", "columnDual", "rowDual", "reduced", "delta"] as const) {
      if (!wrong.has(key)) continue;
      spoilt[key] = healthy[key].slice();
      garbler.entries(spoilt[key]);
    }
    if (wrong.has("links")) spoilt.linkOfRow = otherLinks(healthy.linkOfRow, graph, garbler);
    return spoilt;
  };
  return {
    ...steps,
    precision: garbler.pick("f64", "f64", "f32"),
    boundEvery: garbler.pick(1, 1, 3),
    async evaluate() {
      const bound = await steps.evaluate();
      calls++;
      return spoilt("bound", bound);
    },
    async subgradient() {
      const norm = await steps.subgradient();
      calls++;
      return spoilt("norm", norm);
    },
    async evaluateBundle() {
      const { bound, model } = await steps.evaluateBundle();
      calls++;
      return { bound: spoilt("bound", bound), model: spoilt("model", model) };
    },
    read: state,
    ...(garbler.chance(0.2) && {
      tracks: {
        from: async () => otherLinks((await steps.read()).linkOfRow, graph, garbler),
        repaired: async (tracks) => otherLinks(tracks, graph, garbler),
      },
    }),
  };
}

/** Links out of some detections exchanged for others of the same detection: tracks, or not. */
function otherLinks(
  links: Int32Array,
  { linkStart, linkEnd, links: count, edges }: Graph,
  garbler: Garbler,
): Int32Array {
  const other = links.slice();
  for (let times = garbler.pick(1, 2, 5); times > 0 && other.length > 0; times--) {
    const d = garbler.below(other.length);
    const degree = linkEnd[d] - linkStart[d];
    if (degree > 0) other[d] = linkStart[d] + garbler.below(degree);
    else if (edges > count) other[d] = UNASSIGNED;
  }
  return other;
}

export const device: Attack = {
  what: "multipliers, duals, reduced costs, bounds, norms and links that a device gives back: no numbers, infinite, huge, tiny or merely wrong, once or always, by every ascent",
  share: 250,
  perSeed: 1,
  async run(seed, { ended, violated }) {
    const garbler = new Garbler(seed);
    const problem = smallProblem(seed, garbler);
    const graph = graphOrNull(problem);
    if (graph === null) return ended("refused");
    const ascent = garbler.pick(...(Object.keys(ASCENTS) as AscentName[]));
    const gap = garbler.pick(0, 0, 1e-4, 0.05);
    const now = () => performance.now() / 1000;
    const healthy = createCpuSteps(graph, { threads: 1, now });
    const steps = faulty(healthy, graph, garbler);
    const margins = garbler.chance(0.3);
    const iterations = garbler.pick(1, 5, 60);
    try {
      const solution = await solve(graph, steps, { ascent, iterations, gap, margins, time: 60, now });
      for (const what of judge(problem, graph, solution, gap).violations) violated(`${ascent}: ${what}`);
      if (solution.margins !== null && solution.tracks !== null)
        for (const what of judgeMargins(problem, graph, solution.tracks, solution.margins))
          violated(`${ascent}: ${what}`);
      ended(solution.status);
    } catch (error) {
      // A device that fails states nothing.
      ended(`ended with ${error instanceof Error ? error.name : error}`);
    } finally {
      await healthy.close();
    }
  },
};
