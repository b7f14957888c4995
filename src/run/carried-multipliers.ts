import type { PricedMotion } from "../costs/motion/price-motion.js";

/** A problem that was solved, and its multipliers. */
export interface Solved {
  readonly problem: PricedMotion;
  /** v by edge: links, deaths, births. */
  readonly v: Float64Array;
  /** Number that the first of its detections has in the next problem's input. */
  readonly first: number;
}

/**
 * Multipliers for a problem to begin with, by edge: links, deaths, births. A link of one frame, and a death, keep the multiplier that they have in the problem before; all
 * other edges have 0. So do chains over missed frames: their multipliers depend on the extra costs K of their parts, which change from pass to pass.
 */
export function carriedMultipliers({ links, origin, kept, edgeOf }: PricedMotion, solved: Solved | null): Float64Array {
  const { frameStart } = links;
  const count = links.tail.length;
  const [second, last] = [frameStart[1], frameStart[frameStart.length - 2]];
  const start = new Float64Array(count + last + origin.length - second);
  if (solved === null) return start;
  const { problem, v, first } = solved;
  const before = problem.kept;
  let n = 0;
  for (let e = 0; e < kept.tail.length; e++) {
    if (kept.span[e] > 1) continue;
    const [tail, head] = [kept.tail[e] - first, kept.head[e] - first];
    const order = (): number => before.tail[n] - tail || before.head[n] - head;
    while (n < before.tail.length && order() < 0) n++;
    if (n < before.tail.length && order() === 0) start[edgeOf[e]] = v[problem.edgeOf[n]];
  }
  const linksBefore = problem.links.tail.length;
  const lastBefore = problem.links.frameStart[problem.links.frameStart.length - 2];
  let at = 0;
  for (let d = second; d < last; d++) {
    if (origin[d] < 0) continue;
    while (at < lastBefore && problem.origin[at] < origin[d] - first) at++;
    if (at < lastBefore && problem.origin[at] === origin[d] - first) start[count + d] = v[linksBefore + at];
  }
  return start;
}
