import { type Detections, frameOfDetections } from "../../core/detections.js";
import { InputError } from "../../core/errors.js";
import { sharedFloat64, sharedInt32, sharedUint32 } from "../../core/shared-arrays.js";
import type { PricedLinks, PricedStoredTriplets } from "../../map/instance/priced.js";
import type { Counted } from "../sizes.js";
import type { Continuations } from "./continuations.js";
import type { Links } from "./links.js";

/**
 * A link over G > 1 frames is a chain through G − 1 placeholder detections of its own (docs/explanation/motion.md §4). Each part of the chain costs K
 * extra for each placeholder at its ends, and each triplet through a placeholder refunds 2 K, so only whole chains pay. The births and deaths of
 * placeholders are free: one that is not used costs nothing.
 */
export interface Layout {
  /** The problem's detections: in each frame the real ones, then the placeholders in the order of their links. */
  readonly frameStart: Uint32Array;
  /** Input detection behind each problem detection; −1 for a placeholder. */
  readonly origin: Int32Array;
  /** The link of each placeholder's chain, and the detection that follows in it; −1 for real detections. */
  readonly chainOf: Int32Array;
  readonly onward: Int32Array;
  /** The detection that follows a link's tail: its head or its first placeholder. */
  readonly second: Uint32Array;
  /** Numbers of the input's detections by those of the problem, 0 for placeholders. */
  spreadOut(values: Float64Array): Float64Array;
}

export function layOut({ frames, frameStart, x }: Detections, { tail, head, span }: Links): Layout {
  const frame = frameOfDetections(frameStart);
  const placeholders = new Uint32Array(frames);
  for (let e = 0; e < tail.length; e++) {
    for (let n = 1; n < span[e]; n++) placeholders[frame[tail[e]] + n]++;
  }
  const newFrameStart = sharedUint32(frames + 1);
  for (let p = 0; p < frames; p++)
    newFrameStart[p + 1] = newFrameStart[p] + frameStart[p + 1] - frameStart[p] + placeholders[p];
  const place = Uint32Array.from(x, (_, d) => d - frameStart[frame[d]] + newFrameStart[frame[d]]);
  const origin = new Int32Array(newFrameStart[frames]).fill(-1);
  place.forEach((at, d) => {
    origin[at] = d;
  });
  const next = Uint32Array.from(placeholders, (_, p) => newFrameStart[p] + frameStart[p + 1] - frameStart[p]);
  const [chainOf, onward] = [new Int32Array(origin.length).fill(-1), new Int32Array(origin.length).fill(-1)];
  const second = new Uint32Array(tail.length);
  for (let e = 0; e < tail.length; e++) {
    // From the head back, so that each placeholder knows the detection behind it.
    let behind = place[head[e]];
    for (let n = span[e] - 1; n > 0; n--) {
      const at = next[frame[tail[e]] + n]++;
      chainOf[at] = e;
      onward[at] = behind;
      behind = at;
    }
    second[e] = behind;
  }
  const spreadOut = (values: Float64Array): Float64Array => {
    const all = sharedFloat64(origin.length);
    for (let at = 0; at < all.length; at++) all[at] = origin[at] < 0 ? 0 : values[origin[at]];
    return all;
  };
  return { frameStart: newFrameStart, origin, chainOf, onward, second, spreadOut };
}

/**
 * Edges in order of their tails.
 * @returns the edges, the first edge of each link, and the link that each edge is the last of; −1 for the other parts of chains
 */
