import type { Shard } from "../../core/shard.js";
import type { WindowRange } from "./decisions.js";
import { type WindowPlan, windowsOf } from "./plan.js";

/** The windows that a shard finds: as many on end as each of the others, but for one. */
export function windowsOfShard(plan: WindowPlan, frames: number, { number, of }: Shard): WindowRange {
  const windows = windowsOf(plan, frames);
  return [Math.floor(((number - 1) * windows) / of), Math.floor((number * windows) / of)];
}

/**
 * The windows that a shard decides. That takes their neighbours, and the two behind its own are the first that the next shard finds, so they are there by the
 * time they are asked for. The one before its own is the last that another shard finds, which decides the first of this one.
 */
export function decidedByShard(plan: WindowPlan, frames: number, shard: Shard): WindowRange {
  const [first, end] = windowsOfShard(plan, frames, shard);
  if (first === end) return [first, end];
  return [first === 0 ? 0 : first + 1, Math.min(end + 1, windowsOf(plan, frames))];
}
