import type { Detections } from "../../core/detections.js";
import { InputError } from "../../core/errors.js";
import { sharedFloat64, sharedInt32, sharedUint32 } from "../../core/shared-arrays.js";
import type { BirthDeathCosts, PricedLinks, StoredTriplets } from "../../map/instance/priced.js";
import { bindExpectation, type MotionModel } from "./model.js";
import { type BoundStudentT, bindStudentT } from "./student.js";

/** A link's candidates are at most so many, those with the highest prior. */
const NEAREST = 24;

/** What is dropped must be worse than its alternative by more than rounding. */
const CLEARLY = 1e-9;

const MOST = 0xffffffff;

export interface PricedMotion {
  readonly links: PricedLinks;
  readonly triplets: StoredTriplets;
  /** Candidates before those that no best set of tracks needs were dropped. */
  readonly considered: { readonly links: number; readonly triplets: number };
}

/** Links with what their costs are made of; numbered by (tail, head). */
interface Links {
  readonly tail: Int32Array;
  readonly head: Int32Array;
  /** −ln prior of z. */
  readonly prior: Float64Array;
  /** z. */
  readonly zx: Float64Array;
  readonly zy: Float64Array;
}

/**
 * Prices links and continuations by the likelihood of whole tracks (docs/algorithm.md §7.1):
 *
 *     C_e  = −ln prior(z_e) − ln(1 − p_end)
 *     D_ef = −ln step(z_f | z_e) + ln prior(z_f)
 *
 * Where tracks may start and end, what no best set of tracks needs is dropped before anything is stored: a link, or a continuation,
 * that costs at least as much as to end the track before it and to start another behind it. That leaves the optimum as it is.
 * @param ends costs of starts and ends, null where every detection must be linked in every frame pair
 * @param reach greatest length of a link from each detection; null for what the model allows
 * @throws InputError where there are more links or triplets than 32 bits can number
 */
export function priceMotion(
  detections: Detections,
  model: MotionModel,
  ends: BirthDeathCosts | null,
  reach: Float64Array | null,
): PricedMotion {
  const step = bindStudentT(model.step[0][0]);
  const rho = model.persistence[0][0];
  const goOn = -Math.log1p(-model.ends);
  let links = candidates(detections, model, ends, reach, step.peak);
  const considered = { links: links.tail.length, triplets: 0 };
  let continuations = continuationsOf(detections.x.length, links, step, rho);
  considered.triplets = continuations.count;
  for (let round = 0; ends !== null && round < 3; round++) {
    const { leastIn, leastOut } = continuations;
    const keep = links.tail.map((i, e) => {
      const most = ends.death[i] + ends.birth[links.head[e]];
      return links.prior[e] + goOn + Math.min(0, leastIn[e]) + Math.min(0, leastOut[e]) < most + CLEARLY ? 1 : 0;
    });
    const kept = keep.reduce((sum, one) => sum + one, 0);
    if (kept === keep.length) break;
    links = select(links, keep, kept);
    continuations = continuationsOf(detections.x.length, links, step, rho);
  }
  const priced = priceLinks(detections, links, goOn);
  return { links: priced, triplets: storeTriplets(links, priced, continuations, step, ends), considered };
}

