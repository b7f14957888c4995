import { UNASSIGNED } from "../../lap/lap.js";
import { loneCosts } from "../instance/exclusions.js";
import type { Graph } from "../instance/instance.js";
import type { AscentState } from "./state.js";

/** Prices of a frame pair where triplets are free (`tiedByUse`): all links into a detection go on alike, so one price a detection is made and no Δ is written, which takes half of the time. */
export interface UsePrices {
  /** Ĉ of the pair but for what rows of cliques charge; Δ and successors of births. */
  price(pair: number): void;
  /** The successors of the links of an assignment. */
  follow(pair: number): void;
}

export function createUsePrices(graph: Graph, state: AscentState): UsePrices {
  const { frames, frameStart, edgeStart, deathStart, birthStart, linkStart, linkEnd, deathOf, birthOf } = graph;
  const { inStart, inEdge, head, tail, cost } = graph;
  const { v, delta, bestSuccessor, reduced, exclusions, linkOfRow, rowOfColumn } = state;
  const charge = exclusions?.charge ?? new Float64Array(birthOf.length);
  const lone = loneCosts(graph);
  /** By detection, what a link into it pays. */
  const price = new Float64Array(birthOf.length);
  const next = new Int32Array(birthOf.length);
  return {
    price(p) {
      const isLast = p + 2 === frames;
      for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) {
        const [birth, death, out] = [birthOf[j], deathOf[j], linkStart[j] < linkEnd[j] ? linkStart[j] : UNASSIGNED];
        const ofLink = out === UNASSIGNED ? Number.POSITIVE_INFINITY : -v[out];
        const ofDeath = isLast ? 0 : -v[death];
        const bornAndDead = isLast ? 0 : (lone === null ? 0 : lone[j]) - v[death];
        next[j] = ofLink <= ofDeath ? out : death;
        price[j] = Math.min(ofLink, ofDeath) + charge[j];
        const goesOn = ofLink + charge[j] <= bornAndDead;
        delta[birth] = goesOn ? ofLink + charge[j] : bornAndDead;
        bestSuccessor[birth] = goesOn ? out : death;
        reduced[birth] = cost[birth] + delta[birth];
      }
      for (let e = edgeStart[p]; e < deathStart[p]; e++) reduced[e] = cost[e] + price[head[e]];
      for (let e = edgeStart[p]; p === 0 && e < deathStart[p]; e++) reduced[e] += charge[tail[e]];
      for (let e = deathStart[p]; e < birthStart[p]; e++) reduced[e] = cost[e] + v[e];
    },
    follow(p) {
      for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) {
        if (rowOfColumn[j] === UNASSIGNED) continue;
        const into = linkOfRow[frameStart[p] + rowOfColumn[j]];
        if (bestSuccessor[into] === next[j]) continue;
        bestSuccessor[into] = next[j];
        // Other links have another one yet, and are to be priced by the next `reprice`, which looks at the first.
        delta[inEdge[inStart[j]]] = Number.NaN;
      }
    },
  };
}
