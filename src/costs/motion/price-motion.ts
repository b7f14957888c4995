import { type Detections, frameOfDetections } from "../../core/detections.js";
import { InputError } from "../../core/errors.js";
import { GrowingArray, marked, picked } from "../../core/growing-array.js";
import { sharedFloat64, sharedInt32, sharedUint32 } from "../../core/shared-arrays.js";
import type { PricedProblem } from "../../map/instance/priced.js";
import type { Counted } from "../sizes.js";
import { type Continuations, continuationsAfter, continuationsOf, countOf, narrowed } from "./continuations.js";
import { dropLimits, dropNeedless, LeastCosts } from "./least-costs.js";
import { type Links, linkCosts, type TrackCosts } from "./links.js";
import type { MotionModel } from "./model.js";

const MOST = 0xffffffff;

/** Triplets up to which they are found in one go. */
const MOST_LISTED = 4_000_000;

type CheapestCosts = Pick<LeastCosts, "into" | "out">;

/** Rounds in which links are dropped at most; in each what is dropped depends on links one further. */
export const DROP_ROUNDS = 3;

/** A priced problem over the detections and, for each link that spans frames, one more in each frame between. */
export interface PricedMotion extends PricedProblem {
  /** Detection that each one of the problem is, −1 for one between. */
  readonly origin: Int32Array;
  /** The links that are left, the first edge of each, and how many triplets were looked at. */
  readonly kept: Links;
  readonly edgeOf: Uint32Array;
  readonly considered: number;
}

/**
 * Prices links and continuations by the likelihood of whole tracks (docs/motion.md §1, §3):
 *
 *     C_e  = −ln prior(z_e) − ln P(seen again after G frames)
 *     D_ef = −ln step(z_f | z_e) + ln prior(z_f)
 *
 * Where tracks may start and end, what no best set of tracks needs is dropped before anything is stored: a link, or a continuation,
 * that costs at least as much as to end the track before it and to start another behind it. That leaves the optimum as it is.
 *
 * A link over G > 1 frames becomes a chain through G − 1 detections of its own (§5). What is not missed must cost nothing there, and half
 * a chain must never pay: so each part of the chain costs K more for each such detection at its ends, and the triplet through that gives
 * 2 K back, with K above all that half of the chain could save.
 * @throws InputError where there are more triplets than 32 bits can number
 */
export function priceMotion(
  detections: Detections,
  model: MotionModel,
  costs: TrackCosts,
  candidates: Links,
  counted: Counted = () => {},
): PricedMotion {
  const { ends } = costs;
  const count = detections.x.length;
  let cost = linkCosts(candidates, costs);
  let continuations = continuationsOf(count, candidates, model, costs);
  const considered = countOf(continuations);
  const all = new LeastCosts(continuations);
  const kept = new Uint8Array(cost.length).fill(1);
  for (let round = 0; ends !== null && round < DROP_ROUNDS; round++) {
    if (dropNeedless(continuations, cost, all, ends, kept) === 0) break;
    all.mend(kept);
  }
  const places = marked(kept);
  continuations = narrowed(continuations, places);
  cost = picked(cost, places);
  const least = { into: picked(all.into, places), out: picked(all.out, places) };
  return { ...store(detections, cost, continuations, least, ends, counted), kept: continuations.links, considered };
}

