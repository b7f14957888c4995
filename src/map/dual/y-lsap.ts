import type { Instance, PairRuns } from "../instance/instance.js";
import type { AscentState } from "./state.js";
import type { YLsap } from "./y-lsap-form.js";
import { absoluteYLsap, squareYLsap } from "./y-lsap-implicit.js";
import { storedYLsap } from "./y-lsap-stored.js";

/** The implementation for the instance's storage. */
export function createYLsap(instance: Instance, state: AscentState, runs: readonly PairRuns[]): YLsap {
  const { triplets } = instance;
  if (triplets.kind === "csr") return storedYLsap(instance, triplets, state, runs);
  return (triplets.rule === "absolute" ? absoluteYLsap : squareYLsap)(instance, triplets, state, runs);
}
