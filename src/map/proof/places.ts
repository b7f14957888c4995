import { grainOf, leastSaving } from "../certificate/grain.js";
import { certifySurcharge } from "../certificate/surcharge.js";
import { incidenceOf } from "../instance/incidence.js";
import { type Graph, tripletCost } from "../instance/instance.js";
import { eachTriplet } from "./core.js";
import { binaryPlaces } from "./numbers.js";
import { type Proof, stagesOf } from "./proof.js";

/** The binary places that all numbers of an instance and a proof need, and one more for their halves. */
export function placesOf(graph: Graph, proof: Proof): number {
  let places = binaryPlaces(certifySurcharge(graph).least);
  const see = (values: Iterable<number>): void => {
    for (const value of values) if (Number.isFinite(value)) places = Math.max(places, binaryPlaces(value));
  };
  see(graph.cost);
  see([leastSaving(grainOf(graph))]);
  see(graph.surcharge?.stated ?? []);
  const whole = { graph, incidence: incidenceOf(graph) };
  eachTriplet(whole, new Uint8Array(graph.edges).fill(1), (e, f) => see([tripletCost(graph, e, f)]));
  for (const { v, columnDual, cutMultipliers, below = 0 } of stagesOf(proof))
    for (const values of [v, columnDual, cutMultipliers, [below]]) see(values);
  return places + 1;
}
