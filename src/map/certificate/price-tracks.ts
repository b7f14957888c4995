import { UNASSIGNED } from "../../lap/lap.js";
import { usedIn, violatedSet } from "../instance/exclusions.js";
import { type Graph, tripletCost } from "../instance/instance.js";
import { orphanIn } from "../instance/twins.js";
import { CompensatedSum, ROUNDOFF } from "./compensated-sum.js";
import { grainOf } from "./grain.js";
import { certifySurcharge } from "./surcharge.js";

export type PricedTracks =
  | {
      readonly status: "feasible";
      /** Cost of the tracks as stated, rounded up by the possible rounding error of the sum, which is 0 where costs have a grain; Infinity where it overflows. */
      readonly cost: number;
      /** The same in the costs that are computed with; `cost` itself where nothing was left out of them. */
      readonly computed: number;
      /** At most the exact cost in the costs that are computed with. */
      readonly least: number;
      /** The cost left out beyond the least that any set of tracks has left out; 0 where nothing was left out. */
      readonly beyond: number;
      /**
       * The sum of magnitudes of the terms of `computed`: of its links, its triplets, and the births and deaths of each frame pair together, since a κ
       * that is added to the one and taken off the other is no cost.
       */
      readonly magnitude: number;
      /** The amount added to `computed` for rounding. */
      readonly roundingAllowance: number;
    }
  | { readonly status: "forbidden"; readonly triplet: readonly [number, number, number] }
  /** More than one detection of a set of the instance's exclusions is used. */
  | { readonly status: "forbidden"; readonly set: number }
  /** A twin has a link whose mother has none. */
  | { readonly status: "forbidden"; readonly twin: number };

type Forbidden = Extract<PricedTracks, { readonly status: "forbidden" }>;

/** The reason why links, one a detection, are no set of tracks of the instance; null where they are one, allowed or not. */
export function refuteTracks(graph: Graph, linkOfRow: Int32Array): string | null {
  const { frames, frameStart, links, edges, tail, head } = graph;
  const detections = frameStart[frames];
  const lastFrame = frameStart[frames - 1];
  const hasBirths = edges > links;
  const entered = new Uint8Array(detections);
  for (let d = 0; d < lastFrame; d++) {
    const e = linkOfRow[d];
    if (e === UNASSIGNED) {
      if (!hasBirths) return `detection ${d} ends its track, but the instance has no deaths`;
      continue;
    }
    if (tail[e] !== d || head[e] === UNASSIGNED) return `link ${e} does not leave detection ${d}`;
    if (entered[head[e]] === 1) return `detection ${head[e]} is entered by two tracks`;
    entered[head[e]] = 1;
  }
  for (let d = lastFrame; d < detections; d++) {
    if (linkOfRow[d] !== UNASSIGNED) return `detection ${d} of the last frame has link ${linkOfRow[d]}`;
  }
  for (let d = frameStart[1]; d < detections; d++) {
    if (entered[d] === 0 && !hasBirths) return `detection ${d} starts a track, but the instance has no births`;
  }
  return null;
}

/**
 * Prices a set of tracks given by the link each detection takes into the next frame (`linkOfRow`, UNASSIGNED where its
 * track ends). Checks that no detection is entered twice, that births and deaths are only used where the instance has them,
 * that every triplet is allowed, that no two detections are used which exclude each other, and that no twin goes on whose mother ends.
 * @throws Error when `linkOfRow` is not a set of tracks at all (a defect of the caller).
 */
export function priceTracks(graph: Graph, linkOfRow: Int32Array): PricedTracks {
  const why = refuteTracks(graph, linkOfRow);
  if (why !== null) throw new Error(why);
  return new TracksPricer(graph).price(linkOfRow);
}

/**
 * Prices sets of tracks, one after another: the terms of where a set is as the one before are kept, and all are added up anew, so that a price does not depend
 * on the sets before.
 */
export class TracksPricer {
  /** The last set; −2 where there was none. */
  readonly #link: Int32Array;
  /** The edge that enters each detection, and 1 where that or the one that leaves it has changed. */
  readonly #into: Int32Array;
  readonly #isStale: Uint8Array;
  /** Costs of the link out of each detection and of the triplet at it. */
  readonly #cost: Float64Array;
  readonly #between: Float64Array;

  constructor(private readonly graph: Graph) {
    const detections = graph.frameStart[graph.frames];
    this.#link = new Int32Array(detections).fill(-2);
    this.#into = graph.birthOf.slice();
    this.#isStale = new Uint8Array(detections);
    this.#cost = new Float64Array(detections);
    this.#between = new Float64Array(detections);
  }

