import { InputError } from "../errors.js";
import type { PricedProblem, StoredTriplets } from "../map/priced.js";
import { sharedFloat64, sharedInt32, sharedUint32 } from "../parallel/shared-arrays.js";

/** A problem where every link and every triplet is allowed. */
export interface DenseProblem extends PricedProblem {
  readonly triplets: StoredTriplets;
}

/**
 * The problem with N detections in each of T frames and nothing gated out. Link (p, i, j) has number e = (p N + i) N + j, all
 * counted from 0; its triplets are (p, i, j, k) for k = 0 … N − 1.
 *
 * @param pairCost called once per link, in order of e
 * @param tripletCost called once per triplet with its links e and f and the pair costs, in order of (e, f), after all pairs
 * @throws InputError when the triplets do not fit 32-bit numbering
 */
export function denseProblem(
  targets: number,
  frames: number,
  pairCost: (p: number, i: number, j: number) => number,
  tripletCost: (e: number, f: number, pairCosts: Float64Array) => number,
): DenseProblem {
  if (!Number.isInteger(targets) || targets < 1) throw new InputError(`targets ${targets}: give a positive integer`);
  if (!Number.isInteger(frames) || frames < 2) throw new InputError(`frames ${frames}: give an integer of at least 2`);
  const linkCount = targets * targets * (frames - 1);
  const inner = targets * targets * (frames - 2);
  const tripletCount = inner * targets;
  if (tripletCount > 0xffffffff) {
    throw new InputError(`${targets} targets in ${frames} frames make ${tripletCount} triplets: keep them below 2^32`);
  }

  const frameStart = Uint32Array.from({ length: frames + 1 }, (_, p) => p * targets);
  const tail = sharedInt32(linkCount);
  const head = sharedInt32(linkCount);
  const cost = sharedFloat64(linkCount);
  for (let e = 0; e < linkCount; e++) {
    const j = e % targets;
    const i = Math.floor(e / targets) % targets;
    const p = Math.floor(e / (targets * targets));
    tail[e] = p * targets + i;
    head[e] = (p + 1) * targets + j;
    cost[e] = pairCost(p, i, j);
  }

  const start = sharedUint32(linkCount + 1);
  const successor = sharedUint32(tripletCount);
  const tripletCosts = sharedFloat64(tripletCount);
  for (let e = 0, t = 0; e < linkCount; e++) {
    for (let k = 0; k < targets && e < inner; k++, t++) {
      successor[t] = head[e] * targets + k;
      tripletCosts[t] = tripletCost(e, successor[t], cost);
    }
    start[e + 1] = Math.min(e + 1, inner) * targets;
  }
  return {
    links: { frameStart, tail, head, cost },
    triplets: { kind: "csr", start, successor, cost: tripletCosts },
    birthDeath: null,
  };
}