export function edgesOf(
  { frameStart, origin, chainOf, onward, second }: Layout,
  { tail, span }: Links,
  cost: Float64Array,
  guard: Float64Array,
): { readonly links: PricedLinks; readonly edgeOf: Uint32Array; readonly lastOf: Int32Array } {
  const count = span.reduce((sum, frames) => sum + frames, 0);
  const links = { frameStart, tail: sharedInt32(count), head: sharedInt32(count), cost: sharedFloat64(count) };
  const edgeOf = new Uint32Array(tail.length);
  const lastOf = new Int32Array(count).fill(-1);
  let edges = 0;
  const add = (from: number, to: number, value: number, e: number): void => {
    links.tail[edges] = from;
    links.head[edges] = to;
    links.cost[edges] = value;
    if (origin[to] >= 0) lastOf[edges] = e;
    edges++;
  };
  let e = 0;
  for (let d = 0; d < origin.length; d++) {
    for (; e < tail.length && tail[e] === origin[d]; e++) {
      edgeOf[e] = edges;
      add(d, second[e], cost[e] + (span[e] === 1 ? 0 : guard[e]), e);
    }
    const chain = chainOf[d];
    if (chain >= 0) add(d, onward[d], origin[onward[d]] >= 0 ? guard[chain] : 2 * guard[chain], chain);
  }
  return { links, edgeOf, lastOf };
}

/** Triplets that a problem can number. */
const MOST = 0xffffffff;

/** Triplets up to which they are listed while they are counted, 400 MB: to price 7 million continuations of a school twice took a sixth of a pass's pricing. */
const MOST_LISTED = 2 ** 25;

/** Triplets of a block of the list: arrays that grow would be copied at each doubling, and hold twice as much. */
const BLOCK = 2 ** 18;

/** Triplets in the order in which they are found. */
class ListedTriplets {
  readonly #blocks: { readonly successor: Uint32Array; readonly cost: Float64Array }[] = [];
  #used = BLOCK;

  push(successor: number, cost: number): void {
    if (this.#used === BLOCK) {
      this.#blocks.push({ successor: new Uint32Array(BLOCK), cost: new Float64Array(BLOCK) });
      this.#used = 0;
    }
    const last = this.#blocks[this.#blocks.length - 1];
    last.successor[this.#used] = successor;
    last.cost[this.#used++] = cost;
  }

  copyTo(successor: Uint32Array, cost: Float64Array): void {
    for (const [n, block] of this.#blocks.entries()) {
      const count = Math.min(BLOCK, successor.length - n * BLOCK);
      successor.set(block.successor.subarray(0, count), n * BLOCK);
      cost.set(block.cost.subarray(0, count), n * BLOCK);
    }
  }
}

/** Triplets of links that follow one another, and those through placeholders. */
export function storedTriplets(
  { origin, chainOf }: Layout,
  { tail, head }: PricedLinks,
  edgeOf: Uint32Array,
  lastOf: Int32Array,
  guard: Float64Array,
  continuations: Continuations,
  counted: Counted,
): PricedStoredTriplets {
  const edges = tail.length;
  const edgeOut = new Uint32Array(origin.length);
  for (let edge = edges - 1; edge >= 0; edge--) edgeOut[tail[edge]] = edge;
  const visit = (edge: number, emit: (successor: number, cost: number) => void): void => {
    const e = lastOf[edge];
    if (e >= 0) continuations(e, (f, value) => emit(edgeOf[f], value));
    else emit(edgeOut[head[edge]], -2 * guard[chainOf[head[edge]]]);
  };
  const rowStart = sharedUint32(edges + 1);
  const listed = new ListedTriplets();
  let total = 0;
  for (let edge = 0; edge < edges; edge++) {
    visit(edge, (successor, value) => {
      if (total++ < MOST_LISTED) listed.push(successor, value);
    });
    if (total > MOST) throw new InputError(`more than ${MOST} triplets pass the gate: choose a narrower one`);
    rowStart[edge + 1] = total;
  }
  counted({ detections: origin.length, links: edges, triplets: total });
  const [successor, cost] = [sharedUint32(total), sharedFloat64(total)];
  if (total <= MOST_LISTED) {
    listed.copyTo(successor, cost);
    return { kind: "csr", rowStart, successor, cost };
  }
  let t = 0;
  for (let edge = 0; edge < edges; edge++) {
    visit(edge, (next, value) => {
      successor[t] = next;
      cost[t++] = value;
    });
  }
  return { kind: "csr", rowStart, successor, cost };
}
