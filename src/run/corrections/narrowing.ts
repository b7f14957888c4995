import type { FixedLinks } from "../../core/fixed-links.js";
import type { Nearby } from "../../map/exact/nearby.js";
import type { Narrowing } from "../../map/instance/narrowed.js";
import type { PricedProblem } from "../../map/instance/priced.js";
import type { MotionPass } from "../motion-passes.js";
import type { LinkIndex, Places } from "./places.js";

/** A problem that corrections narrow. */
export interface Stand {
  readonly problem: PricedProblem;
  readonly index: LinkIndex;
  /** The part of it in which a correction is looked for first; null for all of it. */
  readonly nearby: Nearby | null;
}

/** What corrections leave of a problem, and the least that tracks outside it cost. */
export interface Narrowed extends Narrowing {
  readonly below: number;
}

/** Ends that break a required link cost this many times the greatest costs of links, triplets and ends more: beyond all that doing so saves nearby. */
const INSISTENCE = 64;

/** The greatest costs of a problem, added up and weighed: what it costs not to use a required link. */
export function insistence({ links, triplets, birthDeath }: PricedProblem): number {
  const most = (values: Float64Array | undefined) =>
    values?.reduce((high, value) => (Number.isNaN(value) ? high : Math.max(high, Math.abs(value))), 0) ?? 0;
  const ofTriplets = triplets?.kind === "csr" ? most(triplets.cost) : 0;
  const sum =
    most(links.cost) + ofTriplets + most(birthDeath?.birth) + most(birthDeath?.death) + most(birthDeath?.unused);
  // A power of two, so that whole costs stay whole.
  return INSISTENCE * 2 ** Math.ceil(Math.log2(1 + sum));
}

/**
 * Leaves out what corrections forbid and what required links rule out, makes the ends dearer that would break these, and adds continuations of required links that were
 * dropped since tracks were better cut there.
 * @returns null where a required link is none of the problem's, or not nearby
 */
export function narrowingBy(
  { problem, index, nearby }: Stand,
  fixed: FixedLinks,
  places: Places,
  motion: MotionPass | null,
  dearerBy: number,
): Narrowed | null {
  const { place, twinOf } = places;
  const links = nearby?.links.slice() ?? new Uint8Array(problem.links.tail.length).fill(1);
  const required = Array.from(fixed.next.entries()).filter(([, j]) => j >= 0);
  const chains = required.map(([i, j]) => places.chain(i, j).map((ends) => index.find(ends)));
  if (chains.some((chain) => chain.some((e) => e < 0 || links[e] === 0))) return null;
  const leaveOut = (edges: Iterable<number>, but = -1): void => {
    for (const e of edges) if (e !== but) links[e] = 0;
  };
  required.forEach(([i, j], n) => {
    leaveOut(index.outOf(place[i]), chains[n][0]);
    leaveOut(index.into(place[j]), chains[n][chains[n].length - 1]);
    // By cost motion a required link stays on its track, and is no daughter's.
    if (motion !== null && twinOf[place[i]] >= 0) leaveOut(index.outOf(twinOf[place[i]]));
  });
  for (const [i, heads] of fixed.forbidden) {
    for (const j of heads) {
      const twin = twinOf[place[i]];
      leaveOut([index.find(places.chain(i, j)[0]), twin < 0 ? -1 : index.find([twin, place[j]])]);
    }
  }
  const { added, shortfall } = addedBy({ problem, index, nearby }, required, places);
  return {
    links,
    triplets: nearby?.triplets ?? null,
    added,
    dearer: {
      birth: required.map(([, j]) => place[j]),
      death: required.map(([i]) => place[i]),
      by: dearerBy,
    },
    below: nearby === null ? Number.POSITIVE_INFINITY : nearby.below - shortfall,
  };
}

/** The continuations of required links by links of the problem, and what they take from the least that tracks cost which are not nearby. */
function addedBy({ index, nearby }: Stand, required: readonly (readonly [number, number])[], places: Places) {
  const added = new Map<number, Map<number, number>>();
  let shortfall = 0;
  for (const [i, j] of required) {
    /** A set of tracks has one continuation at either end of a link. */
    const most = { before: 0, behind: 0 };
    for (const { earlier, later, cost, isBehind } of places.through(i, j)) {
      const [e, f] = [index.find(earlier), index.find(later)];
      if (e < 0 || f < 0) continue;
      added.set(e, (added.get(e) ?? new Map()).set(f, cost));
      const side = isBehind ? "behind" : "before";
      most[side] = Math.max(most[side], nearby?.shortfall(e, f, cost) ?? 0);
    }
    shortfall += most.before + most.behind;
  }
  return { added, shortfall };
}
