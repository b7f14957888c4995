import type { Input } from "../formats/input.js";
import { DEFAULT_ASCENT } from "../map/dual/ascents.js";
import { buildGraph } from "../map/instance/build.js";
import type { Graph } from "../map/instance/instance.js";
import { cpuBackend } from "./device.js";
import { estimateCosts, type RoughSolves, roughSolves } from "./estimate-costs.js";
import type { ProblemOverrides } from "./overrides.js";
import type { PriceOptions } from "./price.js";
import { makeProblem, type Problem } from "./problem.js";
import { SOLVE_DEFAULTS } from "./run.js";
import type { Solving } from "./solve-once.js";

/** The options with which a run without options estimates the costs of recordings. */
const DEFAULT_ROUGH = roughSolves(null, DEFAULT_ASCENT, SOLVE_DEFAULTS);

export interface InstanceOptions extends Pick<Solving, "threads" | "now"> {
  /** Told of the links and triplets that are priced, and of the iterations of the solves by which costs are estimated. */
  readonly priced?: PriceOptions["progress"];
  readonly iterated?: Solving["progress"];
}

/** The instance that a solve of the input uses, made on the CPU; `estimated` states how costs that come from tracks were found. */
export async function makeInstance(
  input: Input,
  overrides: ProblemOverrides,
  { threads, now, priced, iterated }: InstanceOptions,
  estimated: RoughSolves = DEFAULT_ROUGH,
): Promise<{ graph: Graph; problem: Problem }> {
  const passes = estimated.passes ?? overrides.passes;
  const pricing = { threads, now, ...(priced && { progress: priced }) };
  const given = await makeProblem(input, { ...overrides, passes }, pricing);
  const solving = { threads, now, backend: cpuBackend("cpu", threads, now), ...(iterated && { progress: iterated }) };
  const { problem } = await estimateCosts(given, solving, estimated, () => Number.POSITIVE_INFINITY);
  return { graph: buildGraph(problem.priced, problem.numbers).graph, problem };
}
