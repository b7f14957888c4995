import { UNASSIGNED } from "../lap/lap.js";
import type { ImplicitTriplets, Instance } from "./instance.js";

/**
 * The proof, apart from every solver: a lower bound recomputed from the multipliers and the price of a set of tracks, both
 * in f64 with the rounding error counted against us. Any multipliers give a valid bound, so a device may find them in f32.
 */

/** Unit roundoff of f64. */
const ROUNDOFF = 2 ** -53;

export interface CertifiedBound {
  /** A lower bound on the cost of every set of tracks: exact arithmetic would give at least this. */
  readonly lowerBound: number;
  /** What was subtracted for rounding. */
  readonly roundingAllowance: number;
}

/**
 * L(v) bounded from below (docs/algorithm.md §4). `v` has one multiplier per edge, those of the first frame pair count as 0;
 * `columnDual` has one β per detection, found by whatever solver. With Δ_e = min_f (D_ef − v_f), Ĉ_e = C_e + v_e + Δ_e,
 * β_j cut to the birth's Ĉ and α_i = min_j (Ĉ_ij − β_j), also over the death's Ĉ, the sum Σα + Σβ is feasible for the dual
 * of every X-LAP, however v and β were found.
 *
 * An edge whose triplets are all forbidden cannot be used, except where tracks end with the recording.
 */
export function certifyBound(instance: Instance, v: Float64Array, columnDual: Float64Array): CertifiedBound {
  const { frames, frameStart, outStart, links, edges, head, cost, triplets } = instance;
  const open = edges > links;
  const lastFrame = frameStart[frames - 1];
  const deathOf = (detection: number): number => links + detection;
  const birthOf = (detection: number): number => links + lastFrame + detection - frameStart[1];

  let rounding = 0;
  /** Ĉ_e as computed; its possible rounding error is left in `error`. */
  let error = 0;
  const reducedCost = (e: number, inFirstPair: boolean): number => {
    let delta = 0;
    const entered = head[e];
    if (entered !== UNASSIGNED && entered < lastFrame) {
      delta = Number.POSITIVE_INFINITY;
      if (triplets.kind === "csr") {
        for (let t = triplets.start[e]; t < triplets.start[e + 1]; t++) {
          delta = Math.min(delta, triplets.cost[t] - v[triplets.successor[t]]);
        }
      } else {
        for (let f = outStart[entered]; f < outStart[entered + 1]; f++) {
          delta = Math.min(delta, implicitCost(triplets, links, e, f) - v[f]);
        }
        if (open) delta = Math.min(delta, -v[deathOf(entered)]);
      }
      if (delta === Number.POSITIVE_INFINITY) return delta;
    }
    const own = cost[e] + (inFirstPair ? 0 : v[e]);
    const total = own + delta;
    error = ROUNDOFF * (Math.abs(delta) + Math.abs(own) + Math.abs(total));
    return total;
  };

  let bound = 0;
  let magnitude = 0;
  for (let pair = 0; pair + 1 < frames; pair++) {
    const rows = frameStart[pair + 1];
    const columns = frameStart[pair + 2];
    const firstPair = pair === 0;
    const beta = columnDual.slice(rows, columns);
    let sum = 0;
    for (let j = rows; j < columns; j++) {
      if (open) {
        // A birth has no predecessor, so its multiplier is 0 in every pair.
        const unborn = reducedCost(birthOf(j), true);
        beta[j - rows] = Math.min(beta[j - rows], unborn);
        rounding += 2 * error;
      }
      sum += beta[j - rows];
      magnitude += Math.abs(beta[j - rows]);
    }
    for (let i = frameStart[pair]; i < rows; i++) {
      let alpha = Number.POSITIVE_INFINITY;
      let rowError = 0;
      if (open) {
        alpha = reducedCost(deathOf(i), firstPair);
        rowError = error;
      }
      for (let e = outStart[i]; e < outStart[i + 1]; e++) {
        const total = reducedCost(e, firstPair);
        if (total === Number.POSITIVE_INFINITY) continue;
        const slack = total - beta[head[e] - rows];
        rowError = Math.max(rowError, error + ROUNDOFF * Math.abs(slack));
        if (slack < alpha) alpha = slack;
      }
      if (alpha === Number.POSITIVE_INFINITY) return { lowerBound: alpha, roundingAllowance: 0 };
      sum += alpha;
      magnitude += Math.abs(alpha);
      rounding += 2 * rowError;
    }
    bound += sum;
  }
  // Summation: at most (terms of the longest pair + pairs) roundings act on any term.
  let longest = 0;
  for (let p = 0; p + 1 < frames; p++) longest = Math.max(longest, frameStart[p + 2] - frameStart[p]);
  rounding += 2 * ROUNDOFF * (longest + frames) * magnitude;
  return { lowerBound: bound - rounding, roundingAllowance: rounding };
}

