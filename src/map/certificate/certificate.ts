import { UNASSIGNED } from "../../lap/lap.js";
import { type Graph, type ImplicitTriplets, tripletCost } from "../instance/instance.js";
import { type TripletRule, tripletRule } from "../instance/triplet-rules.js";
import { CompensatedSum, ROUNDOFF } from "./compensated-sum.js";
import { certifySurcharge } from "./surcharge.js";

/**
 * The proof, which shares no code with the solvers: a lower bound recomputed from the multipliers and the price of a set of tracks, both
 * in f64 with the rounding error counted against us. Any multipliers give a valid bound, so a device may find them in f32.
 */

export interface CertifiedBound {
  /**
   * A lower bound on the cost of every set of tracks. −Infinity, no bound, where a multiplier or dual is no finite number or
   * a sum overflows; Infinity where some detection can take no edge.
   */
  readonly lowerBound: number;
  /** The same in the costs that are computed with, which leave out what is beyond any saving; `lowerBound` itself where nothing was left out. */
  readonly computed: number;
  /** What the bound gives up for rounding: exact arithmetic on the same multipliers and duals gives at most this much more. 0 without a bound. */
  readonly roundingAllowance: number;
}

const NO_BOUND: CertifiedBound = {
  lowerBound: Number.NEGATIVE_INFINITY,
  computed: Number.NEGATIVE_INFINITY,
  roundingAllowance: 0,
};

/**
 * Bounds L(v) from below (docs/explanation/mathematics.md §4). `v` has one multiplier per edge, of which those of the first frame pair count as 0;
 * `columnDual` has one β per detection, found by any solver. With Δ_e = min_f (D_ef − v_f), Ĉ_e = C_e + v_e + Δ_e,
 * β_j cut to the birth's Ĉ and α_i = min_j (Ĉ_ij − β_j), also over the death's Ĉ, the sum Σα + Σβ is feasible for the dual
 * of every X-LAP, however v and β were found. Every entry of these minima first gives up what rounding may have added to it.
 *
 * An edge whose triplets are all forbidden cannot be used, except where tracks end with the recording.
 */
export function certifyBound(graph: Graph, v: Float64Array, columnDual: Float64Array): CertifiedBound {
  const bound = new CompensatedSum();
  const given = addPairBounds(graph, v, columnDual, [0, graph.frames - 1], [bound]);
  if (given === null) return NO_BOUND;
  if (given === "impossible") {
    return { lowerBound: Number.POSITIVE_INFINITY, computed: Number.POSITIVE_INFINITY, roundingAllowance: 0 };
  }
  const { lower: computed } = bound;
  if (computed === Number.NEGATIVE_INFINITY) return NO_BOUND;
  // Doubled, since the exact entry may lie as far above the computed one as below it.
  return { ...stateBound(graph, computed), roundingAllowance: 2 * (given + bound.allowance) };
}

/**
 * What frame pairs `from` … `to` − 1 add to the bound, term by term to each of `sums`: L(v) is a sum over frame pairs, so those of a
 * recording may be counted window by window, as long as windows agree on the multipliers at their borders (docs/explanation/mathematics.md §4.1).
 * @returns what was given up for rounding; null where the numbers prove nothing, "impossible" where some detection can take no edge
 */
