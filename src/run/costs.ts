import type { Input } from "../formats/input.js";
import { DEFAULT_ASCENT } from "../map/dual/ascents.js";
import { buildGraph } from "../map/instance/build.js";
import type { Graph } from "../map/instance/instance.js";
import { cpuBackend } from "./device.js";
import { estimateCosts, type RoughSolves, roughSolves } from "./estimate-costs.js";
import type { ProblemOverrides } from "./overrides.js";
import { makeProblem, type Problem } from "./problem.js";
import { SOLVE_DEFAULTS } from "./run.js";

/** The options with which a run without options estimates the costs of recordings. */
const DEFAULT_ROUGH = roughSolves(null, DEFAULT_ASCENT, SOLVE_DEFAULTS);

/** The instance that a solve of the input uses, made on the CPU; `estimated` states how costs that come from tracks were found. */
export async function makeInstance(
  input: Input,
  overrides: ProblemOverrides,
  { threads, now }: { readonly threads: number; readonly now: () => number },
  estimated: RoughSolves = DEFAULT_ROUGH,
): Promise<{ graph: Graph; problem: Problem }> {
  const passes = estimated.passes ?? overrides.passes;
  const given = await makeProblem(input, { ...overrides, passes }, { threads, now });
  const backend = cpuBackend("cpu", threads, now);
  const { problem } = await estimateCosts(given, { threads, now, backend }, estimated, () => Number.POSITIVE_INFINITY);
  return { graph: buildGraph(problem.priced, problem.numbers).graph, problem };
}
