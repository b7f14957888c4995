import { tripletRule } from "../instance/triplet-rules.js";
import type { ImplicitYLsap } from "./y-lsap-form.js";

/**
 * D_ef = |m_e − m_f|: the minimum over f is a distance transform on a line (P. Felzenszwalb, D. Huttenlocher, "Distance
 * transforms of sampled functions", Theory of Computing 8, 2012), so a sweep up and a sweep down over the links in order of m
 * price all triplets of a detection in the time of its links, not of their product:
 *
 *     min_f |m_e − m_f| − v_f = min( m_e + min_{m_f ≤ m_e} (−m_f − v_f),  −m_e + min_{m_f ≥ m_e} (m_f − v_f) )
 */
export const sweepYLsap: ImplicitYLsap = (graph, triplets, state, runs) => {
  const { frames, frameStart, outStart, links, edges } = graph;
  const { perLink: m, inStart, inLink, outLink } = triplets;
  const { v, delta, bestSuccessor } = state;
  const hasBirths = edges > links;
  return {
    price(p) {
      const last = p + 2 === frames;
      for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) {
        const inEnd = inStart[j + 1];
        if (last) {
          for (let k = inStart[j]; k < inEnd; k++) {
            delta[inLink[k]] = 0;
            bestSuccessor[inLink[k]] = -1;
          }
          continue;
        }
        const outBegin = outStart[j];
        const outEnd = outStart[j + 1];
        const death = hasBirths ? links + j : -1;
        const ending = hasBirths ? -v[death] : Number.POSITIVE_INFINITY;
        let least = Number.POSITIVE_INFINITY;
        let best = -1;
        let f = outBegin;
        for (let k = inStart[j]; k < inEnd; k++) {
          const e = inLink[k];
          for (; f < outEnd && m[outLink[f]] <= m[e]; f++) {
            const value = -m[outLink[f]] - v[outLink[f]];
            if (value < least) {
              least = value;
              best = outLink[f];
            }
          }
          const below = best < 0 ? Number.POSITIVE_INFINITY : m[e] - m[best] - v[best];
          delta[e] = below <= ending ? below : ending;
          bestSuccessor[e] = below <= ending ? best : death;
        }
        least = Number.POSITIVE_INFINITY;
        best = -1;
        f = outEnd - 1;
        for (let k = inEnd - 1; k >= inStart[j]; k--) {
          const e = inLink[k];
          for (; f >= outBegin && m[outLink[f]] > m[e]; f--) {
            const value = m[outLink[f]] - v[outLink[f]];
            if (value < least) {
              least = value;
              best = outLink[f];
            }
          }
          if (best < 0) continue;
          const above = m[best] - m[e] - v[best];
          if (above < delta[e]) {
            delta[e] = above;
            bestSuccessor[e] = best;
          }
        }
      }
      if (hasBirths) priceBirths(p);
    },

    raise(p, base) {
      for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) {
        const outBegin = outStart[j];
        const outEnd = outStart[j + 1];
        const inBegin = inStart[j];
        const inEnd = inStart[j + 1];
        const born = hasBirths ? base(runs[p].birthStart + j - frameStart[p + 1]) : Number.POSITIVE_INFINITY;
        let any = born;
        let least = Number.POSITIVE_INFINITY;
        let at = 0;
        let e = inBegin;
        const take = (k: number, sign: number): void => {
          const own = base(inLink[k]);
          if (own < any) any = own;
          const value = own - sign * m[inLink[k]];
          if (value < least) {
            least = value;
            at = k;
            held = own;
          }
        };
        let held = 0;
        for (let k = outBegin; k < outEnd; k++) {
          const f = outLink[k];
          for (; e < inEnd && m[inLink[e]] <= m[f]; e++) take(e, 1);
          v[f] = least === Number.POSITIVE_INFINITY ? born : Math.min(born, m[f] - m[inLink[at]] + held);
        }
        for (; e < inEnd; e++) any = Math.min(any, base(inLink[e]));
        least = Number.POSITIVE_INFINITY;
        e = inEnd - 1;
        for (let k = outEnd - 1; k >= outBegin; k--) {
          const f = outLink[k];
          for (; e >= inBegin && m[inLink[e]] > m[f]; e--) take(e, -1);
          if (least < Number.POSITIVE_INFINITY) v[f] = Math.min(v[f], m[inLink[at]] - m[f] + held);
        }
        if (hasBirths) v[links + j] = any;
      }
    },
  };

  /** Births are followed by anything at no cost. */
  function priceBirths(p: number): void {
    for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) {
      const birth = runs[p].birthStart + j - frameStart[p + 1];
      if (p + 2 === frames) {
        delta[birth] = 0;
        bestSuccessor[birth] = -1;
        continue;
      }
      let best = links + j;
      for (let f = outStart[j]; f < outStart[j + 1]; f++) if (v[f] > v[best]) best = f;
      delta[birth] = -v[best];
      bestSuccessor[birth] = best;
    }
  }
};

/** For any rule: visits every pair of links and computes its cost anew. */
export const pairsYLsap: ImplicitYLsap = (graph, triplets, state, runs) => {
  const { frames, frameStart, outStart, links, edges } = graph;
  const { perLink: m, inStart, inLink } = triplets;
  const { width, cost } = tripletRule(triplets.rule);
  const { v, delta, bestSuccessor } = state;
  const hasBirths = edges > links;
  return {
    price(p) {
      const last = p + 2 === frames;
      for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) {
        const birth = hasBirths ? runs[p].birthStart + j - frameStart[p + 1] : -1;
        const count = inStart[j + 1] - inStart[j] + (hasBirths ? 1 : 0);
        for (let k = 0; k < count; k++) {
          const isBirth = k === inStart[j + 1] - inStart[j];
          const e = isBirth ? birth : inLink[inStart[j] + k];
          let best = last || !hasBirths ? -1 : links + j;
          let least = best < 0 ? Number.POSITIVE_INFINITY : -v[best];
          if (!last) {
            for (let f = outStart[j]; f < outStart[j + 1]; f++) {
              const value = (isBirth ? 0 : cost(m, width * e, width * f)) - v[f];
              if (value < least) {
                least = value;
                best = f;
              }
            }
          }
          delta[e] = best < 0 ? 0 : least;
          bestSuccessor[e] = best;
        }
      }
    },
    raise(p, base) {
      for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) {
        const born = hasBirths ? base(runs[p].birthStart + j - frameStart[p + 1]) : Number.POSITIVE_INFINITY;
        let any = born;
        for (let f = outStart[j]; f < outStart[j + 1]; f++) v[f] = born;
        for (let k = inStart[j]; k < inStart[j + 1]; k++) {
          const e = inLink[k];
          const own = base(e);
          if (own < any) any = own;
          for (let f = outStart[j]; f < outStart[j + 1]; f++) {
            const value = cost(m, width * e, width * f) + own;
            if (value < v[f]) v[f] = value;
          }
        }
        if (hasBirths) v[links + j] = any;
      }
    },
  };
};