export function addPairBounds(
  graph: Graph,
  v: Float64Array,
  columnDual: Float64Array,
  [from, to]: readonly [number, number],
  sums: readonly CompensatedSum[],
): number | null | "impossible" {
  const { frames, frameStart, links, edges, linkStart, linkEnd, deathOf, birthOf, tail, head, cost, triplets } = graph;
  const hasBirths = edges > links;
  const lastFrame = frameStart[frames - 1];

  const outwards =
    triplets.kind === "implicit" && tripletRule(triplets.rule).minimum === "sweep"
      ? inOrderOfM(graph, triplets, v)
      : null;

  /** Δ_e as computed, Infinity where nothing may follow e, NaN where only an overflow makes it infinite. */
  const continuation = (e: number): number => {
    const entered = head[e];
    if (entered === UNASSIGNED || entered >= lastFrame) return 0;
    let delta = Number.POSITIVE_INFINITY;
    let forbidden = true;
    if (triplets.kind === "csr") {
      const end = triplets.start[e + 1];
      for (let t = triplets.start[e]; t < end; t++) {
        delta = Math.min(delta, triplets.cost[t] - v[triplets.successor[t]]);
      }
      forbidden = triplets.start[e] === end;
    } else {
      const begin = linkStart[entered];
      const end = linkEnd[entered];
      const m = triplets.perEdge;
      if (
        tail[e] !== UNASSIGNED &&
        outwards !== null &&
        outwards.highest[entered] < Infinity &&
        Number.isFinite(m[e])
      ) {
        delta = leastOutwards(outwards, begin, end, m[e], outwards.highest[entered]);
      } else {
        const rule = tripletRule(triplets.rule);
        for (let f = begin; f < end; f++) delta = Math.min(delta, implicitCost(graph, rule, m, e, f) - v[f]);
      }
      if (hasBirths) delta = Math.min(delta, -v[deathOf[entered]]);
      forbidden = !hasBirths && begin === end;
    }
    return forbidden || delta < Number.POSITIVE_INFINITY ? delta : Number.NaN;
  };

  /** The amount that `slack` took off for rounding. */
  let allowance = 0;
  /** At most Ĉ_e − dual; Infinity where e cannot be used, −Infinity where the numbers prove nothing. */
  const slack = (e: number, dual: number, firstPair: boolean): number => {
    const delta = continuation(e);
    if (delta === Number.POSITIVE_INFINITY) return delta;
    const own = cost[e] + (firstPair ? 0 : v[e]);
    const reduced = own + delta;
    const computed = reduced - dual;
    allowance = 3 * ROUNDOFF * (Math.abs(delta) + Math.abs(own) + Math.abs(reduced) + Math.abs(computed));
    const least = computed - allowance;
    return Number.isNaN(least) ? Number.NEGATIVE_INFINITY : least;
  };

  const add = (value: number): void => {
    for (const sum of sums) sum.add(value);
  };
  let given = 0;
  for (let pair = from; pair < to; pair++) {
    const rows = frameStart[pair + 1];
    const columns = frameStart[pair + 2];
    const firstPair = pair === 0;
    const beta = columnDual.slice(rows, columns);
    for (let j = rows; j < columns; j++) {
      if (!Number.isFinite(beta[j - rows])) return null;
      if (hasBirths) {
        // A birth has no predecessor, so its multiplier is 0 in every pair.
        const unborn = slack(birthOf[j], 0, true);
        if (unborn < beta[j - rows]) {
          beta[j - rows] = unborn;
          given += allowance;
        }
      }
      add(beta[j - rows]);
    }
    for (let i = frameStart[pair]; i < rows; i++) {
      let alpha = Number.POSITIVE_INFINITY;
      let ofAlpha = 0;
      if (hasBirths) {
        alpha = slack(deathOf[i], 0, firstPair);
        ofAlpha = allowance;
      }
      for (let e = linkStart[i]; e < linkEnd[i]; e++) {
        const least = slack(e, beta[head[e] - rows], firstPair);
        if (least < alpha) {
          alpha = least;
          ofAlpha = allowance;
        }
      }
      if (alpha === Number.POSITIVE_INFINITY) return "impossible";
      add(alpha);
      given += ofAlpha;
    }
  }
  return given;
}

/** A bound in the costs that are computed with, and the bound in the stated costs that follows from it. */
export function stateBound(graph: Graph, computed: number): Omit<CertifiedBound, "roundingAllowance"> {
  if (graph.surcharge === null || !Number.isFinite(computed)) return { lowerBound: computed, computed };
  const sum = new CompensatedSum();
  sum.add(computed);
  sum.add(certifySurcharge(graph).least);
  return { lowerBound: sum.lower, computed };
}

/** Links out of each detection by m, for `leastOutwards`. */
interface Outwards {
  /** m and v of the links in that order; length edges. */
  readonly m: Float64Array;
  readonly v: Float64Array;
  /** The highest v out of each detection; NaN where one is NaN, or where the links are not listed once each in order of m. */
  readonly highest: Float64Array;
}

function inOrderOfM({ edges, linkStart, linkEnd }: Graph, triplets: ImplicitTriplets, v: Float64Array): Outwards {
  const { perEdge: m, outByM } = triplets;
  const ordered = { m: new Float64Array(edges), v: new Float64Array(edges) };
  const highest = new Float64Array(linkStart.length).fill(Number.NEGATIVE_INFINITY);
  for (let d = 0; d < highest.length; d++) {
    const begin = linkStart[d];
    const end = linkEnd[d];
    for (let k = begin; k < end; k++) {
      const f = outByM[k];
      ordered.m[k] = m[f];
      ordered.v[k] = v[f];
      const last = k === begin ? -1 : outByM[k - 1];
      const follows = last < 0 || m[last] < m[f] || (m[last] === m[f] && last < f);
      const inOrder = follows && !Number.isNaN(m[f]) && f >= begin && f < end;
      highest[d] = inOrder ? Math.max(highest[d], v[f]) : Number.NaN;
      if (Number.isNaN(highest[d])) break;
    }
  }
  return { ...ordered, highest };
}