  /** As `priceTracks`, of what is a set of tracks. */
  price(linkOfRow: Int32Array): PricedTracks {
    const { graph } = this;
    const set = graph.exclusions === null ? -1 : violatedSet(graph, usedIn(graph, linkOfRow));
    if (set >= 0) return { status: "forbidden", set };
    const twin = orphanIn(graph, linkOfRow);
    if (twin >= 0) return { status: "forbidden", twin };
    this.#renew(linkOfRow);
    const computed = new CompensatedSum();
    // The costs as stated are those computed with, but for births and deaths of a surcharge.
    const total = graph.surcharge === null ? computed : new CompensatedSum();
    const added = this.#addTerms(linkOfRow, computed, total);
    if (typeof added !== "number") return added;
    const magnitude = added;
    if (grainOf(graph) !== null) {
      const { sum } = total;
      return { status: "feasible", cost: sum, computed: sum, least: sum, beyond: 0, magnitude, roundingAllowance: 0 };
    }
    const { upper } = total;
    const least = computed.upper - 2 * computed.allowance;
    return {
      status: "feasible",
      cost: upper,
      computed: computed.upper,
      least: least - 2 * ROUNDOFF * Math.abs(least),
      beyond: certifySurcharge(graph).beyondLeast(linkOfRow),
      magnitude,
      roundingAllowance: computed.allowance,
    };
  }

  /** @returns the sum of their magnitudes, or why the tracks are forbidden */
  #addTerms(linkOfRow: Int32Array, computed: CompensatedSum, total: CompensatedSum): number | Forbidden {
    const { frames, frameStart, links, edges, deathOf, birthOf, tail, head, cost, triplets, surcharge } = this.graph;
    const [into, costs, betweens] = [this.#into, this.#cost, this.#between];
    const lastFrame = frameStart[frames - 1];
    if (links === edges && triplets.kind === "implicit") {
      computed.addAll(costs, 0, lastFrame);
      computed.addAll(betweens, frameStart[1], lastFrame);
      return computed.magnitude;
    }
    let magnitude = 0;
    const add = (value: number): void => {
      computed.add(value);
      if (total !== computed) total.add(value);
      magnitude += Math.abs(value);
    };
    /** Births and deaths of each frame pair by its first frame's number, as they are computed with. */
    const ends = new Float64Array(frames);
    const addEnd = (e: number, pair: number): void => {
      computed.add(cost[e]);
      if (surcharge !== null) total.add(surcharge.stated[e]);
      ends[pair] += cost[e];
    };
    for (let pair = 0; pair + 1 < frames; pair++) {
      for (let i = frameStart[pair]; i < frameStart[pair + 1]; i++) {
        if (linkOfRow[i] === UNASSIGNED) addEnd(deathOf[i], pair);
        else add(costs[i]);
      }
    }
    for (let j = frameStart[1], pair = 0; j < frameStart[frames]; j++) {
      while (j >= frameStart[pair + 2]) pair++;
      if (into[j] === birthOf[j]) addEnd(into[j], pair);
      if (j >= lastFrame) continue;
      const between = betweens[j];
      // A computed triplet may overflow, and is not forbidden for that.
      if (triplets.kind === "csr" && between === Number.POSITIVE_INFINITY) {
        return { status: "forbidden", triplet: [tail[into[j]], j, head[this.#out(j)]] };
      }
      add(between);
    }
    for (const value of ends) magnitude += Math.abs(value);
    return magnitude;
  }

  /** The link out of a detection, or its death. */
  #out(d: number): number {
    return this.#link[d] === UNASSIGNED ? this.graph.deathOf[d] : this.#link[d];
  }

  /** Makes the terms of other tracks. */
  #renew(linkOfRow: Int32Array): void {
    const { graph } = this;
    const { frames, frameStart, birthOf, head, cost } = graph;
    const [link, into, isStale] = [this.#link, this.#into, this.#isStale];
    const lastFrame = frameStart[frames - 1];
    for (let i = 0; i < lastFrame; i++) {
      if (link[i] === linkOfRow[i]) continue;
      isStale[i] = 1;
      if (link[i] < 0) continue;
      const j = head[link[i]];
      into[j] = birthOf[j];
      isStale[j] = 1;
    }
    for (let i = 0; i < lastFrame; i++) {
      const e = linkOfRow[i];
      if (link[i] === e) continue;
      link[i] = e;
      if (e === UNASSIGNED) continue;
      this.#cost[i] = cost[e];
      into[head[e]] = e;
      isStale[head[e]] = 1;
    }
    for (let j = frameStart[1]; j < lastFrame; j++) {
      if (isStale[j] === 1) this.#between[j] = tripletCost(graph, into[j], this.#out(j));
    }
    isStale.fill(0);
  }
}
