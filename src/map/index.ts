/** Multidimensional assignment with pair and triplet costs: instance, dual ascents, certificate, tracks. */
export { certifyBound } from "./certificate/certificate.js";
export { priceTracks } from "./certificate/price-tracks.js";
export { ASCENTS, type AscentName, DEFAULT_ASCENT } from "./dual/ascents.js";
export { createCpuSteps } from "./dual/cpu-steps.js";
export type { AscentSteps } from "./dual/steps.js";
export { buildGraph } from "./instance/build.js";
export type { Graph, Triplets } from "./instance/instance.js";
export type { BirthDeathCosts, PricedLinks, PricedProblem, PricedTriplets } from "./instance/priced.js";
export { numberTracks } from "./primal/tracks.js";
export type { Solution, SolveOptions } from "./solution.js";
export { solve } from "./solve.js";
