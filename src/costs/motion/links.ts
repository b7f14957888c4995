import type { Detections } from "../../core/detections.js";
import { type FixedLinks, mayLink } from "../../core/fixed-links.js";
import { picked } from "../../core/growing-array.js";
import { select } from "../../core/select.js";
import type { Counted } from "../sizes.js";
import { bindDeviation, bindExpectation, type MotionModel } from "./model.js";
import { bindStudentT, minusLogDensity, squareWithin } from "./student.js";

/** Links with what their costs are made of, in order of (tail, span, head). */
export interface Links {
  readonly tail: Int32Array;
  readonly head: Int32Array;
  /** Frames from tail to head, from 1. */
  readonly span: Uint8Array;
  /** −ln prior of z. */
  readonly prior: Float64Array;
  /** z. */
  readonly zx: Float64Array;
  readonly zy: Float64Array;
}

/** The costs of starts, ends and continuations at each detection, in nats (docs/motion.md §1). */
export interface TrackCosts {
  /** Costs of the births and deaths as edges; null where every detection must be linked in every frame pair. */
  readonly ends: { readonly birth: Float64Array; readonly death: Float64Array } | null;
  /** No start costs more, as far as the choice of links goes; -Infinity without starts. */
  readonly dearest: number;
  /** −ln of the probability to be seen again after so many frames: by span − 1, then detection. */
  readonly goOn: readonly Float64Array[];
  /** The saving of a track of one against a birth and a death, since it may be a false detection. */
  readonly single: Float64Array;
}

/** A detection's candidates are at most so many a span, those with the highest prior. */
export const NEAREST = 24;

/**
 * Links from each detection to the frame `span` later: all within `reach`, or those up to NEAREST that may be worth their cost.
 * @param fixed links that are required, which pass every gate, and forbidden ones
 * @param reach greatest length of a link from each detection, per frame that it spans; null for what the model allows
 */
export function candidateLinks(
  detections: Detections,
  model: MotionModel,
  { ends, dearest }: TrackCosts,
  reach: Float64Array | null,
  spans: readonly number[],
  fixed: FixedLinks | null = null,
  counted: Counted = () => {},
  nearest = NEAREST,
): Links {
  const { frames, frameStart, x, y } = detections;
  const expectation = bindExpectation(detections, model);
  const priors = model.prior.map(bindStudentT);
  const bestStep = minusLogDensity(bindStudentT(model.step[0][0]), 0, 0);
  const limited = ends !== null && reach === null;
  const u = Float64Array.from(model.drift);
  const varies = model.velocityWeight !== 0 && detections.vx !== null && detections.vy !== null;
  const likely = limited ? nearest * spans.length * x.length : 0;
  const out = new GrowingLinks(likely, (links) => counted({ detections: x.length, links, triplets: null }));
  const widest = frameStart.reduce((most, start, p) => (p === 0 ? 0 : Math.max(most, start - frameStart[p - 1])), 0);
  const found = new Nearest(limited ? nearest : Number.POSITIVE_INFINITY, widest);
  /** Adds the links out of i, of frame p. */
  const linksFrom = (i: number, p: number): void => {
    // A link saves an end and a start, and each neighbour may save as much less the best continuation; half of one is granted.
    const cut = ends === null ? Number.POSITIVE_INFINITY : ends.death[i] + dearest;
    const most = cut + 0.5 * Math.max(0, cut - bestStep);
    for (let s = 0; s < spans.length && p + spans[s] < frames; s++) {
      const span = spans[s];
      const prior = priors[span - 1];
      const within = limited ? squareWithin(prior, most) : Number.POSITIVE_INFINITY;
      const longest = reach === null ? Number.POSITIVE_INFINITY : span * reach[i];
      found.clear();
      for (let j = frameStart[p + span]; j < frameStart[p + span + 1]; j++) {
        const dx = x[j] - x[i];
        const dy = y[j] - y[i];
        if (fixed !== null && !mayLink(fixed, i, j)) continue;
        const must = fixed !== null && fixed.next[i] === j;
        if (!must && !(dx * dx + dy * dy < longest * longest)) continue;
        if (varies) expectation(i, j, u);
        const zx = dx - span * u[0];
        const zy = dy - span * u[1];
        const wx = prior.a * zx;
        const wy = prior.b * zx + prior.c * zy;
        const q = wx * wx + wy * wy;
        if (must || q <= within) found.add(q, j);
      }
      const count = found.select();
      const { item } = found;
      for (let n = 0; n < count; n++) {
        const j = item[n];
        if (varies) expectation(i, j, u);
        const zx = x[j] - x[i] - span * u[0];
        const zy = y[j] - y[i] - span * u[1];
        out.push(i, j, span, minusLogDensity(prior, zx, zy), zx, zy);
      }
    }
  };
  for (let p = 0; p + 1 < frames; p++) {
    for (let i = frameStart[p]; i < frameStart[p + 1]; i++) linksFrom(i, p);
  }
  return out.links();
}

/** The `most` smallest of the values that were added, of equal ones those that came first, in the order in which they came. */
class Nearest {
  readonly item: Int32Array;
  private readonly value: Float64Array;
  private readonly order: Float64Array;
  private count = 0;

