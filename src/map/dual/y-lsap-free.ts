import { UNASSIGNED } from "../../lap/lap.js";
import type { Graph, StoredTriplets } from "../instance/instance.js";
import type { AscentState } from "./state.js";
import type { YLsap } from "./y-lsap-form.js";
import { byColumn } from "./y-lsap-implicit.js";

/** Triplets that are free, all but the birth and the death of a detection: the edges into it have two prices, and none is looked at more than once. */
export function freeYLsap(graph: Graph, { rowStart, cost }: StoredTriplets, state: AscentState): YLsap {
  const { linkStart, linkEnd, deathOf, birthOf, inStart, inEdge } = graph;
  const { v, delta, bestSuccessor, exclusions, tiedByUse } = state;
  const charge = exclusions?.charge ?? null;
  /** D of a birth and the death after it, which stands last. */
  const lone = (birth: number): number => cost[rowStart[birth + 1] - 1];
  return byColumn(
    graph,
    state,
    (j) => {
      // Where only deaths have a v, one link is as good as any.
      const end = tiedByUse ? Math.min(linkStart[j] + 1, linkEnd[j]) : linkEnd[j];
      let best = -1;
      let highest = Number.NEGATIVE_INFINITY;
      for (let f = linkStart[j]; f < end; f++) {
        if (v[f] > highest) {
          highest = v[f];
          best = f;
        }
      }
      const [birth, death] = [birthOf[j], deathOf[j]];
      const offer = (first: number, end: number, ofLinks: number, ofDeath: number): void => {
        const goesOn = best >= 0 && (death === UNASSIGNED || ofLinks - highest <= ofDeath - v[death]);
        const next = goesOn ? best : death;
        const price = goesOn ? ofLinks - highest : death === UNASSIGNED ? 0 : ofDeath - v[death];
        // They have had the same price before too, and often this one.
        if (first === end || (bestSuccessor[inEdge[first]] === next && delta[inEdge[first]] === price)) return;
        for (let k = first; k < end; k++) {
          bestSuccessor[inEdge[k]] = next;
          delta[inEdge[k]] = price;
        }
      };
      const born = inStart[j + 1] - (birth === UNASSIGNED ? 0 : 1);
      offer(inStart[j], born, 0, 0);
      offer(born, inStart[j + 1], charge === null ? 0 : charge[j], birth < 0 || death < 0 ? 0 : lone(birth));
    },
    (j, base) => {
      const [birth, death] = [birthOf[j], deathOf[j]];
      let least = Number.POSITIVE_INFINITY;
      for (let k = inStart[j]; k < inStart[j + 1]; k++) {
        if (inEdge[k] !== birth) least = Math.min(least, base(inEdge[k]));
      }
      const born = birth === UNASSIGNED ? Number.POSITIVE_INFINITY : base(birth);
      const [ofLinks, ofDeath] = [Math.min(least, born), Math.min(least, birth < 0 ? born : born + lone(birth))];
      v.fill(tiedByUse ? 0 : ofLinks, linkStart[j], linkEnd[j]);
      if (death !== UNASSIGNED) v[death] = ofDeath - (tiedByUse ? ofLinks : 0);
    },
  );
}
