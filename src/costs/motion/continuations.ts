import type { Links, TrackCosts } from "./links.js";
import type { MotionModel } from "./model.js";
import { type BoundStudentT, bindStudentT } from "./student.js";

/** What is dropped must be worse than its alternative by more than rounding. */
export const CLEARLY = 1e-9;

/**
 * Costs D_ef of links that follow one another, and the cheapest into and out of each link; Infinity where there is none. With q the
 * squared distance of the whitened deviations, D_ef = peak + slope · ln(1 + q) − offset_f, where
 * offset_f = −ln prior(z_f) + what a single saves at the detection between.
 */
export interface Continuations {
  /** Links out of detection d: outStart[d] … outStart[d + 1] − 1. */
  readonly outStart: Uint32Array;
  readonly leastIn: Float64Array;
  readonly leastOut: Float64Array;
  readonly count: number;
  /** Calls `visit` for each f after e that is kept, in order, with D_ef; `most` as dropLimits gives it, null keeps all. */
  each(e: number, most: DropLimits | null, visit: (f: number, cost: number) => void): void;
}

/** Greatest D_ef that some best set of tracks may need: by the later link, and by the earlier one. */
export interface DropLimits {
  readonly byLater: Float64Array;
  readonly byEarlier: Float64Array;
}

interface Rule extends BoundStudentT {
  /** ρ_ab / a. */
  readonly rho: number;
}

export function continuationsOf(
  detections: number,
  links: Links,
  model: MotionModel,
  { single }: TrackCosts,
): Continuations {
  const { tail, head, span, prior, zx, zy } = links;
  const count = tail.length;
  const rules: Rule[][] = model.step.map((row, a) =>
    row.map((step, b) => ({ ...bindStudentT(step), rho: model.persistence[a][b] / (a + 1) })),
  );
  const outStart = new Uint32Array(detections + 1);
  for (const i of tail) outStart[i + 1]++;
  for (let d = 0; d < detections; d++) outStart[d + 1] += outStart[d];
  const offset = prior.map((value, f) => value + single[tail[f]]);
  /** e^{offset_f / slope} by a − 1: costs of one rule compare as (1 + q) / scale, without a logarithm. */
  const scale = rules.map((row) => offset.map((value, f) => Math.exp(value / row[span[f] - 1].slope)));
  const squares = (e: number, f: number, { rho, a, b, c }: Rule): number => {
    const dx = zx[f] - rho * zx[e];
    const dy = zy[f] - rho * zy[e];
    const u = a * dx;
    const w = b * dx + c * dy;
    return 1 + u * u + w * w;
  };

  const leastOut = new Float64Array(count);
  const leastInto = rules.map(() => new Float64Array(count).fill(Number.POSITIVE_INFINITY));
  const least = new Float64Array(rules.length);
  let triplets = 0;
  for (let e = 0; e < count; e++) {
    const row = rules[span[e] - 1];
    const scales = scale[span[e] - 1];
    const into = leastInto[span[e] - 1];
    const end = outStart[head[e] + 1];
    triplets += end - outStart[head[e]];
    least.fill(Number.POSITIVE_INFINITY);
    for (let f = outStart[head[e]]; f < end; f++) {
      const later = span[f] - 1;
      const q = squares(e, f, row[later]);
      if (q < into[f]) into[f] = q;
      if (q < least[later] * scales[f]) least[later] = q / scales[f];
    }
    leastOut[e] = row.reduce((low, { peak, slope }, b) => Math.min(low, peak + slope * Math.log(least[b])), Infinity);
  }
  const leastIn = offset.map((value, f) =>
    rules.reduce((low, row, a) => {
      const { peak, slope } = row[span[f] - 1];
      return Math.min(low, peak + slope * Math.log(leastInto[a][f]) - value);
    }, Number.POSITIVE_INFINITY),
  );

  return {
    outStart,
    leastIn,
    leastOut,
    count: triplets,
    each(e, most, visit) {
      const row = rules[span[e] - 1];
      const scales = scale[span[e] - 1];
      // The limits as limits of (1 + q) / scale.
      const limits = row.map(({ peak, slope }) =>
        most === null ? Number.POSITIVE_INFINITY : Math.exp((most.byEarlier[e] - peak) / slope),
      );
      for (let f = outStart[head[e]], end = outStart[head[e] + 1]; f < end; f++) {
        const later = span[f] - 1;
        const rule = row[later];
        const q = squares(e, f, rule);
        if (q > limits[later] * scales[f]) continue;
        const cost = rule.peak + rule.slope * Math.log(q) - offset[f];
        if (most === null || cost <= most.byLater[f]) visit(f, cost);
      }
    },
  };
}

/** 1 for each link that some best set of tracks may need (docs/motion.md §3). */
export function neededLinks(
  { tail, head }: Links,
  cost: Float64Array,
  { leastIn, leastOut }: Continuations,
  { birth, death }: NonNullable<TrackCosts["ends"]>,
): Uint8Array {
  return Uint8Array.from(tail, (i, e) =>
    cost[e] + Math.min(0, leastIn[e]) + Math.min(0, leastOut[e]) < death[i] + birth[head[e]] + CLEARLY ? 1 : 0,
  );
}

/** A triplet is dropped where cutting its later, or its earlier, link undercuts it with the cheapest on the other side. */
export function dropLimits(
  { tail, head }: Links,
  cost: Float64Array,
  { leastIn, leastOut }: Continuations,
  { birth, death }: NonNullable<TrackCosts["ends"]>,
): DropLimits {
  const cut = (e: number) => death[tail[e]] + birth[head[e]] - cost[e] + CLEARLY;
  return {
    byLater: cost.map((_, e) => cut(e) - Math.min(0, leastOut[e])),
    byEarlier: cost.map((_, e) => cut(e) - Math.min(0, leastIn[e])),
  };
}
