import { randomStreams } from "../../../src/core/random.js";
import { UNASSIGNED } from "../../../src/lap/lap.js";
import { priceTracks } from "../../../src/map/certificate/price-tracks.js";
import type { Graph } from "../../../src/map/instance/instance.js";

export function costOf(graph: Graph, tracks: Int32Array): number {
  const priced = priceTracks(graph, tracks);
  return priced.status === "feasible" ? priced.computed : Number.POSITIVE_INFINITY;
}

/** Links in random order, each taken where the tracks stay allowed. */
export function randomTracks(graph: Graph, seed: number): Int32Array {
  const [random] = randomStreams(seed);
  const { tail, head } = graph;
  const tracks = new Int32Array(graph.birthOf.length).fill(UNASSIGNED);
  const entered = new Set<number>();
  const links = Array.from(tail.keys()).filter((e) => tail[e] >= 0 && head[e] >= 0);
  for (const [, e] of links.map((e) => [random.uniform(0, 1), e]).sort(([a], [b]) => a - b)) {
    if (tracks[tail[e]] !== UNASSIGNED || entered.has(head[e])) continue;
    tracks[tail[e]] = e;
    if (costOf(graph, tracks) < Number.POSITIVE_INFINITY) entered.add(head[e]);
    else tracks[tail[e]] = UNASSIGNED;
  }
  return tracks;
}
