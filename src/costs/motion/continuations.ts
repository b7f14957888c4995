import { longestRow } from "../../core/rows.js";
import {
  expectedX,
  expectedY,
  laterX,
  laterY,
  type Points,
  pointsOf,
  putFalloffs,
  type Rule,
  rulesOf,
} from "./falloffs.js";
import type { Links, TrackCosts } from "./links.js";
import type { MotionModel } from "./model.js";

/** A link or triplet is dropped only where it is worse than its alternative by more than this rounding. */
export const CLEARLY = 1e-9;

/** The links of a problem as later links after one of a given span: whitened deviations, and savings of each. */
export interface Whitened extends Points {
  /** e^{−offset_f / slope}: within a rule costs compare as falloff times saving, without a logarithm. */
  readonly saving: Float64Array;
}

/**
 * Links that may follow one another. With the falloff of the squared distance of the whitened deviations (student.ts),
 *
 *     D_ef = peak + slope · ln falloff − offset_f,    offset_f = −ln prior(z_f) + the saving of a single at the detection between.
 */
export interface Continuations {
  readonly links: Links;
  /** By span of the earlier link, and of the later one, less 1. */
  readonly rules: readonly (readonly Rule[])[];
  readonly offset: Float64Array;
  /** By span of the earlier link, less 1. Valid for the links that may follow a link of that span. */
  readonly whitened: readonly Whitened[];
  /** Links out of detection d of span b + 1: those from runStart[spans · d + b] to before the next entry; length detections · spans + 1. */
  readonly runStart: Uint32Array;
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
    const points = pointsOf(count);
    const saving = new Float64Array(count);
    // Links over several frames are few, and only the links that may follow one of them are needed.
    const isHead = new Uint8Array(detections);
    for (let e = 0; e < count; e++) if (span[e] === earlier + 1) isHead[head[e]] = 1;
    for (let f = 0; f < count; f++) {
      if (isHead[tail[f]] === 0) continue;
      const rule = row[span[f] - 1];
      points.x[f] = laterX(rule, zx[f]);
      points.y[f] = laterY(rule, zx[f], zy[f]);
      saving[f] = Math.exp(-offset[f] / rule.slope);
    }
    return { ...points, saving };
  });
  return { links, rules, offset, whitened, runStart: runsOf(links, detections, rules.length) };
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

/** Greatest D_ef that some best set of tracks may need. */
export interface DropLimits {
  /** By f, and by e. */
  readonly byLater: Float64Array;
  readonly byEarlier: Float64Array;
}

/** A function that calls `visit` with each f after e, in order, and with D_ef, where that is within the limits; null sets none. */
export function continuationsAfter(continuations: Continuations, most: DropLimits | null) {
  const { links, rules, offset, whitened, runStart } = continuations;
  const { head, span, zx, zy } = links;
  const falloffs = new Float64Array(longestRow(runStart));
  return (e: number, visit: (f: number, cost: number) => void): void => {
    const row = rules[span[e] - 1];
    const later = whitened[span[e] - 1];
    for (let b = 0; b < row.length; b++) {
      const begin = runStart[row.length * head[e] + b];
      const end = runStart[row.length * head[e] + b + 1];
      if (begin === end) continue;
      const { peak, slope } = row[b];
      const [x, y] = [zx[e], zy[e]];
      putFalloffs(row[b], expectedX(row[b], x, y), expectedY(row[b], x, y), later, begin, end, falloffs);
      // The limit of falloff times saving, with room for its rounding: the cost of every pair that passes is computed and compared again.
      const limit = most === null ? Infinity : Math.exp((most.byEarlier[e] - peak) / slope) * (1 + CLEARLY);
      for (let f = begin; f < end; f++) {
        const q = falloffs[f - begin];
        if (q * later.saving[f] > limit) continue;
        const cost = peak + slope * Math.log(q) - offset[f];
        if (most === null || (cost <= most.byLater[f] && cost <= most.byEarlier[e])) visit(f, cost);
      }
    }
  };
}
