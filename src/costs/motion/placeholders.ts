import { type Detections, frameOfDetections } from "../../core/detections.js";
import { InputError } from "../../core/errors.js";
import { filled, GrowingArray } from "../../core/growing-array.js";
import { byRow } from "../../core/rows.js";
import { sharedFloat64, sharedInt32, sharedUint32 } from "../../core/shared-arrays.js";
import type { PricedLinks, PricedStoredTriplets } from "../../map/instance/priced.js";
import type { Counted } from "../sizes.js";
import type { Continuations } from "./least-costs.js";
import type { Links } from "./links.js";

/**
 * A link over G > 1 frames is a chain through G − 1 placeholder detections of its own (docs/explanation/motion.md §4). Each part of the chain costs K
 * extra for each placeholder at its ends, and each triplet through a placeholder refunds 2 K, so only whole chains pay. The births and deaths of
 * placeholders are free: one that is not used costs nothing.
 */
export interface Chains {
  /** The problem's edges, in order of their tails. In each frame the real detections come first, then the placeholders in the order of their links. */
  readonly links: PricedLinks;
  /** Input detection behind each problem detection; −1 for a placeholder. */
  readonly origin: Int32Array;
  /** The first edge of each link; and the link of each edge, and the edge that follows in its chain, −1 for the last. */
  readonly edgeOf: Uint32Array;
  readonly linkOf: Uint32Array;
  readonly onward: Int32Array;
}

/** @param guard K of each link */
export function chainsOf(
  { frames, frameStart: realStart, x }: Detections,
  { tail, head, span }: Links,
  cost: Float64Array,
  guard: Float64Array,
): Chains {
  const frame = frameOfDetections(realStart);
  const frameStart = sharedUint32(frames + 1);
  for (let e = 0; e < tail.length; e++) for (let n = 1; n < span[e]; n++) frameStart[frame[tail[e]] + n + 1]++;
  for (let p = 0; p < frames; p++) frameStart[p + 1] += frameStart[p] + realStart[p + 1] - realStart[p];
  const place = filled(new Uint32Array(x.length), (d) => d - realStart[frame[d]] + frameStart[frame[d]]);
  const origin = new Int32Array(frameStart[frames]).fill(-1);
  place.forEach((at, d) => {
    origin[at] = d;
  });
  const next = frameStart.map((start, p) => start + realStart[p + 1] - realStart[p]);
  const count = span.reduce((sum, frames) => sum + frames, 0);
  const parts = { link: new Uint32Array(count), tail: new Uint32Array(count), head: new Uint32Array(count) };
  for (let e = 0, part = 0; e < tail.length; e++) {
    let from = place[tail[e]];
    for (let n = 1; n <= span[e]; n++, part++) {
      parts.link[part] = e;
      parts.tail[part] = from;
      from = n === span[e] ? place[head[e]] : next[frame[tail[e]] + n]++;
      parts.head[part] = from;
    }
  }
  const links = { tail: sharedInt32(count), head: sharedInt32(count), cost: sharedFloat64(count) };
  const [edgeOf, linkOf, edgeOfPart] = [new Uint32Array(tail.length), new Uint32Array(count), new Uint32Array(count)];
  const onward = new Int32Array(count).fill(-1);
  const order = byRow(parts.tail, origin.length).item;
  // Backwards, as the next part of a chain is a later edge.
  for (let edge = count - 1; edge >= 0; edge--) {
    const part = order[edge];
    const e = parts.link[part];
    edgeOfPart[part] = edge;
    linkOf[edge] = e;
    links.tail[edge] = parts.tail[part];
    links.head[edge] = parts.head[part];
    const [isFirst, isLast] = [origin[parts.tail[part]] >= 0, origin[parts.head[part]] >= 0];
    links.cost[edge] = (isFirst ? cost[e] : 0) + (Number(!isFirst) + Number(!isLast)) * guard[e];
    if (isFirst) edgeOf[e] = edge;
    if (!isLast) onward[edge] = edgeOfPart[part + 1];
  }
  return { links: { frameStart, ...links }, origin, edgeOf, linkOf, onward };
}

/** Triplets that a problem can number. */
const MOST = 0xffffffff;

/** Triplets from which their number is told, and again whenever it has doubled. */
const FIRST_TOLD = 2 ** 24;

/** Triplets of links that follow one another, and those through placeholders. */
export function storedTriplets(
  { links: { tail }, origin, edgeOf, linkOf, onward }: Chains,
  guard: Float64Array,
  continuations: Continuations,
  counted: Counted,
): PricedStoredTriplets {
  const { follower, cost: value } = continuations;
  const rowStart = sharedUint32(tail.length + 1);
  const [successor, cost] = [new GrowingArray(Uint32Array), new GrowingArray(Float64Array)];
  let told = FIRST_TOLD;
  for (let edge = 0; edge < tail.length; edge++) {
    if (onward[edge] >= 0) {
      successor.push(onward[edge]);
      cost.push(-2 * guard[linkOf[edge]]);
    } else {
      const count = continuations.find(linkOf[edge]);
      for (let n = 0; n < count; n++) {
        successor.push(edgeOf[follower[n]]);
        cost.push(value[n]);
      }
    }
    rowStart[edge + 1] = cost.length;
    if (cost.length < told) continue;
    if (cost.length > MOST) throw new InputError(`more than ${MOST} triplets pass the gate: choose a narrower one`);
    counted({ detections: origin.length, links: tail.length, triplets: cost.length });
    told = 2 * cost.length;
  }
  counted({ detections: origin.length, links: tail.length, triplets: cost.length });
  const stored = { successor: sharedUint32(cost.length), cost: sharedFloat64(cost.length) };
  stored.successor.set(successor.values);
  stored.cost.set(cost.values);
  return { kind: "csr", rowStart, ...stored };
}
