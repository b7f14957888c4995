import { continuationAt } from "../certificate/continuation.js";
import { fileOrder } from "../instance/edges.js";
import type { Graph } from "../instance/instance.js";
import type { Tracks } from "../primal/feasible.js";
import { type Chains, chainsOf, throughTriplet } from "../proof/chains.js";
import { wholeOf } from "../proof/core.js";
import { rounded } from "../proof/numbers.js";
import type { Stage } from "../proof/proof.js";
import { type ChainsInF64, type ReducedCosts, reduceCosts } from "./stages.js";

/** The links and triplets of an instance that tracks which cost little more than the present ones may use. */
export interface Nearby {
  /** 1 for a link, in the order of files, and for a stored triplet of two links, in the problem's order; null where triplets are not stored. */
  readonly links: Uint8Array;
  readonly triplets: Uint8Array | null;
  /** Every set of tracks with another link or triplet costs at least as much. */
  readonly below: number;
  /**
   * At least what one more triplet of two links takes from `below`, if tracks may use it at that cost: a set of tracks with it and with a link that is not here pays at least the
   * chain through that link, less what the triplet saves against the chains up to its later link or on from its earlier one.
   */
  readonly shortfall: (earlier: number, later: number, cost: number) => number;
}

/** Share of the links that stay: in crowds half of the links have a tenth of the triplets. */
const SHARE = 0.5;

/** Beyond the rounding of a sum of few numbers, relative to them. */
const ROUNDING = 2 ** -49;

/**
 * The half of the links through which tracks cost least beyond the bound (docs/explanation/proofs.md §1), and the triplets of such tracks. Cuts of the stage are not
 * counted, since a triplet that is added has no part in them.
 * @returns null where the multipliers tell nothing apart
 */
export function nearbyOf(
  graph: Graph,
  tracks: Tracks,
  { v, columnDual }: Pick<Stage, "v" | "columnDual">,
): Nearby | null {
  const whole = wholeOf(graph, tracks);
  const reduced = reduceCosts(graph, whole.incidence, v, columnDual);
  if (graph.surcharge !== null || !Number.isFinite(reduced.constant)) return null;
  const chains = chainsOf(rounded, whole, reduced) as ChainsInF64;
  const order = fileOrder(graph).subarray(0, graph.links);
  const through = Float64Array.from(order, (e) => chains.through[e]);
  const limit = through.slice().sort()[Math.floor(SHARE * through.length)];
  if (!(limit > 0 && limit < Number.POSITIVE_INFINITY)) return null;
  const { isOfTracks } = whole.trackEdges;
  return {
    links: Uint8Array.from(through, (least, n) => (least < limit || isOfTracks[order[n]] === 1 ? 1 : 0)),
    triplets: tripletsWithin(graph, order, chains, reduced, limit),
    below: rounded.down(reduced.constant, limit) as number,
    shortfall: shortfallIn(graph, order, chains, reduced),
  };
}

function tripletsWithin(
  { triplets, head, deathOf }: Graph,
  order: Uint32Array,
  chains: Chains,
  reduced: ReducedCosts,
  limit: number,
): Uint8Array | null {
  if (triplets.kind !== "csr") return null;
  const stays = new Uint8Array(triplets.count);
  let count = 0;
  for (const e of order) {
    for (let t = triplets.rowStart[e]; t < triplets.rowStart[e + 1]; t++) {
      const f = triplets.successor[t];
      // Those of deaths are not among the triplets of links.
      if (f !== deathOf[head[e]]) stays[count++] = throughTriplet(rounded, chains, reduced, [e, f, t]) < limit ? 1 : 0;
    }
  }
  return stays.subarray(0, count);
}

function shortfallIn(graph: Graph, order: Uint32Array, { upTo, onward }: ChainsInF64, reduced: ReducedCosts) {
  const continuation = continuationAt(graph, reduced.v);
  const { edge: r } = reduced;
  return (earlier: number, later: number, cost: number): number => {
    const [e, f] = [order[earlier], order[later]];
    const [delta, v] = [continuation(e), reduced.v[f]];
    const s = cost - v - delta;
    const saved = Math.max(-s, upTo[f] - r[f] - upTo[e] - s, onward[e] - r[e] - onward[f] - s);
    const terms = [delta, v, cost, upTo[f], r[f], upTo[e], onward[e], r[e], onward[f]];
    const rounding = ROUNDING * terms.reduce((sum, term) => sum + Math.abs(term), 0);
    // What is no number, as where the instance has nothing behind an edge, leaves nothing proved.
    return saved + rounding <= 0 ? 0 : Number.isFinite(saved) ? saved + rounding : Number.POSITIVE_INFINITY;
  };
}
