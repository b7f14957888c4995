import { type Detections, distanceBetween } from "../core/detections.js";
import { InputError } from "../core/errors.js";
import { sharedFloat64 } from "../core/shared-arrays.js";
import type { BirthDeathCosts } from "../map/instance/priced.js";
import { mutuallyCheapest } from "./mutual.js";
import type { LinkArrays } from "./price.js";

/**
 * The costs of the start and the end of a track: two numbers, "none" when every detection must be linked in every frame pair, or
 * "auto" for estimateBirthDeath.
 */
export type BirthDeath = { readonly birth: number; readonly death: number } | "none" | "auto";

/** All costs are below this in size, so that no sum of them is infinite. */
export const MAX_COST = 1e30;

/** Costs that this share of the mutually cheapest links, and of their continuations, do not exceed count as plausible. */
const PLAUSIBLE = 0.99;

/** Births and deaths cost this factor more than the plausible links need, so that a tie does not cut a track. */
const MARGIN = 1.01;

/**
 * birth = death = 1.01 (c/2 + d). To cut a track at a link costs a death and a birth and saves the link and the triplets on
 * both its sides, so these numbers cut where C + D + D exceeds c + 2 d by a hundredth. c and d are the greatest plausible costs:
 * the 99th percentiles over the links that are each other's cheapest, and over the chains of two such links, or the cost that the
 * model calls plausible in any case if that is more. Where nothing moves and all links cost 0, births and deaths cost 1.
 */
export function estimateBirthDeath(
  detections: Detections,
  links: LinkArrays,
  tripletCost: (e: number, f: number) => number,
  plausible: (share: number, step: number) => { readonly link: number; readonly triplet: number },
): { cost: number; note: string } {
  const { outStart, head, cost } = links;
  const next = mutuallyCheapest(outStart.length - 1, (i, visit) => {
    for (let e = outStart[i]; e < outStart[i + 1]; e++) visit(head[e], cost[e]);
  });
  const linkTo = (i: number) => {
    let e = outStart[i];
    while (head[e] !== next[i]) e++;
    return e;
  };
  const pairs: number[] = [];
  const continuations: number[] = [];
  const distance = distanceBetween(detections, detections);
  let way = 0;
  next.forEach((j, i) => {
    if (j < 0) return;
    const e = linkTo(i);
    pairs.push(cost[e]);
    way += distance(i, j);
    if (next[j] >= 0) continuations.push(tripletCost(e, linkTo(j)));
  });
  const least = plausible(PLAUSIBLE, way / Math.max(1, pairs.length));
  const c = Math.max(mostCostAtMost(pairs), least.link);
  const d = Math.max(mostCostAtMost(continuations), least.triplet);
  const each = MARGIN * (c / 2 + d) || 1;
  const note = `Birth and death cost not stated: ${each.toPrecision(3)} each, for plausible links cost up to ${c.toPrecision(3)} and triplets up to ${d.toPrecision(3)}.`;
  return { cost: each, note };
}

/** The least of `costs` that the plausible share of them does not exceed: of fewer than a hundred the greatest, 0 if there are none. */
function mostCostAtMost(costs: readonly number[]): number {
  return Float64Array.from(costs).sort()[Math.ceil(PLAUSIBLE * costs.length) - 1] ?? 0;
}

/** The same cost for every detection. */
export function constantBirthDeath(detections: number, birth: number, death: number): BirthDeathCosts {
  if (!Number.isFinite(birth)) throw new InputError(`birth cost ${birth}: give a finite number`);
  if (!Number.isFinite(death)) throw new InputError(`death cost ${death}: give a finite number`);
  return { birth: sharedFloat64(detections).fill(birth), death: sharedFloat64(detections).fill(death) };
}
