import { group, range } from "d3-array";
import type { RandomStream } from "../../core/random.js";
import { rootOf } from "../../core/union-find.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { TracksPricer } from "../certificate/price-tracks.js";
import type { Graph } from "../instance/instance.js";
import type { Tracks, TracksSearch } from "../primal/feasible.js";

/** Sets of tracks that are kept to be relinked with. */
const ELITE = 8;

/** Shares of the exchanges after which the tracks on a path are improved; one of fewer exchanges than FEWEST has nothing between its ends. */
const STOPS = [0.25, 0.5, 0.75];
const FEWEST = 4;

/**
 * Path relinking (F. Glover, M. Laguna, R. Martí, "Fundamentals of scatter search and path relinking", Control and Cybernetics 29, 2000): the cheapest different sets of tracks that a search came by are
 * kept, and between the best one and one of these lie others, which pair by pair lead to places that neither leads to.
 */
export class Relinking {
  /** The cheapest first. */
  readonly #elite: { readonly tracks: Tracks; readonly cost: number }[] = [];
  readonly #pricer: TracksPricer;

  constructor(
    private readonly graph: Graph,
    private readonly search: TracksSearch,
  ) {
    this.#pricer = new TracksPricer(graph);
  }

  /** Keeps tracks that are among the cheapest, and cost as much as no others. */
  enter(tracks: Tracks, cost: number): void {
    const at = this.#elite.findIndex((one) => !(one.cost < cost));
    if (at < 0 ? this.#elite.length === ELITE : this.#elite[at].cost === cost) return;
    this.#elite.splice(at < 0 ? this.#elite.length : at, 0, { tracks: Int32Array.from(tracks), cost });
    this.#elite.length = Math.min(this.#elite.length, ELITE);
  }

  /** The tracks on a path from the best ones to some that are kept, improved: what is cheapest by itself is exchanged first. */
  *path(best: Tracks, random: RandomStream): Generator<Tracks> {
    const { tracks } = this.#elite[Math.floor(random.uniform(0, this.#elite.length))] ?? { tracks: best };
    const exchanges = exchangesOf(this.graph, best, tracks);
    if (exchanges.length < FEWEST) return;
    const here = Int32Array.from(best);
    const exchange = (rows: readonly number[], from: Tracks): void => {
      for (const d of rows) here[d] = from[d];
    };
    const alone = exchanges.map((rows) => {
      exchange(rows, tracks);
      const priced = this.#pricer.price(here);
      exchange(rows, best);
      return priced.status === "feasible" ? priced.computed : Number.MAX_VALUE;
    });
    const order = range(exchanges.length).sort((a, b) => alone[a] - alone[b] || a - b);
    const stops = STOPS.map((share) => Math.floor(share * order.length));
    for (const [n, at] of order.entries()) {
      exchange(exchanges[at], tracks);
      if (!stops.includes(n)) continue;
      const improved = Int32Array.from(here);
      this.search.improve(improved, { improvedBefore: best });
      yield improved;
    }
  }
}

/** The detections behind which two sets of tracks go on differently, by the alternating cycles and paths of a frame pair: each can be taken from either set by itself. */
function exchangesOf({ head }: Graph, tracks: Tracks, others: Tracks): number[][] {
  const count = tracks.length;
  const differing = range(count).filter((d) => tracks[d] !== others[d]);
  // A detection stands once for the edges out of it, and once for those into it.
  const root = Int32Array.from({ length: 2 * count }, (_, n) => n);
  for (const d of differing) {
    for (const link of [tracks[d], others[d]])
      if (link !== UNASSIGNED) root[rootOf(root, d)] = rootOf(root, count + head[link]);
  }
  return [...group(differing, (d) => rootOf(root, d)).values()];
}
