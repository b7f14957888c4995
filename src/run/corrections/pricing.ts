import type { Correction } from "../../core/fixed-links.js";
import { nearbyOf } from "../../map/exact/nearby.js";
import { toFileOrder } from "../../map/instance/edges.js";
import type { Graph } from "../../map/instance/instance.js";
import type { PricedProblem } from "../../map/instance/priced.js";
import type { SolvedTracks } from "../../map/solution.js";
import type { MotionPass } from "../motion-passes.js";
import { insistence, type Narrowed, type Stand } from "./narrowing.js";
import { LinkIndex, Places } from "./places.js";

/** The corrections, and the solution in a numbering of its own. */
export interface Found {
  readonly solution: SolvedTracks;
  readonly graph: Graph;
  readonly narrowing: Narrowed;
  readonly problem: PricedProblem;
  /** Links of the stand's problem by those of the narrowed one. */
  readonly linkOf: Uint32Array;
}

/** A stand, the links of the pricing's problem by its own, and the corrections that its problem keeps to already. */
export interface KnownStand extends Stand {
  readonly linkOf: Uint32Array;
  /** Links of the pricing's problem. */
  readonly all: number;
  readonly kept: readonly Correction[];
  /** Of its tracks. */
  readonly cost: number;
}

/** A priced problem of the input, and where its ascent stands. */
export interface Pricing {
  readonly priced: PricedProblem;
  readonly motion: MotionPass | null;
  readonly places: Places;
  /** Corrections that it was priced with. */
  readonly kept: readonly Correction[];
  readonly dearerBy: number;
  /** Multipliers by its edges in the order of files. */
  v: Float64Array;
  /** All of the problem first, then parts of it. */
  stands: KnownStand[];
}

export function pricingOf(
  priced: PricedProblem,
  motion: MotionPass | null,
  v: Float64Array,
  kept: readonly Correction[],
): Pricing {
  const linkOf = Uint32Array.from(priced.links.tail.keys());
  const whole = {
    problem: priced,
    index: indexOf(priced),
    nearby: null,
    linkOf,
    all: linkOf.length,
    kept,
    cost: 0,
  };
  return { priced, motion, places: new Places(priced, motion), kept, dearerBy: insistence(priced), v, stands: [whole] };
}

function indexOf({ links }: PricedProblem): LinkIndex {
  return new LinkIndex(links, links.frameStart[links.frameStart.length - 1]);
}

/** Edges of a problem none of whose links is dropped. */
export function edgesOf({ links: { frameStart, tail }, birthDeath }: PricedProblem): number {
  const frames = frameStart.length - 1;
  return tail.length + (birthDeath === null ? 0 : frameStart[frames - 1] + frameStart[frames] - frameStart[1]);
}

/** The edges of the pricing's problem by those of the narrowed one, both in the order of files. */
export function edgeOfFile(stand: KnownStand, linkOf: Uint32Array, { length }: Float64Array): Uint32Array {
  const [ends, links] = [length - stand.all, linkOf.length];
  return Uint32Array.from({ length: links + ends }, (_, n) =>
    n < links ? stand.linkOf[linkOf[n]] : stand.all + n - links,
  );
}

export function isPart(some: readonly Correction[], all: readonly Correction[]): boolean {
  const names = new Set(all.map(({ kind, from, to }) => `${kind} ${from} ${to}`));
  return some.every(({ kind, from, to }) => names.has(`${kind} ${from} ${to}`));
}

/** Begins the next ascent where this one ended; after a solve of the whole, also with a part of what is left of it. */
export function remember(
  pricing: Pricing,
  stand: KnownStand,
  { solution, graph, problem, linkOf }: Found,
  list: readonly Correction[],
): void {
  const stage = solution.proof?.stages[0];
  if (stage === undefined) return;
  if (graph.links !== linkOf.length) return;
  const edges = edgeOfFile(stand, linkOf, pricing.v);
  const v = pricing.v.slice();
  toFileOrder(graph, stage.v).forEach((value, n) => {
    v[edges[n]] = value;
  });
  pricing.v = v;
  if (stand.nearby !== null) return;
  const nearby = nearbyOf(graph, solution.tracks, stage);
  if (nearby === null) return;
  const part = {
    ...stand,
    problem,
    index: indexOf(problem),
    nearby,
    linkOf: edges.subarray(0, linkOf.length),
  };
  // All of the problem, the part next to the first tracks, and the latest one.
  pricing.stands = [...pricing.stands.slice(0, 2), { ...part, kept: list, cost: solution.upperBound }];
}
