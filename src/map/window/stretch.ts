import { sharedCopy, sharedInt32, sharedUint32 } from "../../core/shared-arrays.js";
import type { PricedProblem, PricedStoredTriplets } from "../instance/priced.js";

/**
 * Frames `from` … `to` of a problem with stored triplets, as a problem of its own: the links between them and the triplets of these. Frame 0
 * of the stretch is frame `from`.
 */
export function stretchOf({ links, triplets, birthDeath }: PricedProblem, from: number, to: number): PricedProblem {
  const { frameStart, tail, head, cost } = links;
  const [begin, end] = [frameStart[from], frameStart[to + 1]];
  const first = firstLinkFrom(tail, begin);
  const last = firstLinkFrom(tail, frameStart[to]);
  const start = sharedUint32(to - from + 2);
  for (let p = 0; p < start.length; p++) start[p] = frameStart[from + p] - begin;
  const moved = (detections: Int32Array) => {
    const copy = sharedInt32(last - first);
    for (let e = first; e < last; e++) copy[e - first] = detections[e] - begin;
    return copy;
  };
  return {
    links: { frameStart: start, tail: moved(tail), head: moved(head), cost: sharedCopy(cost.subarray(first, last)) },
    triplets:
      triplets?.kind === "csr" ? tripletsOf(triplets, first, last, firstLinkFrom(tail, frameStart[to - 1])) : null,
    birthDeath: birthDeath && {
      birth: sharedCopy(birthDeath.birth.subarray(begin, end)),
      death: sharedCopy(birthDeath.death.subarray(begin, end)),
    },
  };
}

/** The triplets of links `first` … `last` − 1; those from `open` on enter the last frame and have none. */
function tripletsOf(
  { start, successor, cost }: PricedStoredTriplets,
  first: number,
  last: number,
  open: number,
): PricedStoredTriplets {
  const [begin, end] = [start[first], start[Math.max(first, open)]];
  const rows = sharedUint32(last - first + 1);
  for (let e = first; e <= last; e++) rows[e - first] = Math.min(start[e], end) - begin;
  const successors = sharedUint32(end - begin);
  for (let t = begin; t < end; t++) successors[t - begin] = successor[t] - first;
  return { kind: "csr", start: rows, successor: successors, cost: sharedCopy(cost.subarray(begin, end)) };
}

/** The same problem without the links that `keep` does not mark with 1. */
export function keepLinks({ links, triplets, birthDeath }: PricedProblem, keep: Uint8Array): PricedProblem {
  const { frameStart, tail, head, cost } = links;
  const renumbered = new Int32Array(tail.length).fill(-1);
  const kept: number[] = [];
  for (let e = 0; e < tail.length; e++) {
    if (keep[e] === 0) continue;
    renumbered[e] = kept.length;
    kept.push(e);
  }
  let stored: PricedStoredTriplets | null = null;
  if (triplets?.kind === "csr") {
    const [start, successor, costs] = [[0], [] as number[], [] as number[]];
    for (const e of kept) {
      for (let t = triplets.start[e]; t < triplets.start[e + 1]; t++) {
        const f = renumbered[triplets.successor[t]];
        if (f < 0) continue;
        successor.push(f);
        costs.push(triplets.cost[t]);
      }
      start.push(successor.length);
    }
    stored = {
      kind: "csr",
      start: Uint32Array.from(start),
      successor: Uint32Array.from(successor),
      cost: Float64Array.from(costs),
    };
  }
  return {
    links: {
      frameStart,
      tail: Int32Array.from(kept, (e) => tail[e]),
      head: Int32Array.from(kept, (e) => head[e]),
      cost: Float64Array.from(kept, (e) => cost[e]),
    },
    triplets: stored,
    birthDeath,
  };
}

/** Links are sorted by their tails. */
function firstLinkFrom(tail: Int32Array, detection: number): number {
  let low = 0;
  for (let high = tail.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if (tail[middle] < detection) low = middle + 1;
    else high = middle;
  }
  return low;
}
