import type { Instance, PairRuns } from "../instance/instance.js";
import { tripletRule } from "../instance/triplet-rules.js";
import type { AscentState } from "./state.js";
import type { YLsap } from "./y-lsap-form.js";
import { pairsYLsap, sweepYLsap } from "./y-lsap-implicit.js";
import { storedYLsap } from "./y-lsap-stored.js";

/** The implementation for the instance's storage. */
export function createYLsap(instance: Instance, state: AscentState, runs: readonly PairRuns[]): YLsap {
  const { triplets } = instance;
  if (triplets.kind === "csr") return storedYLsap(instance, triplets, state, runs);
  return (tripletRule(triplets.rule).minimum === "sweep" ? sweepYLsap : pairsYLsap)(instance, triplets, state, runs);
}
