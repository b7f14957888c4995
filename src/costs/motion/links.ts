import type { Detections } from "../../core/detections.js";
import { bindExpectation, type MotionModel } from "./model.js";
import { bindStudentT } from "./student.js";

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

/** What starts, ends and going on cost at each detection, in nats (docs/motion.md §1). */
export interface TrackCosts {
  /** Costs of the births and deaths as edges; null where every detection must be linked in every frame pair. */
  readonly ends: { readonly birth: Float64Array; readonly death: Float64Array } | null;
  /** −ln of the probability to be seen again after so many frames: by span − 1, then detection. */
  readonly goOn: readonly Float64Array[];
  /** What a track of one saves against a birth and a death, since it may be a false detection. */
  readonly single: Float64Array;
}

/** A detection's candidates are at most so many a span, those with the highest prior. */
export const NEAREST = 24;

/**
 * Links from each detection to the frame `span` later: all within `reach`, or those up to NEAREST that may be worth their cost.
 * @param reach greatest length of a link from each detection, per frame that it spans; null for what the model allows
 */
export function candidateLinks(
  detections: Detections,
  model: MotionModel,
  { ends }: TrackCosts,
  reach: Float64Array | null,
  spans: readonly number[],
): Links {
  const { frames, frameStart, x, y } = detections;
  const expectation = bindExpectation(detections, model);
  const priors = model.prior.map(bindStudentT);
  const bestStep = bindStudentT(model.step[0][0]).peak;
  const dearest = ends === null ? Number.POSITIVE_INFINITY : ends.birth.reduce((a, b) => Math.max(a, b), -Infinity);
  const limited = ends !== null && reach === null;
  const u = new Float64Array(2);
  const out = { tail: [] as number[], head: [] as number[], span: [] as number[], prior: [] as number[] };
  const z = { x: [] as number[], y: [] as number[] };
  const found: { j: number; prior: number; zx: number; zy: number }[] = [];
  for (let p = 0; p + 1 < frames; p++) {
    for (let i = frameStart[p]; i < frameStart[p + 1]; i++) {
      // A link saves an end and a start, and each neighbour may save as much less the best continuation; half of one is granted.
      const cut = ends === null ? Number.POSITIVE_INFINITY : ends.death[i] + dearest;
      const most = cut + 0.5 * Math.max(0, cut - bestStep);
      for (const span of spans) {
        if (p + span >= frames) break;
        const prior = priors[span - 1];
        const within = limited ? Math.expm1((most - prior.peak) / prior.slope) : Number.POSITIVE_INFINITY;
        const longest = reach === null ? Number.POSITIVE_INFINITY : span * reach[i];
        found.length = 0;
        for (let j = frameStart[p + span]; j < frameStart[p + span + 1]; j++) {
          const dx = x[j] - x[i];
          const dy = y[j] - y[i];
          if (!(dx * dx + dy * dy < longest * longest)) continue;
          expectation(i, j, u);
          const zx = dx - span * u[0];
          const zy = dy - span * u[1];
          const wx = prior.a * zx;
          const wy = prior.b * zx + prior.c * zy;
          const q = wx * wx + wy * wy;
          if (q <= within) found.push({ j, prior: prior.peak + prior.slope * Math.log1p(q), zx, zy });
        }
        if (limited && found.length > NEAREST) {
          found.sort((one, other) => one.prior - other.prior || one.j - other.j);
          found.length = NEAREST;
          found.sort((one, other) => one.j - other.j);
        }
        for (const link of found) {
          out.tail.push(i);
          out.head.push(link.j);
          out.span.push(span);
          out.prior.push(link.prior);
          z.x.push(link.zx);
          z.y.push(link.zy);
        }
      }
    }
  }
  return {
    tail: Int32Array.from(out.tail),
    head: Int32Array.from(out.head),
    span: Uint8Array.from(out.span),
    prior: Float64Array.from(out.prior),
    zx: Float64Array.from(z.x),
    zy: Float64Array.from(z.y),
  };
}

/** The links that `keep` marks with 1. */
export function selectLinks(links: Links, keep: ArrayLike<number>): Links {
  const kept = Uint32Array.from(links.tail.keys()).filter((e) => keep[e] === 1);
  return {
    tail: Int32Array.from(kept, (e) => links.tail[e]),
    head: Int32Array.from(kept, (e) => links.head[e]),
    span: Uint8Array.from(kept, (e) => links.span[e]),
    prior: Float64Array.from(kept, (e) => links.prior[e]),
    zx: Float64Array.from(kept, (e) => links.zx[e]),
    zy: Float64Array.from(kept, (e) => links.zy[e]),
  };
}

/** Both in one, in order. */
export function mergeLinks(one: Links, other: Links): Links {
  const all = [one, other];
  const places = all.flatMap((links, n) => Array.from(links.tail, (_, e) => [n, e] as const));
  places.sort(
    ([m, d], [n, e]) =>
      all[m].tail[d] - all[n].tail[e] || all[m].span[d] - all[n].span[e] || all[m].head[d] - all[n].head[e],
  );
  const pick = (key: keyof Links) => places.map(([n, e]) => all[n][key][e]);
  return {
    tail: Int32Array.from(pick("tail")),
    head: Int32Array.from(pick("head")),
    span: Uint8Array.from(pick("span")),
    prior: Float64Array.from(pick("prior")),
    zx: Float64Array.from(pick("zx")),
    zy: Float64Array.from(pick("zy")),
  };
}

/** C_e as the problem stores it: the prior, the chance to be seen again, and half of what a single saves at either end. */
export function linkCosts({ tail, head, span, prior }: Links, { goOn, single }: TrackCosts): Float64Array {
  return prior.map((value, e) => value + goOn[span[e] - 1][tail[e]] + 0.5 * (single[tail[e]] + single[head[e]]));
}