export type PricedTracks =
  | {
      readonly status: "feasible";
      /** Cost of the tracks, rounded up by the possible rounding error of the sum. */
      readonly cost: number;
      /** What was added for rounding. */
      readonly roundingAllowance: number;
    }
  | { readonly status: "forbidden"; readonly triplet: readonly [number, number, number] };

/**
 * Prices a set of tracks given by the link each detection takes into the next frame (`linkOfRow`, UNASSIGNED where its
 * track ends). Checks that no detection is entered twice, that births and deaths are only used where the instance has them,
 * and that every triplet is allowed.
 * @throws Error when `linkOfRow` is not a set of tracks at all (a defect of the caller).
 */
export function priceTracks(instance: Instance, linkOfRow: Int32Array): PricedTracks {
  const { frames, frameStart, links, edges, tail, head, cost, triplets } = instance;
  const detections = frameStart[frames];
  const lastFrame = frameStart[frames - 1];
  const open = edges > links;
  const entering = new Int32Array(detections).fill(UNASSIGNED);
  let sum = 0;
  let magnitude = 0;
  const add = (value: number): void => {
    sum += value;
    magnitude += Math.abs(value);
  };
  for (let d = 0; d < lastFrame; d++) {
    const e = linkOfRow[d];
    if (e === UNASSIGNED) {
      if (!open) throw new Error(`detection ${d} ends its track, but the instance has no deaths`);
      add(cost[links + d]);
      continue;
    }
    if (e < 0 || e >= links || tail[e] !== d) throw new Error(`link ${e} does not leave detection ${d}`);
    if (entering[head[e]] !== UNASSIGNED) throw new Error(`detection ${head[e]} is entered by two tracks`);
    entering[head[e]] = e;
    add(cost[e]);
  }
  for (let d = lastFrame; d < detections; d++) {
    if (linkOfRow[d] !== UNASSIGNED) throw new Error(`detection ${d} of the last frame has link ${linkOfRow[d]}`);
  }
  for (let d = frameStart[1]; d < detections; d++) {
    let into = entering[d];
    if (into === UNASSIGNED) {
      if (!open) throw new Error(`detection ${d} starts a track, but the instance has no births`);
      into = links + lastFrame + d - frameStart[1];
      add(cost[into]);
    }
    if (d >= lastFrame) continue;
    const out = linkOfRow[d] === UNASSIGNED ? links + d : linkOfRow[d];
    if (triplets.kind === "implicit") {
      add(implicitCost(triplets, links, into, out));
      continue;
    }
    const row = triplets.successor.subarray(triplets.start[into], triplets.start[into + 1]);
    const found = row.indexOf(out);
    if (found < 0) {
      return { status: "forbidden", triplet: [tail[into], d, out >= links ? UNASSIGNED : head[out]] };
    }
    add(triplets.cost[triplets.start[into] + found]);
  }
  const terms = 2 * detections;
  const rounding = 2 * ROUNDOFF * terms * magnitude;
  return { status: "feasible", cost: sum + rounding, roundingAllowance: rounding };
}

/** D_ef of two edges that meet in a detection, 0 for births and deaths. */
function implicitCost({ rule, perLink: m }: ImplicitTriplets, links: number, e: number, f: number): number {
  if (e >= links || f >= links) return 0;
  if (rule === "absolute") return Math.abs(m[e] - m[f]);
  const dx = m[2 * e] - m[2 * f];
  const dy = m[2 * e + 1] - m[2 * f + 1];
  return dx * dx + dy * dy;
}