/** Links within `reach` of each detection, or up to NEAREST that may be worth their cost beside the best of neighbours. */
function candidates(
  detections: Detections,
  model: MotionModel,
  ends: BirthDeathCosts | null,
  reach: Float64Array | null,
  bestStep: number,
): Links {
  const { frames, frameStart, x, y } = detections;
  const expectation = bindExpectation(detections, model);
  const prior = bindStudentT(model.prior[0]);
  const dearestBirth =
    ends === null ? Number.POSITIVE_INFINITY : ends.birth.reduce((a, b) => Math.max(a, b), -Infinity);
  const u = new Float64Array(2);
  const tail: number[] = [];
  const head: number[] = [];
  const cost: number[] = [];
  const zx: number[] = [];
  const zy: number[] = [];
  const found: { j: number; cost: number; zx: number; zy: number }[] = [];
  for (let p = 0; p + 1 < frames; p++) {
    for (let i = frameStart[p]; i < frameStart[p + 1]; i++) {
      found.length = 0;
      // A link saves an end and a start, and each neighbour may save as much less the best continuation; half of one is granted.
      const cut = ends === null ? Number.POSITIVE_INFINITY : ends.death[i] + dearestBirth;
      const most = cut + 0.5 * Math.max(0, cut - bestStep);
      const square = reach === null ? Math.expm1((most - prior.peak) / prior.slope) : Number.POSITIVE_INFINITY;
      for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) {
        const dx = x[j] - x[i];
        const dy = y[j] - y[i];
        if (reach !== null && !(dx * dx + dy * dy < reach[i] * reach[i])) continue;
        expectation(i, j, u);
        const wx = prior.a * (dx - u[0]);
        const wy = prior.b * (dx - u[0]) + prior.c * (dy - u[1]);
        const q = wx * wx + wy * wy;
        if (q <= square) {
          found.push({ j, cost: prior.peak + prior.slope * Math.log1p(q), zx: dx - u[0], zy: dy - u[1] });
        }
      }
      if (ends !== null && reach === null && found.length > NEAREST) {
        found.sort((one, other) => one.cost - other.cost || one.j - other.j);
        found.length = NEAREST;
        found.sort((one, other) => one.j - other.j);
      }
      for (const link of found) {
        tail.push(i);
        head.push(link.j);
        cost.push(link.cost);
        zx.push(link.zx);
        zy.push(link.zy);
      }
    }
  }
  return {
    tail: Int32Array.from(tail),
    head: Int32Array.from(head),
    prior: Float64Array.from(cost),
    zx: Float64Array.from(zx),
    zy: Float64Array.from(zy),
  };
}

/** Which links follow which, and the cheapest D into and out of each; Infinity where there is none. */
interface Continuations {
  readonly outStart: Uint32Array;
  readonly leastIn: Float64Array;
  readonly leastOut: Float64Array;
  /** Whitened z of each link as the later one, and ρ z as the earlier one. */
  readonly later: Float64Array;
  readonly earlier: Float64Array;
  /** E_f of each link: D_ef = peak + slope · ln((1 + q) / E_f), so that costs of one e compare without a logarithm. */
  readonly scale: Float64Array;
  readonly count: number;
}

function continuationsOf(detections: number, links: Links, step: BoundStudentT, rho: number): Continuations {
  const { tail, head, prior, zx, zy } = links;
  const count = tail.length;
  const outStart = new Uint32Array(detections + 1);
  for (const i of tail) outStart[i + 1]++;
  for (let d = 0; d < detections; d++) outStart[d + 1] += outStart[d];
  const later = new Float64Array(2 * count);
  for (let e = 0; e < count; e++) {
    later[2 * e] = step.a * zx[e];
    later[2 * e + 1] = step.b * zx[e] + step.c * zy[e];
  }
  const earlier = later.map((value) => rho * value);
  const scale = prior.map((value) => Math.exp(value / step.slope));
  const leastIn = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
  const leastOut = new Float64Array(count);
  let triplets = 0;
  for (let e = 0; e < count; e++) {
    const begin = outStart[head[e]];
    const end = outStart[head[e] + 1];
    triplets += end - begin;
    let least = Number.POSITIVE_INFINITY;
    for (let f = begin; f < end; f++) {
      const du = later[2 * f] - earlier[2 * e];
      const dw = later[2 * f + 1] - earlier[2 * e + 1];
      const q = 1 + du * du + dw * dw;
      if (q < leastIn[f]) leastIn[f] = q;
      if (q < least * scale[f]) least = q / scale[f];
    }
    leastOut[e] = step.peak + step.slope * Math.log(least);
  }
  for (let f = 0; f < count; f++) leastIn[f] = step.peak + step.slope * Math.log(leastIn[f]) - prior[f];
  return { outStart, leastIn, leastOut, later, earlier, scale, count: triplets };
}

