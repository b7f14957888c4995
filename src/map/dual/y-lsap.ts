import type { Graph } from "../instance/instance.js";
import { tripletRule } from "../instance/triplet-rules.js";
import type { AscentState } from "./state.js";
import type { YLsap } from "./y-lsap-form.js";
import { freeYLsap } from "./y-lsap-free.js";
import { pairsYLsap, sweepYLsap } from "./y-lsap-implicit.js";
import { storedYLsap } from "./y-lsap-stored.js";

/** The implementation for the instance's storage. */
export function createYLsap(graph: Graph, state: AscentState): YLsap {
  const { triplets } = graph;
  if (triplets.kind === "csr") return (triplets.areFree === true ? freeYLsap : storedYLsap)(graph, triplets, state);
  return (tripletRule(triplets.rule).minimum === "sweep" ? sweepYLsap : pairsYLsap)(graph, triplets, state);
}
