import { UNASSIGNED } from "../../lap/lap.js";
import { type Graph, tripletCost } from "../instance/instance.js";
import { tripletRule } from "../instance/triplet-rules.js";

/**
 * The part of a frame pair's costs that depends on its neighbours, added to `local` of its links: these loops are much
 * of the search for tracks. Births and deaths need none, their triplets are free (docs/explanation/mathematics.md §1).
 */
export interface LocalCosts {
  /** local_f += D_ef for the links f from `begin` to `end`; e enters the detection that they leave. */
  addBehind(e: number, begin: number, end: number): void;
  /** local_e += D_ef for the links e from `begin` to `end`; f is the link that leaves the head of e in `tracks`. */
  addAhead(tracks: Int32Array, begin: number, end: number): void;
}

/** A forbidden triplet costs `penalty`, and so does a missing neighbour where tracks may not end. */
export function createLocalCosts(graph: Graph, local: Float64Array, penalty: number): LocalCosts {
  const { triplets, links, edges, head } = graph;
  const atEnd = edges > links ? 0 : penalty;

  /** The same for any e that is no link. */
  const addEnd = (begin: number, end: number): void => {
    if (atEnd > 0) for (let f = begin; f < end; f++) local[f] += atEnd;
  };

  if (triplets.kind === "csr") {
    const { start, successor, cost } = triplets;
    return {
      addBehind(e, begin, end) {
        if (e === UNASSIGNED || e >= links) return addEnd(begin, end);
        const last = start[e + 1];
        for (let f = begin, t = start[e]; f < end; f++) {
          while (t < last && successor[t] < f) t++;
          local[f] += t < last && successor[t] === f ? cost[t] : penalty;
        }
      },
      addAhead(tracks, begin, end) {
        for (let e = begin; e < end; e++) {
          const f = tracks[head[e]];
          local[e] += f === UNASSIGNED ? atEnd : Math.min(tripletCost(graph, e, f), penalty);
        }
      },
    };
  }
  const m = triplets.perLink;
  const { width, cost } = tripletRule(triplets.rule);
  return {
    addBehind(e, begin, end) {
      if (e === UNASSIGNED || e >= links) return addEnd(begin, end);
      for (let f = begin; f < end; f++) local[f] += cost(m, width * e, width * f);
    },
    addAhead(tracks, begin, end) {
      for (let e = begin; e < end; e++) {
        const f = tracks[head[e]];
        local[e] += f === UNASSIGNED ? atEnd : cost(m, width * e, width * f);
      }
    },
  };
}
