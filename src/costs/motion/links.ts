import type { Detections } from "../../core/detections.js";
import { picked } from "../../core/growing-array.js";
import { bindDeviation, type MotionModel } from "./model.js";
import { bindStudentT, minusLogDensity } from "./student.js";

/** Links, in order of (tail, span, head), with the deviations and priors that their costs are made of. */
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

/** The costs of starts, ends and continuations at each detection, in nats (docs/explanation/motion.md §1). */
export interface TrackCosts {
  /** Costs of births and deaths as edges; null where every detection must be linked in every frame pair. */
  readonly ends: { readonly birth: Float64Array; readonly death: Float64Array } | null;
  /** No start costs more, as far as the choice of links goes; −Infinity without starts. */
  readonly maxBirthCost: number;
  /** −ln of the probability to be seen again `span` frames later: by span − 1, then detection. */
  readonly goOn: readonly Float64Array[];
  /** The saving of a track of one against a birth and a death, since it may be a false detection. */
  readonly single: Float64Array;
}

/** Links for which room is made before it is known to be needed: 66 MB. */
const MOST_AT_ONCE = 2_000_000;

/** Links in typed arrays that double as they fill. */
export class GrowingLinks {
  private count = 0;
  private arrays: Links;

  /**
   * @param likely the number of links to expect: memory that is allocated and not used takes none
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

/** The same links with the deviations and priors of another model. */
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

/** C_e as the problem stores it: the prior, the chance to be seen again, and half of the saving of a single at either end. */
export function linkCosts({ tail, head, span, prior }: Links, { goOn, single }: TrackCosts): Float64Array {
  return prior.map((value, e) => value + goOn[span[e] - 1][tail[e]] + 0.5 * (single[tail[e]] + single[head[e]]));
}
