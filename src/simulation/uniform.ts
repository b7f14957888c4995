import { randomStreams } from "../core/random.js";
import { type DenseProblem, denseProblem } from "./dense.js";

/** Dense pair and triplet costs, all independent and uniform on [0, 1): a problem without structure, for tests and benchmarks. */
export function uniformProblem(targets: number, frames: number, seed: number): DenseProblem {
  const random = randomStreams(seed).next().value;
  const problem = denseProblem(targets, frames);
  for (const cost of [problem.links.cost, problem.triplets.cost]) {
    for (let k = 0; k < cost.length; k++) cost[k] = random.uniform(0, 1);
  }
  return problem;
}
