import type { PricedProblem } from "../../../src/map/instance/priced.js";
import { randomProblem } from "../../../test/map/problems.js";
import { Garbler } from "../garble.js";
import type { Attack } from "./attack.js";
import { attackExact, rescaled, scaleOf } from "./exact.js";
import { attackProofs } from "./proofs.js";

/** Few detections with births, of which many exclude each other, and half of which may be unused at a cost of their own. */
export function exclusiveProblem(seed: number, garbler: Garbler): PricedProblem {
  const costs = garbler.pick({ least: -1 }, { least: -3, most: 2, grid: 1 }, { least: -1, most: 0.5, grid: 2 ** -10 });
  return randomProblem({
    seed,
    counts: garbler.pick([3, 3, 3], [3, 4, 3], [2, 3, 3, 2], [4, 4], [3, 0, 2, 3]),
    links: garbler.pick(1, 0.8),
    triplets: garbler.pick(1, 0.7),
    births: true,
    ...garbler.pick({ exclusions: true }, { divisions: true }, { exclusions: true, divisions: true }),
    storage: garbler.pick("csr", "csr", "free"),
    ...costs,
  });
}

export const exclusions: Attack = {
  what: "exact solves and forged proofs, as of the kinds exact and proofs, of problems whose detections may be unused and exclude each other in sets, or may divide",
  share: 20,
  perSeed: 9,
  async run(seed, findings) {
    const garbler = new Garbler(seed);
    const problem = exclusiveProblem(seed, garbler);
    if (seed % 2 === 0) await attackExact(rescaled(problem, scaleOf(garbler)), garbler, findings);
    else await attackProofs(problem, garbler, findings);
  },
};