function select({ tail, head, prior, zx, zy }: Links, keep: Int32Array, kept: number): Links {
  const chosen = {
    tail: new Int32Array(kept),
    head: new Int32Array(kept),
    prior: new Float64Array(kept),
    zx: new Float64Array(kept),
    zy: new Float64Array(kept),
  };
  let n = 0;
  for (let e = 0; e < keep.length; e++) {
    if (keep[e] === 0) continue;
    chosen.tail[n] = tail[e];
    chosen.head[n] = head[e];
    chosen.prior[n] = prior[e];
    chosen.zx[n] = zx[e];
    chosen.zy[n] = zy[e];
    n++;
  }
  return chosen;
}

function priceLinks(detections: Detections, { tail, head, prior }: Links, goOn: number): PricedLinks {
  const links = {
    frameStart: sharedUint32(detections.frameStart.length),
    tail: sharedInt32(tail.length),
    head: sharedInt32(tail.length),
    cost: sharedFloat64(tail.length),
  };
  links.frameStart.set(detections.frameStart);
  links.tail.set(tail);
  links.head.set(head);
  for (let e = 0; e < tail.length; e++) links.cost[e] = prior[e] + goOn;
  return links;
}

/** Stores the continuations that some best set of tracks may need, all where tracks may not end. */
function storeTriplets(
  { head, tail, prior }: Links,
  { cost }: PricedLinks,
  { outStart, leastIn, leastOut, later, earlier, scale }: Continuations,
  step: BoundStudentT,
  ends: BirthDeathCosts | null,
): StoredTriplets {
  const links = tail.length;
  // D_ef is kept up to what the cut behind f's tail, or before e's head, comes to: as limits of 1 + q.
  const limitOf = (most: number) => Math.exp((most + CLEARLY - step.peak) / step.slope);
  const limitIn = new Float64Array(links).fill(Number.POSITIVE_INFINITY);
  const limitOut = new Float64Array(links).fill(Number.POSITIVE_INFINITY);
  for (let e = 0; ends !== null && e < links; e++) {
    const cut = ends.death[tail[e]] + ends.birth[head[e]];
    limitIn[e] = limitOf(cut - cost[e] - Math.min(0, leastOut[e])) * scale[e];
    limitOut[e] = limitOf(cut - cost[e] - Math.min(0, leastIn[e]));
  }
  /** Calls `emit` for each continuation of e that is kept, with 1 + q. */
  const visit = (e: number, emit: (f: number, q: number) => void): void => {
    for (let f = outStart[head[e]], end = outStart[head[e] + 1]; f < end; f++) {
      const du = later[2 * f] - earlier[2 * e];
      const dw = later[2 * f + 1] - earlier[2 * e + 1];
      const q = 1 + du * du + dw * dw;
      if (q <= limitIn[f] && q <= limitOut[e] * scale[f]) emit(f, q);
    }
  };
  const start = sharedUint32(links + 1);
  let total = 0;
  for (let e = 0; e < links; e++) {
    visit(e, () => {
      total++;
    });
    if (total > MOST) throw new InputError(`more than ${MOST} triplets pass the gate: choose a narrower one`);
    start[e + 1] = total;
  }
  const successor = sharedUint32(total);
  const tripletCost = sharedFloat64(total);
  let t = 0;
  for (let e = 0; e < links; e++) {
    visit(e, (f, q) => {
      successor[t] = f;
      tripletCost[t] = step.peak + step.slope * Math.log(q) - prior[f];
      t++;
    });
  }
  return { kind: "csr", start, successor, cost: tripletCost };
}
