import { type DenseProblem, denseProblem } from "./dense.js";
import { randomStreams } from "./random.js";

/** Dense pair and triplet costs, all independent and uniform on [0, 1): a problem without structure, for tests and benchmarks. */
export function uniformProblem(targets: number, frames: number, seed: number): DenseProblem {
  const random = randomStreams(seed).next().value;
  const draw = () => random.uniform(0, 1);
  return denseProblem(targets, frames, draw, draw);
}
