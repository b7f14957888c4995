// The problems of ascent.mjs and lab/lap/warm.mjs by name: authors:N,T from the dense generator, gated:N,T from a simulation.

import { priceDetections } from "rmap/costs";
import { buildGraph, priceTracks } from "rmap/map";
import { simulate } from "rmap/simulation";
import { simulateAuthorsGenerator } from "../../dist/simulation/authors-generator.js";

/** The instance, what its links were priced from (null where the costs came without), and the target of each detection. */
export async function makeProblem(name, seed, threads) {
  const [kind, size] = name.split(":");
  const [targets, frames] = size.split(",").map(Number);
  if (kind === "authors") {
    const drawn = await simulateAuthorsGenerator(targets, frames, seed, { threads });
    return { graph: buildGraph(drawn).graph, pricing: null, target: drawn.target };
  }
  const detections = simulate({ targets, frames }, seed);
  /** @type {import("rmap/costs").PricingParameters} */
  const parameters = { cost: "spline", gate: { epsilon: 5 }, birthDeath: "none" };
  const priced = await priceDetections(detections, parameters, { threads });
  return { graph: buildGraph(priced).graph, pricing: priced.pricing, target: detections.target };
}

/** Cost of the true tracks; Infinity where the gate keeps one out. */
export function costOfTruth(graph, target) {
  const { frames, frameStart, linkStart, linkEnd, head } = graph;
  const linkOfRow = new Int32Array(frameStart[frames]).fill(-1);
  for (let d = 0; d < frameStart[frames - 1]; d++) {
    for (let e = linkStart[d]; e < linkEnd[d]; e++) if (target[head[e]] === target[d]) linkOfRow[d] = e;
    if (linkOfRow[d] < 0) return Number.POSITIVE_INFINITY;
  }
  const priced = priceTracks(graph, linkOfRow);
  return priced.status === "feasible" ? priced.cost : Number.POSITIVE_INFINITY;
}

export function summary(list) {
  const sorted = [...list].sort((a, b) => a - b);
  return { median: sorted[sorted.length >> 1], least: sorted[0], most: sorted[sorted.length - 1] };
}
