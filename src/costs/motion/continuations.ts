import { picked } from "../../core/growing-array.js";
import { type Links, pickLinks, type TrackCosts } from "./links.js";
import type { MotionModel } from "./model.js";
import { type BoundStudentT, bindStudentT, spread } from "./student.js";

/** A link or triplet is dropped only where it is worse than its alternative by more than this rounding. */
export const CLEARLY = 1e-9;

/** The density of a later link of one span after an earlier one of another. */
export interface Rule extends BoundStudentT {
  /** ρ_ab / a. */
  readonly rho: number;
}

/** What the links of a problem are as later links after one of a given span, each of length links. */
export interface Whitened {
  /** Whitened deviations. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** e^{−offset_f / slope}: costs of one rule compare as q times that, without a logarithm. */
  readonly saving: Float64Array;
}

/**
 * Links that may follow one another. With q the spread of the squared distance of the whitened deviations (student.ts),
 *
 *     D_ef = peak + slope · ln q − offset_f,    offset_f = −ln prior(z_f) + what a single saves at the detection between.
 */
export interface Continuations {
  readonly links: Links;
  /** By span of the earlier link, and of the later one, less 1. */
  readonly rules: readonly (readonly Rule[])[];
  readonly offset: Float64Array;
  /** By span of the earlier link, less 1; of the links that may follow such a one. */
  readonly whitened: readonly Whitened[];
  /** Links out of detection d of span b + 1: those from runStart[spans · d + b] to before the next entry; length detections · spans + 1. */
  readonly runStart: Uint32Array;
}

/** By span of the earlier link, and of the later one, less 1. */
export function rulesOf({ step, persistence }: MotionModel): Rule[][] {
  return step.map((row, a) => row.map((of, b) => ({ ...bindStudentT(of), rho: persistence[a][b] / (a + 1) })));
}

export function continuationsOf(
  detections: number,
  links: Links,
  model: MotionModel,
  { single }: TrackCosts,
): Continuations {
  const { tail, head, span, prior, zx, zy } = links;
  const count = tail.length;
  const longest = span.reduce((most, frames) => Math.max(most, frames), 1);
  const rules = rulesOf(model)
    .slice(0, longest)
    .map((row) => row.slice(0, longest));
  const offset = new Float64Array(count);
  for (let f = 0; f < count; f++) offset[f] = prior[f] + single[tail[f]];
  const whitened = rules.map((row, earlier) => {
    const [x, y, saving] = [new Float64Array(count), new Float64Array(count), new Float64Array(count)];
    // Links over several frames are few: only what may follow one of them is needed.
    const isHead = new Uint8Array(detections);
    for (let e = 0; e < count; e++) if (span[e] === earlier + 1) isHead[head[e]] = 1;
    const whiten = (f: number): void => {
      const { a, b, c, slope } = row[span[f] - 1];
      x[f] = a * zx[f];
      y[f] = b * zx[f] + c * zy[f];
      saving[f] = Math.exp(-offset[f] / slope);
    };
    for (let f = 0; f < count; f++) if (isHead[tail[f]] === 1) whiten(f);
    return { x, y, saving };
  });
  return { links, rules, offset, whitened, runStart: runsOf(links, detections, rules.length) };
}

/** The continuations of some of the links, at increasing places. */
export function narrowed(
  { links, rules, offset, whitened, runStart }: Continuations,
  places: Uint32Array,
): Continuations {
  const kept = pickLinks(links, places);
  return {
    links: kept,
    rules,
    offset: picked(offset, places),
    whitened: whitened.map(({ x, y, saving }) => ({
      x: picked(x, places),
      y: picked(y, places),
      saving: picked(saving, places),
    })),
    runStart: runsOf(kept, (runStart.length - 1) / rules.length, rules.length),
  };
}

/** runStart of links; those out of a detection come in order of their spans. */
export function runsOf({ tail, span }: Pick<Links, "tail" | "span">, detections: number, spans: number): Uint32Array {
  const runStart = new Uint32Array(spans * detections + 1);
  for (let f = 0; f < tail.length; f++) runStart[spans * tail[f] + span[f]]++;
  for (let run = 0; run + 1 < runStart.length; run++) runStart[run + 1] += runStart[run];
  return runStart;
}

/** The number of pairs of links of which one may follow the other. */
export function countOf({ links: { head }, rules, runStart }: Continuations): number {
  const spans = rules.length;
  let count = 0;
  for (let e = 0; e < head.length; e++) count += runStart[spans * (head[e] + 1)] - runStart[spans * head[e]];
  return count;
}

/** Greatest D_ef that some best set of tracks may need: by the later link, and by the earlier one. */
export interface DropLimits {
  readonly byLater: Float64Array;
  readonly byEarlier: Float64Array;
}

/** Calls `visit` for each f after e whose cost is within the limits, all where these are null, in order, with D_ef. */
export function eachAfter(
  { links, rules, offset, whitened, runStart }: Continuations,
  e: number,
  most: DropLimits | null,
  visit: (f: number, cost: number) => void,
): void {
  const { head, span, zx, zy } = links;
  const before = span[e] - 1;
  const { x, y, saving } = whitened[before];
  const spans = rules.length;
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
      if (q * saving[f] > limit) continue;
      const cost = peak + slope * Math.log(q) - offset[f];
      if (most === null || (cost <= most.byLater[f] && cost <= most.byEarlier[e])) visit(f, cost);
    }
  }
}
