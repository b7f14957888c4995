import { UNASSIGNED } from "../../lap/lap.js";
import type { Graph, ImplicitTriplets } from "../instance/instance.js";
import { tripletRule } from "../instance/triplet-rules.js";
import type { AscentState } from "./state.js";
import type { ImplicitYLsap, YLsap } from "./y-lsap-form.js";

/**
 * D_ef = |m_e − m_f|: the minimum over f is a distance transform on a line (P. Felzenszwalb, D. Huttenlocher, "Distance
 * transforms of sampled functions", Theory of Computing 8, 2012), so a sweep up and a sweep down over the links in order of m
 * price all triplets of a detection in the time of its links, not of their product:
 *
 *     min_f |m_e − m_f| − v_f = min( m_e + min_{m_f ≤ m_e} (−m_f − v_f),  −m_e + min_{m_f ≥ m_e} (m_f − v_f) )
 */
export const sweepYLsap: ImplicitYLsap = (graph, triplets, state) =>
  byColumn(graph, state, sweepPrice(graph, triplets, state), sweepRaise(graph, triplets, state));

function sweepPrice(graph: Graph, triplets: ImplicitTriplets, state: AscentState): PriceInto {
  const { linkStart, linkEnd, deathOf, birthOf, inStart } = graph;
  const { perEdge: m, inByM, outByM } = triplets;
  const { v, delta, bestSuccessor } = state;

  /** Births are followed by anything at no cost. */
  const priceBirth = (j: number): void => {
    let best = deathOf[j];
    for (let f = linkStart[j]; f < linkEnd[j]; f++) if (v[f] > v[best]) best = f;
    delta[birthOf[j]] = -v[best];
    bestSuccessor[birthOf[j]] = best;
  };

  // m and v of the links out of a detection, side by side: each is read several times.
  const mOut = new Float64Array(mostLinks(graph));
  const vOut = new Float64Array(mOut.length);
  return (j) => {
    const inEnd = linksIntoEnd(graph, j);
    const outBegin = linkStart[j];
    const out = linkEnd[j] - outBegin;
    for (let k = 0; k < out; k++) {
      const f = outByM[outBegin + k];
      mOut[k] = m[f];
      vOut[k] = v[f];
    }
    const death = deathOf[j];
    const ending = death === UNASSIGNED ? Number.POSITIVE_INFINITY : -v[death];
    let least = Number.POSITIVE_INFINITY;
    let best = -1;
    let f = 0;
    for (let k = inStart[j]; k < inEnd; k++) {
      const e = inByM[k];
      const mIn = m[e];
      for (; f < out && mOut[f] <= mIn; f++) {
        const value = -mOut[f] - vOut[f];
        if (value < least) {
          least = value;
          best = f;
        }
      }
      const below = best < 0 ? Number.POSITIVE_INFINITY : mIn - mOut[best] - vOut[best];
      delta[e] = below <= ending ? below : ending;
      bestSuccessor[e] = below <= ending ? (best < 0 ? -1 : outByM[outBegin + best]) : death;
    }
    least = Number.POSITIVE_INFINITY;
    best = -1;
    f = out - 1;
    for (let k = inEnd - 1; k >= inStart[j]; k--) {
      const e = inByM[k];
      const mIn = m[e];
      for (; f >= 0 && mOut[f] > mIn; f--) {
        const value = mOut[f] - vOut[f];
        if (value < least) {
          least = value;
          best = f;
        }
      }
      if (best < 0) continue;
      const above = mOut[best] - mIn - vOut[best];
      if (above < delta[e]) {
        delta[e] = above;
        bestSuccessor[e] = outByM[outBegin + best];
      }
    }
    if (birthOf[j] !== UNASSIGNED) priceBirth(j);
  };
}

