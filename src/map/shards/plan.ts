import type { Graph } from "../instance/instance.js";

/** The frame pairs of a shard, and the stretch of frames that it computes on: its pairs need the two before, and the one behind. */
export interface ShardPlan {
  /** Its pairs: `first` … `end` − 1. */
  readonly first: number;
  readonly end: number;
  /** Its stretch: frames `from` … `to`. `from` is even, so that a pair has the same parity in both. */
  readonly from: number;
  readonly to: number;
}

/** Pairs that a shard has at least: fewer than those it computes for its neighbours are not worth a process. */
const LEAST_PAIRS = 4;

/** Cuts the frame pairs into stretches of about equally many edges, `shards` at most. */
export function planShards({ frames, edges, edgeStart }: Graph, shards: number): ShardPlan[] {
  const pairs = frames - 1;
  const count = Math.max(1, Math.min(shards, Math.floor(pairs / LEAST_PAIRS)));
  const plans: ShardPlan[] = [];
  let first = 0;
  for (let k = 0; k < count; k++) {
    const most = pairs - LEAST_PAIRS * (count - 1 - k);
    let end = k + 1 === count ? pairs : first + LEAST_PAIRS;
    while (end < most && edgeStart[end] < ((k + 1) * edges) / count) end++;
    const before = Math.max(0, first - 2);
    plans.push({ first, end, from: before - (before % 2), to: Math.min(frames - 1, end + 1) });
    first = end;
  }
  return plans;
}
