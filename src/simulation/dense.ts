import { InputError } from "../core/errors.js";
import { sharedFloat64, sharedInt32, sharedUint32 } from "../core/shared-arrays.js";
import type { PricedProblem, PricedStoredTriplets } from "../map/instance/priced.js";

/** A problem where every link and every triplet is allowed. */
export interface DenseProblem extends PricedProblem {
  readonly triplets: PricedStoredTriplets;
}

/**
 * The problem with N detections in each of T frames and nothing gated out. Link (p, i, j) has number e = (p N + i) N + j, all
 * counted from 0; its triplets are (p, i, j, k) for k = 0 … N − 1.
 *
 * All costs are 0; the caller fills them in.
 *
 * @throws InputError when the triplets do not fit 32-bit numbering
 */
export function denseProblem(targets: number, frames: number): DenseProblem {
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
  for (let d = 0, e = 0; e < linkCount; d++) {
    const next = frameStart[Math.floor(d / targets) + 1];
    for (let j = 0; j < targets; j++, e++) {
      tail[e] = d;
      head[e] = next + j;
    }
  }

  const rowStart = sharedUint32(linkCount + 1);
  const successor = sharedUint32(tripletCount);
  for (let e = 0, t = 0; e < linkCount; e++) {
    const first = head[e] * targets;
    for (let k = 0; k < targets && e < inner; k++, t++) successor[t] = first + k;
    rowStart[e + 1] = t;
  }
  return {
    links: { frameStart, tail, head, cost: sharedFloat64(linkCount) },
    triplets: { kind: "csr", rowStart, successor, cost: sharedFloat64(tripletCount) },
    birthDeath: null,
  };
}