/**
 * The least computed |m_e − m_f| − v_f over the links f from `begin` to `end`. The search goes from m_e = `from` outwards to both sides, and no
 * farther than where the distance less the highest v is no gain: rounding keeps the order, so links beyond give no lower value.
 */
function leastOutwards({ m, v }: Outwards, begin: number, end: number, from: number, highest: number): number {
  let middle = begin;
  for (let high = end; middle < high; ) {
    const k = (middle + high) >>> 1;
    if (m[k] < from) middle = k + 1;
    else high = k;
  }
  let least = Number.POSITIVE_INFINITY;
  for (let k = middle; k < end; k++) {
    const distance = m[k] - from;
    if (distance - highest >= least) break;
    if (distance - v[k] < least) least = distance - v[k];
  }
  for (let k = middle - 1; k >= begin; k--) {
    const distance = from - m[k];
    if (distance - highest >= least) break;
    if (distance - v[k] < least) least = distance - v[k];
  }
  return least;
}

export type PricedTracks =
  | {
      readonly status: "feasible";
      /** Cost of the tracks as stated, rounded up by the possible rounding error of the sum; Infinity where it overflows. */
      readonly cost: number;
      /** The same in the costs that are computed with; `cost` itself where nothing was left out of them. */
      readonly computed: number;
      /** At most the exact cost in the costs that are computed with. */
      readonly least: number;
      /** The cost left out beyond the least that any set of tracks has left out; 0 where nothing was left out. */
      readonly beyond: number;
      /**
       * The sum of magnitudes of the terms of `computed`: of its links, its triplets, and the births and deaths of each frame pair together, since a κ
       * that is added to the one and taken off the other is no cost.
       */
      readonly magnitude: number;
      /** The amount added to `computed` for rounding. */
      readonly roundingAllowance: number;
    }
  | { readonly status: "forbidden"; readonly triplet: readonly [number, number, number] };

/** The reason why links, one a detection, are no set of tracks of the instance; null where they are one, allowed or not. */
export function refuteTracks(graph: Graph, linkOfRow: Int32Array): string | null {
  const { frames, frameStart, links, edges, tail, head } = graph;
  const detections = frameStart[frames];
  const lastFrame = frameStart[frames - 1];
  const hasBirths = edges > links;
  const entered = new Uint8Array(detections);
  for (let d = 0; d < lastFrame; d++) {
    const e = linkOfRow[d];
    if (e === UNASSIGNED) {
      if (!hasBirths) return `detection ${d} ends its track, but the instance has no deaths`;
      continue;
    }
    if (tail[e] !== d || head[e] === UNASSIGNED) return `link ${e} does not leave detection ${d}`;
    if (entered[head[e]] === 1) return `detection ${head[e]} is entered by two tracks`;
    entered[head[e]] = 1;
  }
  for (let d = lastFrame; d < detections; d++) {
    if (linkOfRow[d] !== UNASSIGNED) return `detection ${d} of the last frame has link ${linkOfRow[d]}`;
  }
  for (let d = frameStart[1]; d < detections; d++) {
    if (entered[d] === 0 && !hasBirths) return `detection ${d} starts a track, but the instance has no births`;
  }
  return null;
}

/**
 * Prices a set of tracks given by the link each detection takes into the next frame (`linkOfRow`, UNASSIGNED where its
 * track ends). Checks that no detection is entered twice, that births and deaths are only used where the instance has them,
 * and that every triplet is allowed.
 * @throws Error when `linkOfRow` is not a set of tracks at all (a defect of the caller).
 */