  /** @param room values that are added at most */
  constructor(
    private readonly most: number,
    room: number,
  ) {
    this.value = new Float64Array(room);
    this.item = new Int32Array(room);
    this.order = new Float64Array(room);
  }

  clear(): void {
    this.count = 0;
  }

  add(value: number, item: number): void {
    const n = this.count++;
    this.value[n] = value;
    this.item[n] = item;
  }

  /** Moves those that are kept to the front; returns how many. */
  select(): number {
    const { value, item, order, most, count } = this;
    if (count <= most) return count;
    for (let n = 0; n < count; n++) order[n] = value[n];
    const limit = select(order.subarray(0, count), most - 1);
    let equal = most;
    for (let n = 0; n < count; n++) if (value[n] < limit) equal--;
    let kept = 0;
    for (let n = 0; n < count; n++) {
      if (value[n] > limit || (value[n] === limit && equal-- <= 0)) continue;
      item[kept++] = item[n];
    }
    return kept;
  }
}

/** Links for which room is made before it is known to be needed: 66 MB. */
const MOST_AT_ONCE = 2_000_000;

/** Links in typed arrays that double as they fill. */
class GrowingLinks {
  private count = 0;
  private arrays: Links;

  /**
   * @param likely how many there may be: memory that is allocated and not used takes none
   * @param counted told the number of links before the arrays for twice as many are allocated
   */
  constructor(
    likely: number,
    private readonly counted: (links: number) => void,
  ) {
    this.arrays = emptyLinks(Math.max(1024, Math.min(likely, MOST_AT_ONCE)));
  }

  push(tail: number, head: number, span: number, prior: number, zx: number, zy: number): void {
    if (this.count === this.arrays.tail.length) {
      this.counted(this.count);
      this.arrays = resized(this.arrays, 2 * this.count);
    }
    const e = this.count++;
    this.arrays.tail[e] = tail;
    this.arrays.head[e] = head;
    this.arrays.span[e] = span;
    this.arrays.prior[e] = prior;
    this.arrays.zx[e] = zx;
    this.arrays.zy[e] = zy;
  }

  links(): Links {
    const { tail, head, span, prior, zx, zy } = this.arrays;
    const { count } = this;
    return {
      tail: tail.subarray(0, count),
      head: head.subarray(0, count),
      span: span.subarray(0, count),
      prior: prior.subarray(0, count),
      zx: zx.subarray(0, count),
      zy: zy.subarray(0, count),
    };
  }
}

function emptyLinks(length: number): Links {
  return {
    tail: new Int32Array(length),
    head: new Int32Array(length),
    span: new Uint8Array(length),
    prior: new Float64Array(length),
    zx: new Float64Array(length),
    zy: new Float64Array(length),
  };
}

/** The first links, as many as fit. */
function resized(links: Links, length: number): Links {
  const copy = emptyLinks(length);
  for (const key of Object.keys(copy) as (keyof Links)[]) copy[key].set(links[key].subarray(0, length));
  return copy;
}

/** The links at increasing places. */
export function pickLinks({ tail, head, span, prior, zx, zy }: Links, places: Uint32Array): Links {
  return {
    tail: picked(tail, places),
    head: picked(head, places),
    span: picked(span, places),
    prior: picked(prior, places),
    zx: picked(zx, places),
    zy: picked(zy, places),
  };
}

/** The same links as another model has them. */
export function repricedLinks(
  detections: Detections,
  links: Pick<Links, "tail" | "head" | "span">,
  model: MotionModel,
): Links {
  const deviation = bindDeviation(detections, model);
  const priors = model.prior.map(bindStudentT);
  const { tail, head, span } = links;
  const count = tail.length;
  const [prior, zx, zy] = [new Float64Array(count), new Float64Array(count), new Float64Array(count)];
  for (let e = 0; e < count; e++) {
    [zx[e], zy[e]] = deviation(tail[e], head[e], span[e]);
    prior[e] = minusLogDensity(priors[span[e] - 1], zx[e], zy[e]);
  }
  return { tail, head, span, prior, zx, zy };
}

/** Both in one, in order. */
export function mergeLinks(one: Links, other: Links): Links {
  const count = one.tail.length;
  const all = resized(one, count + other.tail.length);
  for (const key of Object.keys(all) as (keyof Links)[]) all[key].set(other[key], count);
  const { tail, head, span } = all;
  const places = new Uint32Array(tail.length);
  let d = 0;
  let e = count;
  for (let n = 0; n < places.length; n++) {
    const order =
      d === count ? 1 : e === tail.length ? -1 : tail[d] - tail[e] || span[d] - span[e] || head[d] - head[e] || -1;
    places[n] = order < 0 ? d++ : e++;
  }
  return pickLinks(all, places);
}

/** C_e as the problem stores it: the prior, the chance to be seen again, and half of what a single saves at either end. */
export function linkCosts({ tail, head, span, prior }: Links, { goOn, single }: TrackCosts): Float64Array {
  const cost = new Float64Array(prior.length);
  const costOf = (e: number): number =>
    prior[e] + goOn[span[e] - 1][tail[e]] + 0.5 * (single[tail[e]] + single[head[e]]);
  for (let e = 0; e < cost.length; e++) cost[e] = costOf(e);
  return cost;
}
