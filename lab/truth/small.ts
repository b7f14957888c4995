import { InputError } from "../../src/core/errors.js";
import { buildGraph } from "../../src/map/instance/build.js";
import type { Graph } from "../../src/map/instance/instance.js";
import type { PricedProblem } from "../../src/map/instance/priced.js";
import { randomProblem } from "../../test/map/problems.js";
import type { Garbler } from "./garble.js";
import { problemOfAnyScale } from "./scales.js";

/** A problem that enumeration solves in a millisecond: most of them of costs around 1, with gaps and without, some of any scale. */
export function smallProblem(seed: number, garbler: Garbler): PricedProblem {
  if (garbler.chance(0.2)) return problemOfAnyScale(seed);
  const births = garbler.chance(0.5);
  const targets = garbler.pick(2, 3, 3, 4);
  const frames = garbler.pick(2, 3, 3, 4);
  const [least, most, grid] = garbler.pick(
    [0, 1, 2 ** -10],
    [-1, 1, 2 ** -10],
    [-1, 1, 1],
    [0, 2, 1],
    [-3, -1, 2 ** -40],
    [0, 20, 1],
    [0, 3, 0.75],
  );
  return randomProblem({
    seed,
    counts: Array.from({ length: frames }, () => (births ? garbler.pick(0, 1, 2, 3) : targets)),
    links: garbler.pick(1, 1, 0.7),
    triplets: garbler.pick(1, 0.8, 0.5),
    least,
    most,
    grid,
    births,
    storage: garbler.pick("csr", "csr", "csr", "absolute", "square", "free"),
  });
}

/** A problem whose relaxation is often loose, so that what closes it has cuts and leaves. */
export function looseProblem(seed: number, garbler: Garbler): PricedProblem {
  if (garbler.chance(0.5)) return smallProblem(seed, garbler);
  const costs = garbler.pick({}, {}, { most: 30, grid: 1 }, { most: 9, grid: 0.75 });
  if (garbler.chance(0.5))
    return randomProblem({ seed, counts: garbler.pick([4, 4, 4], [4, 4, 4, 4]), triplets: 0.8, ...costs });
  const storage = garbler.pick("absolute", "square", "csr");
  return randomProblem({
    seed,
    counts: garbler.pick([3, 3, 3], [3, 4, 3]),
    births: true,
    least: -1,
    storage,
    ...costs,
  });
}

/** The graph of a problem; null where building refuses it, since some detection has no link. */
export function graphOrNull(problem: PricedProblem): Graph | null {
  try {
    return buildGraph(problem).graph;
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
}