export function priceTracks(graph: Graph, linkOfRow: Int32Array): PricedTracks {
  const why = refuteTracks(graph, linkOfRow);
  if (why !== null) throw new Error(why);
  const { frames, frameStart, deathOf, birthOf, tail, head, cost, triplets, surcharge } = graph;
  const detections = frameStart[frames];
  const lastFrame = frameStart[frames - 1];
  const entering = new Int32Array(detections).fill(UNASSIGNED);
  const total = new CompensatedSum();
  const computed = new CompensatedSum();
  let magnitude = 0;
  const add = (value: number): void => {
    total.add(value);
    computed.add(value);
    magnitude += Math.abs(value);
  };
  /** Births and deaths of each frame pair by its first frame's number, as they are computed with. */
  const ends = new Float64Array(frames);
  let frame = 0;
  const addEnd = (e: number, pair: number): void => {
    total.add(surcharge === null ? cost[e] : surcharge.stated[e]);
    computed.add(cost[e]);
    ends[pair] += cost[e];
  };
  for (let d = 0; d < lastFrame; d++) {
    while (d >= frameStart[frame + 1]) frame++;
    const e = linkOfRow[d];
    if (e === UNASSIGNED) {
      addEnd(deathOf[d], frame);
      continue;
    }
    entering[head[e]] = e;
    add(cost[e]);
  }
  frame = 1;
  for (let d = frameStart[1]; d < detections; d++) {
    while (d >= frameStart[frame + 1]) frame++;
    let into = entering[d];
    if (into === UNASSIGNED) {
      into = birthOf[d];
      addEnd(into, frame - 1);
    }
    if (d >= lastFrame) continue;
    const out = linkOfRow[d] === UNASSIGNED ? deathOf[d] : linkOfRow[d];
    if (triplets.kind === "implicit") {
      add(implicitCost(graph, tripletRule(triplets.rule), triplets.perEdge, into, out));
      continue;
    }
    let found = triplets.start[into];
    const end = triplets.start[into + 1];
    while (found < end && triplets.successor[found] !== out) found++;
    if (found === end) {
      return { status: "forbidden", triplet: [tail[into], d, head[out]] };
    }
    add(triplets.cost[found]);
  }
  for (const value of ends) magnitude += Math.abs(value);
  const { upper } = total;
  const least = computed.upper - 2 * computed.allowance;
  return {
    status: "feasible",
    cost: upper,
    computed: computed.upper,
    least: least - 2 * ROUNDOFF * Math.abs(least),
    beyond: certifySurcharge(graph).beyondLeast(linkOfRow),
    magnitude,
    roundingAllowance: computed.allowance,
  };
}

/**
 * What frame pairs `from` … `to` − 1 cost, term by term to each of `sums`: their links, the deaths before and the births after them, and the
 * triplets that begin with these. The tracks must go on to frame `to`, unless that is the last. For instances without surcharge.
 * @returns the triplet that is forbidden, null if none is
 */
export function addPairCosts(
  graph: Graph,
  linkOfRow: Int32Array,
  [from, to]: readonly [number, number],
  sums: readonly CompensatedSum[],
): readonly [number, number] | null {
  const { frames, frameStart, deathOf, birthOf, tail, head, cost } = graph;
  if (graph.surcharge !== null) throw new Error("births and deaths are not computed with as they were stated");
  const lastFrame = frameStart[frames - 1];
  const add = (value: number): void => {
    for (const sum of sums) sum.add(value);
  };
  for (let pair = from; pair < to; pair++) {
    const [rows, columns, end] = [frameStart[pair], frameStart[pair + 1], frameStart[pair + 2]];
    const into = birthOf.slice(columns, end);
    for (let i = rows; i < columns; i++) {
      const e = linkOfRow[i];
      if (e === UNASSIGNED) add(cost[deathOf[i]]);
      else {
        if (tail[e] !== i || head[e] === UNASSIGNED) throw new Error(`link ${e} does not leave detection ${i}`);
        if (into[head[e] - columns] !== birthOf[head[e]])
          throw new Error(`detection ${head[e]} is entered by two tracks`);
        into[head[e] - columns] = e;
      }
    }
    for (let j = columns; j < end; j++) {
      const e = into[j - columns];
      add(cost[e]);
      if (j >= lastFrame) continue;
      const f = linkOfRow[j] === UNASSIGNED ? deathOf[j] : linkOfRow[j];
      const between = tripletCost(graph, e, f);
      if (between === Number.POSITIVE_INFINITY) return [e, f];
      add(between);
    }
  }
  return null;
}

/** D_ef of two edges that meet in a detection, 0 for births and deaths; m the numbers of the links. */
function implicitCost(
  { tail, head }: Graph,
  { width, cost }: TripletRule,
  m: Float64Array,
  e: number,
  f: number,
): number {
  return tail[e] === UNASSIGNED || head[f] === UNASSIGNED ? 0 : cost(m, width * e, width * f);
}