function sweepRaise(graph: Graph, triplets: ImplicitTriplets, { v }: AscentState): RaiseFrom {
  const { linkStart, linkEnd, deathOf, birthOf, inStart } = graph;
  const { perEdge: m, inByM, outByM } = triplets;
  return (j, base) => {
    const outBegin = linkStart[j];
    const outEnd = linkEnd[j];
    const inBegin = inStart[j];
    const inEnd = linksIntoEnd(graph, j);
    const born = birthOf[j] === UNASSIGNED ? Number.POSITIVE_INFINITY : base(birthOf[j]);
    let any = born;
    let least = Number.POSITIVE_INFINITY;
    let leastAt = 0;
    let baseOfLeast = 0;
    const offer = (k: number, sign: number): void => {
      const baseOfEdge = base(inByM[k]);
      if (baseOfEdge < any) any = baseOfEdge;
      const value = baseOfEdge - sign * m[inByM[k]];
      if (value < least) {
        least = value;
        leastAt = k;
        baseOfLeast = baseOfEdge;
      }
    };
    let e = inBegin;
    for (let k = outBegin; k < outEnd; k++) {
      const f = outByM[k];
      for (; e < inEnd && m[inByM[e]] <= m[f]; e++) offer(e, 1);
      v[f] = least === Number.POSITIVE_INFINITY ? born : Math.min(born, m[f] - m[inByM[leastAt]] + baseOfLeast);
    }
    for (; e < inEnd; e++) any = Math.min(any, base(inByM[e]));
    least = Number.POSITIVE_INFINITY;
    e = inEnd - 1;
    for (let k = outEnd - 1; k >= outBegin; k--) {
      const f = outByM[k];
      for (; e >= inBegin && m[inByM[e]] > m[f]; e--) offer(e, -1);
      if (least < Number.POSITIVE_INFINITY) v[f] = Math.min(v[f], m[inByM[leastAt]] - m[f] + baseOfLeast);
    }
    if (deathOf[j] !== UNASSIGNED) v[deathOf[j]] = any;
  };
}

/** Links into a detection come before its birth. */
function linksIntoEnd({ inStart, birthOf }: Graph, j: number): number {
  return inStart[j + 1] - (birthOf[j] === UNASSIGNED ? 0 : 1);
}

function mostLinks({ frameStart, frames, linkStart, linkEnd }: Graph): number {
  let most = 0;
  for (let j = 0; j < frameStart[frames]; j++) most = Math.max(most, linkEnd[j] - linkStart[j]);
  return most;
}

/** For any rule: visits every pair of links and computes its cost anew. */
export const pairsYLsap: ImplicitYLsap = (graph, triplets, state) => {
  const { linkStart, linkEnd, deathOf, birthOf, inStart, inEdge } = graph;
  const { width, cost } = tripletRule(triplets.rule);
  const m = triplets.perEdge;
  const { v, delta, bestSuccessor } = state;

  const priceInto: PriceInto = (j) => {
    const death = deathOf[j];
    for (let k = inStart[j]; k < inStart[j + 1]; k++) {
      const e = inEdge[k];
      const isBirth = e === birthOf[j];
      let best = death;
      let least = death < 0 ? Number.POSITIVE_INFINITY : -v[death];
      for (let f = linkStart[j]; f < linkEnd[j]; f++) {
        const value = (isBirth ? 0 : cost(m, width * e, width * f)) - v[f];
        if (value < least) {
          least = value;
          best = f;
        }
      }
      delta[e] = best < 0 ? 0 : least;
      bestSuccessor[e] = best;
    }
  };

  const raiseFrom: RaiseFrom = (j, base) => {
    const birth = birthOf[j];
    const born = birth < 0 ? Number.POSITIVE_INFINITY : base(birth);
    let any = born;
    v.fill(born, linkStart[j], linkEnd[j]);
    for (let k = inStart[j]; k < inStart[j + 1]; k++) {
      const e = inEdge[k];
      if (e === birth) continue;
      const baseOfEdge = base(e);
      if (baseOfEdge < any) any = baseOfEdge;
      for (let f = linkStart[j]; f < linkEnd[j]; f++) {
        const value = cost(m, width * e, width * f) + baseOfEdge;
        if (value < v[f]) v[f] = value;
      }
    }
    if (deathOf[j] >= 0) v[deathOf[j]] = any;
  };

  return byColumn(graph, state, priceInto, raiseFrom);
};

/** Sets Δ and its f for the edges into a detection. */
type PriceInto = (j: number) => void;
/** Sets v of the edges out of a detection, from numbers by the edges into it. */
type RaiseFrom = (j: number, base: (e: number) => number) => void;

/** A pair's minimisations as those at the detections of its second frame; edges into the last frame have no triplets. */
export function byColumn(
  { frames, frameStart, inStart, inEdge }: Graph,
  { delta, bestSuccessor, staleDelta }: AscentState,
  priceInto: PriceInto,
  raiseFrom: RaiseFrom,
): YLsap {
  return {
    price(p) {
      for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) {
        if (staleDelta[j] === 0) continue;
        if (p + 2 < frames) priceInto(j);
        else for (let k = inStart[j]; k < inStart[j + 1]; k++) [delta[inEdge[k]], bestSuccessor[inEdge[k]]] = [0, -1];
      }
    },
    raise(p, base) {
      for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) raiseFrom(j, base);
    },
  };
}
