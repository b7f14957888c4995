import { type PricedTracks, priceTracks, refuteTracks } from "../certificate/certificate.js";
import type { Graph } from "../instance/instance.js";
import { ExclusiveTracks } from "./exclusions.js";
import type { Tracks, TracksSearch } from "./feasible.js";
import { fuseTracks } from "./fusion.js";

/** The best set of tracks that a solve knows. */
export class BestTracks {
  /** Null as long as none is known. */
  tracks: Tracks | null = null;
  /** In the costs that are computed with. */
  upperBound = Number.POSITIVE_INFINITY;
  /** As stated. */
  cost = Number.POSITIVE_INFINITY;
  /** The sum of magnitudes of its terms (PricedTracks.magnitude). */
  magnitude = 0;
  /** null where any detections may be used together. */
  readonly #exclusive: ExclusiveTracks | null;

  constructor(
    readonly graph: Graph,
    readonly search: TracksSearch,
  ) {
    const { exclusions } = graph;
    this.#exclusive = exclusions && new ExclusiveTracks(graph, exclusions, search);
  }

  /** Replaces the best set by these tracks, at their price. */
  adopt(tracks: Tracks, priced: PricedTracks & { readonly status: "feasible" }): void {
    this.tracks = tracks;
    this.cost = priced.cost;
    this.magnitude = priced.magnitude;
    this.upperBound = priced.computed + priced.beyond;
  }

  /** Shows a set of tracks that cannot be improved, which is kept where it is better, alone or mixed with the best known. */
  offer(given: Tracks): void {
    const { graph, tracks: known } = this;
    // X-LAPs at multipliers that are no finite numbers leave rows out.
    if (refuteTracks(graph, given) !== null) return;
    const candidate = this.#exclusive?.from(given) ?? given;
    const priced = priceTracks(graph, candidate);
    if (priced.status === "forbidden") return;
    if (known === null) {
      this.adopt(candidate, priced);
      return;
    }
    // The better set gets exchanges that improve it from the other one.
    const better = priced.computed + priced.beyond < this.upperBound;
    const [best, other] = better ? [candidate, known] : [known, candidate];
    if (better) this.adopt(candidate, priced);
    let mixed: Tracks = Int32Array.from(best);
    if (fuseTracks(graph, mixed, other) === 0) return;
    if (this.#exclusive === null) this.search.improve(mixed, { improvedBefore: best });
    else mixed = this.#exclusive.from(mixed);
    const mixture = priceTracks(graph, mixed);
    if (mixture.status === "feasible" && mixture.computed + mixture.beyond < this.upperBound)
      this.adopt(mixed, mixture);
  }
}