function store(
  { frames, frameStart, x }: Detections,
  cost: Float64Array,
  continuations: Continuations,
  least: CheapestCosts,
  ends: TrackCosts["ends"],
  counted: Counted,
): PricedProblem & Pick<PricedMotion, "origin" | "edgeOf"> {
  const { links, rules, runStart } = continuations;
  const { tail, head, span } = links;
  const frame = frameOfDetections(frameStart);

  // Detections between: those of a frame follow the real ones, in the order of their links.
  const between = new Uint32Array(frames);
  const firstOf = new Int32Array(tail.length).fill(-1);
  for (let e = 0; e < tail.length; e++) {
    if (span[e] === 1) continue;
    // Numbered within their frame for now; the others of a chain are found from the first by `nthOf`.
    for (let n = 1; n < span[e]; n++) between[frame[tail[e]] + n]++;
  }
  const start = sharedUint32(frames + 1);
  for (let p = 0; p < frames; p++) start[p + 1] = start[p] + frameStart[p + 1] - frameStart[p] + between[p];
  const renumbered = Uint32Array.from(x, (_, d) => d - frameStart[frame[d]] + start[frame[d]]);
  const origin = new Int32Array(start[frames]).fill(-1);
  renumbered.forEach((at, d) => {
    origin[at] = d;
  });
  const next = Uint32Array.from(between, (_, p) => start[p] + frameStart[p + 1] - frameStart[p]);
  /** The detections between of each chain, one after the other. */
  const chain: number[] = [];
  for (let e = 0; e < tail.length; e++) {
    if (span[e] === 1) continue;
    firstOf[e] = chain.length;
    for (let n = 1; n < span[e]; n++) chain.push(next[frame[tail[e]] + n]++);
  }

  // Edges in order of their tails: the links out of a detection first, then those on from detections between.
  const edges = tail.length + chain.length;
  const priced = { tail: sharedInt32(edges), head: sharedInt32(edges), cost: sharedFloat64(edges) };
  const edgeOf = new Uint32Array(tail.length);
  const lastEdgeOf = new Uint32Array(tail.length);
  const onward = new Int32Array(start[frames]).fill(-1);
  const chainOf = new Int32Array(start[frames]).fill(-1);
  for (let e = 0; e < tail.length; e++) {
    for (let n = 0; n + 1 < span[e]; n++) {
      const at = chain[firstOf[e] + n];
      chainOf[at] = e;
      onward[at] = n + 2 < span[e] ? chain[firstOf[e] + n + 1] : renumbered[head[e]];
    }
  }
  const guard = guardsOf(links, cost, least, ends);
  let edge = 0;
  for (let d = 0; d < origin.length; d++) {
    if (origin[d] >= 0) {
      const end = runStart[rules.length * (origin[d] + 1)];
      for (let e = runStart[rules.length * origin[d]]; e < end; e++) {
        edgeOf[e] = edge;
        if (span[e] === 1) lastEdgeOf[e] = edge;
        priced.tail[edge] = d;
        priced.head[edge] = span[e] === 1 ? renumbered[head[e]] : chain[firstOf[e]];
        priced.cost[edge++] = cost[e] + (span[e] === 1 ? 0 : guard[e]);
      }
      continue;
    }
    const e = chainOf[d];
    const last = origin[onward[d]] >= 0;
    if (last) lastEdgeOf[e] = edge;
    priced.tail[edge] = d;
    priced.head[edge] = onward[d];
    priced.cost[edge++] = last ? guard[e] : 2 * guard[e];
  }
  const most = ends === null ? null : dropLimits(continuations, cost, least, ends);
  const eachAfter = continuationsAfter(continuations, most);

  /** The link that ends with each edge, −1 for the other parts of chains. */
  const endsWith = new Int32Array(edges).fill(-1);
  for (let e = 0; e < lastEdgeOf.length; e++) endsWith[lastEdgeOf[e]] = e;
  const firstEdgeOut = firstEdges(priced.tail, origin.length);
  const visit = (at: number, emit: (f: number, cost: number) => void): void => {
    const e = endsWith[at];
    if (e >= 0) eachAfter(e, (f, value) => emit(edgeOf[f], value));
    else emit(firstEdgeOut[priced.head[at]], -2 * guard[chainOf[priced.head[at]]]);
  };
  // Few of the triplets that are looked at are kept. They are listed while they are counted, up to a number that any machine holds.
  const tripletStart = sharedUint32(edges + 1);
  const listed = { successor: new GrowingArray(Uint32Array), cost: new GrowingArray(Float64Array) };
  let total = 0;
  for (let at = 0; at < edges; at++) {
    visit(at, (f, value) => {
      if (total++ >= MOST_LISTED) return;
      listed.successor.push(f);
      listed.cost.push(value);
    });
    if (total > MOST) throw new InputError(`more than ${MOST} triplets pass the gate: choose a narrower one`);
    tripletStart[at + 1] = total;
  }
  counted({ detections: origin.length, links: edges, triplets: total });
  const successor = sharedUint32(total);
  const tripletCost = sharedFloat64(total);
  if (total <= MOST_LISTED) {
    successor.set(listed.successor.values);
    tripletCost.set(listed.cost.values);
  } else {
    let t = 0;
    for (let at = 0; at < edges; at++) {
      visit(at, (f, value) => {
        successor[t] = f;
        tripletCost[t++] = value;
      });
    }
  }
  const spread = (values: Float64Array): Float64Array => {
    const all = sharedFloat64(origin.length);
    origin.forEach((d, at) => {
      all[at] = d < 0 ? 0 : values[d];
    });
    return all;
  };
  return {
    links: { frameStart: start, ...priced },
    triplets: { kind: "csr", start: tripletStart, successor, cost: tripletCost },
    birthDeath: ends && { birth: spread(ends.birth), death: spread(ends.death) },
    origin,
    edgeOf,
  };
}

/** K of each link over several frames: above what either half of its chain could save against an end or a start. */
function guardsOf(
  { tail, head, span }: Links,
  cost: Float64Array,
  { into, out }: CheapestCosts,
  ends: TrackCosts["ends"],
): Float64Array {
  return cost.map((value, e) => {
    if (span[e] === 1 || ends === null) return 0;
    const behind = ends.birth[head[e]] - Math.min(0, out[e]);
    const before = ends.death[tail[e]] - Math.min(0, into[e]) - value;
    return 1 + Math.max(0, behind, before);
  });
}

/** The first edge out of each detection. */
function firstEdges(tail: Int32Array, detections: number): Uint32Array {
  const first = new Uint32Array(detections);
  for (let e = tail.length - 1; e >= 0; e--) first[tail[e]] = e;
  return first;
}
