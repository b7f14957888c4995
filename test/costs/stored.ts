import type { Detections } from "../../src/core/detections.js";
import {
  type PricedDetections,
  type PricingOptions,
  type PricingParameters,
  priceDetections,
} from "../../src/costs/price-detections.js";
import type { PricedStoredTriplets } from "../../src/map/instance/priced.js";

export type StoredProblem = PricedDetections & { readonly triplets: PricedStoredTriplets };

/** priceDetections with every triplet stored, so that tests can look at each. */
export async function scoreStored(
  detections: Detections,
  parameters: PricingParameters,
  options: PricingOptions = { threads: 1 },
): Promise<StoredProblem> {
  const problem = await priceDetections(detections, { ...parameters, triplets: "csr" }, options);
  if (problem.triplets.kind !== "csr") throw new Error("triplets were asked for in CSR-COO");
  return { ...problem, triplets: problem.triplets };
}
