import { type PricedTracks, refuteTracks, TracksPricer } from "../certificate/price-tracks.js";
import type { DeviceTracks } from "../dual/steps.js";
import { isRestricted, type WeighedExclusions } from "../instance/exclusions.js";
import type { Graph } from "../instance/instance.js";
import { ExclusiveTracks } from "./exclusions.js";
import { mixExclusive } from "./exclusive-mixture.js";
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
  /** null where any detections may be used together, and none is a twin. */
  readonly #exclusive: ExclusiveTracks | null;
  readonly #pricer: TracksPricer;

  constructor(
    readonly graph: Graph,
    private readonly search: TracksSearch,
  ) {
    this.#pricer = new TracksPricer(graph);
    this.#exclusive = isRestricted(graph) ? new ExclusiveTracks(graph, search) : null;
  }

  /** Replaces the best set by these tracks, at their price. */
  adopt(tracks: Tracks, priced: PricedTracks & { readonly status: "feasible" }): void {
    this.tracks = tracks;
    this.cost = priced.cost;
    this.magnitude = priced.magnitude;
    this.upperBound = priced.computed + priced.beyond;
  }

  /** The same tracks, or those that detections which exclude each other and twins make of them. */
  allowed(given: Tracks): Tracks {
    return this.#exclusive?.from(given) ?? given;
  }

  /** Shows a set of allowed tracks that cannot be improved, which is kept where it is better, alone or mixed with the best known. */
  offer(given: Tracks): void {
    const fused = this.#fused(given);
    if (fused === null) return;
    const { mixed, best } = fused;
    if (this.#exclusive === null) this.search.improve(mixed, { improvedBefore: best });
    this.#offerMixture(this.#exclusive?.from(mixed, best) ?? mixed);
  }

  /** The same with several at once: restricted tracks are mixed with all of them before they are improved. */
  offerAll(given: readonly Tracks[]): void {
    if (this.#exclusive === null) {
      for (const each of given) this.offer(each);
      return;
    }
    let improved: Tracks | null = null;
    for (const each of given) {
      const fused = this.#fused(each);
      if (fused === null) continue;
      improved ??= fused.best;
      this.#offerMixture(fused.mixed);
    }
    if (improved !== null) this.#offerMixture(this.#exclusive.from(this.tracks as Tracks, improved));
  }

  /** The same, where a device repairs the mixture. */
  async offerRepaired(given: Tracks, device: DeviceTracks): Promise<void> {
    const fused = this.#fused(given);
    if (fused === null) return;
    const repaired = await device.repaired(fused.mixed);
    if (refuteTracks(this.graph, repaired) === null) this.#offerMixture(repaired);
  }

  /** Keeps the tracks where they are better alone; returns their mixture with the others, null where it is not better than both. */
  #fused(candidate: Tracks): { readonly mixed: Tracks; readonly best: Tracks } | null {
    const { graph, tracks: known } = this;
    // X-LAPs at multipliers that are no finite numbers leave rows out.
    if (refuteTracks(graph, candidate) !== null) return null;
    const priced = this.#pricer.price(candidate);
    if (priced.status === "forbidden") return null;
    if (known === null) {
      this.adopt(candidate, priced);
      return null;
    }
    // The better set gets exchanges that improve it from the other one.
    const better = priced.computed + priced.beyond < this.upperBound;
    const [best, other] = better ? [candidate, known] : [known, candidate];
    if (better) this.adopt(candidate, priced);
    const mixed = Int32Array.from(best);
    const isMixed = graph.exclusions === null ? fuseTracks(graph, mixed, other) > 0 : mixExclusive(graph, mixed, other);
    return isMixed ? { mixed, best } : null;
  }

  /** 1 for the detections that others exclude where an ascent's multipliers choose; null where there is nothing to choose. */
  closedBy(exclusions: WeighedExclusions | null): Uint8Array | null {
    return (exclusions && this.#exclusive?.closedBy(exclusions)) ?? null;
  }

  #offerMixture(mixture: Tracks): void {
    const priced = this.#pricer.price(mixture);
    if (priced.status === "feasible" && priced.computed + priced.beyond < this.upperBound) this.adopt(mixture, priced);
  }
}
