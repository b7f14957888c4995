import type { Detections } from "../../src/costs/detections.js";
import {
  type ScoredProblem,
  type ScoringOptions,
  type ScoringParameters,
  scoreDetections,
} from "../../src/costs/score.js";
import type { StoredTriplets } from "../../src/map/priced.js";

export type StoredProblem = ScoredProblem & { readonly triplets: StoredTriplets };

/** scoreDetections with every triplet stored, so that tests can look at each. */
export async function scoreStored(
  detections: Detections,
  parameters: ScoringParameters,
  options: ScoringOptions = { threads: 1 },
): Promise<StoredProblem> {
  const problem = await scoreDetections(detections, { ...parameters, triplets: "csr" }, options);
  if (problem.triplets.kind !== "csr") throw new Error("triplets were asked for in CSR-COO");
  return { ...problem, triplets: problem.triplets };
}
