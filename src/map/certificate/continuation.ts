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
    const highest = isBirth || outwards === null ? Infinity : outwards.highest(j);
    if (outwards !== null && highest < Infinity && Number.isFinite(m[e])) {
      delta = Math.min(delta, leastOutwards(outwards, begin - outwards.first, end - outwards.first, m[e], highest));
    } else {
      for (let f = begin; f < end; f++) {
        delta = Math.min(delta, (isBirth ? 0 : cost(m, width * e, width * f)) - v[f]);
      }
    }
    const isForbidden = begin === end && death === UNASSIGNED;
    return delta < Number.POSITIVE_INFINITY || isForbidden ? delta : Number.NaN;
  };
}

/** Links out of the detections of one frame by m, for `leastOutwards`. Who goes through the edges of a frame pair stays in one frame. */
interface Outwards {
  /** m and v of the links in that order, from link `first` on. */
  readonly m: Float64Array;
  readonly v: Float64Array;
  readonly first: number;
  /**
   * Turns to the frame of a detection; the highest v out of it, NaN where one is NaN, or where the links are not listed once each in order
   * of m.
   */
  highest(d: number): number;
}

function inOrderOfM(graph: Graph, { perEdge: m, outByM }: ImplicitTriplets, v: Float64Array): Outwards {
  const { frames, frameStart, linkStart, linkEnd } = graph;
  const [widest, most] = sizesOf(graph);
  const highest = new Float64Array(widest);
  let frame = -1;
  const ordered = { m: new Float64Array(most), v: new Float64Array(most), first: 0, highest: highestOf };

  function highestOf(d: number): number {
    if (frame < 0 || d < frameStart[frame] || d >= frameStart[frame + 1]) turnTo(d);
    return highest[d - frameStart[frame]];
  }

  function turnTo(d: number): void {
    if (frame < 0 || d < frameStart[frame]) frame = 0;
    while (frame + 1 < frames && d >= frameStart[frame + 1]) frame++;
    ordered.first = linkStart[frameStart[frame]];
    for (let i = frameStart[frame]; i < frameStart[frame + 1]; i++) {
      highest[i - frameStart[frame]] = order(linkStart[i], linkEnd[i]);
    }
  }

  function order(begin: number, end: number): number {
    let high = Number.NEGATIVE_INFINITY;
    for (let k = begin; k < end; k++) {
      const f = outByM[k];
      ordered.m[k - ordered.first] = m[f];
      ordered.v[k - ordered.first] = v[f];
      const last = k === begin ? -1 : outByM[k - 1];
      const follows = last < 0 || m[last] < m[f] || (m[last] === m[f] && last < f);
      const inOrder = follows && !Number.isNaN(m[f]) && f >= begin && f < end;
      high = inOrder ? Math.max(high, v[f]) : Number.NaN;
      if (Number.isNaN(high)) break;
    }
    return high;
  }
  return ordered;
}

/** Detections and links out of them in the frames that have most. */
function sizesOf({ frames, frameStart, linkStart, linkEnd }: Graph): readonly [number, number] {
  let [widest, most] = [0, 0];
  for (let p = 0; p + 1 < frames; p++) {
    const [first, end] = [frameStart[p], frameStart[p + 1]];
    widest = Math.max(widest, end - first);
    if (end > first) most = Math.max(most, linkEnd[end - 1] - linkStart[first]);
  }
  return [widest, most];
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
