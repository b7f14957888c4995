import { UNASSIGNED } from "../../lap/lap.js";
import type { Graph, ImplicitTriplets, StoredTriplets } from "../instance/instance.js";
import { tripletRule } from "../instance/triplet-rules.js";

/** Δ_e = min_f (D_ef − v_f) as computed: Infinity where nothing may follow e, NaN where only an overflow makes it infinite. */
export type Continuation = (e: number) => number;

export function continuationAt(graph: Graph, v: Float64Array): Continuation {
  const { triplets } = graph;
  return triplets.kind === "implicit" ? implicitAt(graph, triplets, v) : storedAt(graph, triplets, v);
}

function storedAt({ frames, frameStart, head }: Graph, triplets: StoredTriplets, v: Float64Array): Continuation {
  const { rowStart, successor, cost } = triplets;
  const lastFrame = frameStart[frames - 1];
  return (e) => {
    if (head[e] === UNASSIGNED || head[e] >= lastFrame) return 0;
    let delta = Number.POSITIVE_INFINITY;
    for (let t = rowStart[e]; t < rowStart[e + 1]; t++) delta = Math.min(delta, cost[t] - v[successor[t]]);
    return delta < Number.POSITIVE_INFINITY || rowStart[e] === rowStart[e + 1] ? delta : Number.NaN;
  };
}

function implicitAt(graph: Graph, triplets: ImplicitTriplets, v: Float64Array): Continuation {
  const { frames, frameStart, tail, head, linkStart, linkEnd, deathOf } = graph;
  const lastFrame = frameStart[frames - 1];
  const m = triplets.perEdge;
  const { width, cost, minimum } = tripletRule(triplets.rule);
  const outwards = minimum === "sweep" ? inOrderOfM(graph, triplets, v) : null;
  return (e) => {
    const j = head[e];
    if (j === UNASSIGNED || j >= lastFrame) return 0;
    const [begin, end, death] = [linkStart[j], linkEnd[j], deathOf[j]];
    const isBirth = tail[e] === UNASSIGNED;
    let delta = death === UNASSIGNED ? Number.POSITIVE_INFINITY : -v[death];
    if (!isBirth && outwards !== null && outwards.highest[j] < Infinity && Number.isFinite(m[e])) {
      delta = Math.min(delta, leastOutwards(outwards, begin, end, m[e], outwards.highest[j]));
    } else {
      for (let f = begin; f < end; f++) {
        delta = Math.min(delta, (isBirth ? 0 : cost(m, width * e, width * f)) - v[f]);
      }
    }
    const isForbidden = begin === end && death === UNASSIGNED;
    return delta < Number.POSITIVE_INFINITY || isForbidden ? delta : Number.NaN;
  };
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
