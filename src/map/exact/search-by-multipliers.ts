import { UNASSIGNED } from "../../lap/lap.js";
import { eachDivisionRow } from "../certificate/divisions.js";
import { priceTracks } from "../certificate/price-tracks.js";
import type { Graph } from "../instance/instance.js";
import { tripletIndex } from "../instance/instance.js";
import { BestTracks } from "../primal/best-tracks.js";
import { createTracksSearch, type Tracks } from "../primal/feasible.js";
import type { Stage } from "../proof/proof.js";
import { deltaAt } from "./noise-search.js";

/**
 * Tracks by multipliers that weigh cuts: constructed front to back and back to front, and improved, where each cut's μ is part of the cost of its items; then made
 * to obey the exclusions, and improved at the stated costs.
 */
export class SearchByMultipliers {
  readonly #best: BestTracks;

  constructor(
    private readonly graph: Graph,
    tracks: Tracks,
    private readonly late: () => boolean,
  ) {
    this.#best = new BestTracks(graph, createTracksSearch(graph, late));
    const priced = priceTracks(graph, tracks);
    if (priced.status === "feasible") this.#best.adopt(tracks, priced);
  }

  /** Offers the tracks of some multipliers; returns the best tracks so far. */
  search(stage: Stage): Tracks {
    const weighed = withCuts(this.graph, stage);
    const { v, columnDual } = stage;
    const delta = deltaAt(weighed, v);
    const charge = chargeOf(weighed, delta, stage);
    const search = createTracksSearch(weighed, this.late);
    for (const direction of ["forward", "backward"] as const) {
      const tracks = Int32Array.from(this.#best.tracks as Tracks);
      search.construct({ v, delta, columnDual, charge }, direction, tracks);
      this.#best.offer(this.#best.allowed(tracks));
      search.improve(tracks, { multipliers: { v, delta, columnDual } });
      this.#best.offer(this.#best.allowed(tracks));
    }
    return this.#best.tracks as Tracks;
  }
}

/** What the rows of divisions add to the cost of each edge; null where there are none. */
function chargeOf(
  graph: Graph,
  delta: Float64Array,
  { v, columnDual }: Pick<Stage, "v" | "columnDual">,
): Float64Array | null {
  const { cost, head, motherOf } = graph;
  if (motherOf === null) return null;
  const charge = new Float64Array(graph.edges);
  const slack = (e: number): number => cost[e] + v[e] + delta[e] - (head[e] === UNASSIGNED ? 0 : columnDual[head[e]]);
  eachDivisionRow(graph, slack, (edges, multiplier) => {
    for (const e of edges) charge[e] += multiplier;
  });
  return charge;
}

/** The instance with the cuts' multipliers in its costs. */
function withCuts(graph: Graph, { cuts, cutMultipliers }: Stage): Graph {
  const { triplets } = graph;
  const cost = graph.cost.slice();
  const between = triplets.kind === "csr" ? triplets.cost.slice() : null;
  for (const [k, cut] of cuts.entries()) {
    for (const [e, f] of cut.items) {
      if (f < 0) cost[e] += cutMultipliers[k];
      else if (triplets.kind === "csr" && between !== null) between[tripletIndex(triplets, e, f)] += cutMultipliers[k];
    }
  }
  if (triplets.kind !== "csr" || between === null) return { ...graph, cost };
  return { ...graph, cost, triplets: { ...triplets, cost: between, areFree: false } };
}
