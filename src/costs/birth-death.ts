import { quantile } from "d3-array";
import { InputError } from "../errors.js";
import type { BirthDeathCosts } from "../map/priced.js";
import { sharedFloat64 } from "../parallel/shared-arrays.js";
import { mutuallyCheapest } from "./mutual.js";
import type { LinkArrays } from "./price.js";

/**
 * What the start and the end of a track cost: two numbers, "none" when every detection must be linked in every frame pair, or
 * "auto" for estimateBirthDeath.
 */
export type BirthDeath = { readonly birth: number; readonly death: number } | "none" | "auto";

/** Below this share of the mutually cheapest links and of their continuations a cost is held plausible. */
const PLAUSIBLE = 0.99;

/**
 * birth = death = c/2 + d. To cut a track at a link costs a death and a birth and saves the link and the triplets on both its
 * sides, so these numbers cut where C + D + D exceeds c + 2 d. c and d are the greatest plausible costs: the 99th percentile of
 * C over links that are each other's cheapest, and of D over chains of two such links.
 */
export function estimateBirthDeath(
  links: LinkArrays,
  tripletCost: (e: number, f: number) => number,
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
  next.forEach((j, i) => {
    if (j < 0) return;
    const e = linkTo(i);
    pairs.push(cost[e]);
    if (next[j] >= 0) continuations.push(tripletCost(e, linkTo(j)));
  });
  const c = quantile(pairs, PLAUSIBLE) ?? 0;
  const d = quantile(continuations, PLAUSIBLE) ?? 0;
  const half = c / 2 + d;
  const note = `birth and death cost not stated: ${half.toPrecision(3)} each, for plausible links cost up to ${c.toPrecision(3)} and triplets up to ${d.toPrecision(3)}`;
  return { cost: half, note };
}

/** The same cost for every detection. */
export function constantBirthDeath(detections: number, birth: number, death: number): BirthDeathCosts {
  if (!Number.isFinite(birth)) throw new InputError(`birth cost ${birth}: give a finite number`);
  if (!Number.isFinite(death)) throw new InputError(`death cost ${death}: give a finite number`);
  return { birth: sharedFloat64(detections).fill(birth), death: sharedFloat64(detections).fill(death) };
}
