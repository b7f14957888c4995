import type { Links, TrackCosts } from "./links.js";
import type { MotionModel } from "./model.js";
import { type BoundStudentT, bindStudentT, spread } from "./student.js";

/** A link or triplet is dropped only where it is worse than its alternative by more than this rounding. */
const CLEARLY = 1e-9;

/**
 * Costs D_ef of links that follow one another, and the cheapest into and out of each link; Infinity where there is none. With q the
 * spread of the squared distance of the whitened deviations (student.ts), D_ef = peak + slope · ln q − offset_f, where
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
  const spans = model.step.length;
  const rules: Rule[][] = model.step.map((row, a) =>
    row.map((step, b) => ({ ...bindStudentT(step), rho: model.persistence[a][b] / (a + 1) })),
  );
  // Links out of a detection come in order of their spans: those of span b + 1 are runStart[spans · d + b] ….
  const runStart = new Uint32Array(spans * detections + 1);
  for (let f = 0; f < count; f++) runStart[spans * tail[f] + span[f]]++;
  for (let run = 0; run + 1 < runStart.length; run++) runStart[run + 1] += runStart[run];
  const outStart = Uint32Array.from({ length: detections + 1 }, (_, d) => runStart[spans * d]);
  const offset = new Float64Array(count);
  for (let f = 0; f < count; f++) offset[f] = prior[f] + single[tail[f]];
  // By a − 1: whitened deviations of f as the later link, and e^{−offset_f / slope}: costs of one rule compare as q times that,
  // without a logarithm.
  const whiteX = rules.map(() => new Float64Array(count));
  const whiteY = rules.map(() => new Float64Array(count));
  const saving = rules.map(() => new Float64Array(count));
  rules.forEach((row, before) => {
    const [x, y, save] = [whiteX[before], whiteY[before], saving[before]];
    for (let f = 0; f < count; f++) {
      const { a, b, c, slope } = row[span[f] - 1];
      x[f] = a * zx[f];
      y[f] = b * zx[f] + c * zy[f];
      save[f] = Math.exp(-offset[f] / slope);
    }
  });

  const leastOut = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
  const leastInto = rules.map(() => new Float64Array(count).fill(Number.POSITIVE_INFINITY));
  let triplets = 0;
  for (let e = 0; e < count; e++) {
    const before = span[e] - 1;
    const [x, y, save, into] = [whiteX[before], whiteY[before], saving[before], leastInto[before]];
    for (let later = 0; later < spans; later++) {
      const begin = runStart[spans * head[e] + later];
      const end = runStart[spans * head[e] + later + 1];
      if (begin === end) continue;
      const rule = rules[before][later];
      const { a, b, c, rho, peak, slope } = rule;
      const fromX = a * rho * zx[e];
      const fromY = b * rho * zx[e] + c * rho * zy[e];
      let least = Number.POSITIVE_INFINITY;
      for (let f = begin; f < end; f++) {
        const u = x[f] - fromX;
        const w = y[f] - fromY;
        const q = spread(rule, u * u + w * w);
        if (q < into[f]) into[f] = q;
        const cost = q * save[f];
        if (cost < least) least = cost;
      }
      triplets += end - begin;
      leastOut[e] = Math.min(leastOut[e], peak + slope * Math.log(least));
    }
  }
  const leastIn = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
  rules.forEach((row, before) => {
    const into = leastInto[before];
    for (let f = 0; f < count; f++) {
      const { peak, slope } = row[span[f] - 1];
      leastIn[f] = Math.min(leastIn[f], peak + slope * Math.log(into[f]) - offset[f]);
    }
  });

  return {
    outStart,
    leastIn,
    leastOut,
    count: triplets,
    each(e, most, visit) {
      const before = span[e] - 1;
      const [x, y, save] = [whiteX[before], whiteY[before], saving[before]];
      for (let later = 0; later < spans; later++) {
        const begin = runStart[spans * head[e] + later];
        const end = runStart[spans * head[e] + later + 1];
        if (begin === end) continue;
        const rule = rules[before][later];
        const { a, b, c, rho, peak, slope } = rule;
        const fromX = a * rho * zx[e];
        const fromY = b * rho * zx[e] + c * rho * zy[e];
        // The limit as one of q e^{−offset / slope}, with room for its rounding: what passes is looked at again.
        const limit = most === null ? Infinity : Math.exp((most.byEarlier[e] - peak) / slope) * (1 + CLEARLY);
        for (let f = begin; f < end; f++) {
          const u = x[f] - fromX;
          const w = y[f] - fromY;
          const q = spread(rule, u * u + w * w);
          if (q * save[f] > limit) continue;
          const cost = peak + slope * Math.log(q) - offset[f];
          if (most === null || (cost <= most.byLater[f] && cost <= most.byEarlier[e])) visit(f, cost);
        }
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
  const needed = new Uint8Array(tail.length);
  for (let e = 0; e < tail.length; e++) {
    const least = cost[e] + Math.min(0, leastIn[e]) + Math.min(0, leastOut[e]);
    if (least < death[tail[e]] + birth[head[e]] + CLEARLY) needed[e] = 1;
  }
  return needed;
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
