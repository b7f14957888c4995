import { UNASSIGNED } from "../../lap/lap.js";
import { loneCosts } from "../instance/exclusions.js";
import { type Graph, type ImplicitTriplets, type StoredTriplets, tripletCost } from "../instance/instance.js";
import { tripletRule } from "../instance/triplet-rules.js";

/**
 * The part of a frame pair's costs that depends on its neighbours, added to `local` of its links: these loops are much
 * of the search for tracks. The triplets of births and deaths are free (docs/explanation/mathematics.md §1), but that of both at one detection may not be.
 */
export interface LocalCosts {
  /** Makes `local` of the edges out of a row of a pair anew: their cost, and the triplets with the edges before and after. */
  ofRow(i: number, pair: number, into: Int32Array, tracks: Int32Array): void;
  /** The same of one edge into a column: a link or a birth. */
  ofEntering(e: number, pair: number, into: Int32Array, tracks: Int32Array): void;
  /** local_f += D_ef for the edges f out of a pair's rows; `into` has the edge e into each detection. */
  behind(into: Int32Array, pair: number): void;
  /** local_e += D_ef for the edges e into a pair's columns; `tracks` has the link f out of each detection. */
  ahead(tracks: Int32Array, pair: number): void;
}

/** Costs of the triplets of links. */
interface LinkTriplets {
  /** local_f += D_ef for the links f from `begin` to `end`; e enters the detection that they leave. */
  addAll(e: number, begin: number, end: number): void;
  /** D_ef of links that meet in a detection. */
  cost(e: number, f: number): number;
}

/** A forbidden triplet costs `penalty`, and so does a missing neighbour where tracks may not end. */
export function createLocalCosts(graph: Graph, local: Float64Array, penalty: number): LocalCosts {
  const { frames, frameStart, links, edges, edgeStart, deathStart, linkStart, linkEnd, tail, head, triplets } = graph;
  const { birthOf, deathOf, cost } = graph;
  const lone = loneCosts(graph);
  const atEnd = edges > links ? 0 : penalty;
  const ofLinks = triplets.kind === "csr" ? stored(graph, triplets, local, penalty) : implicit(triplets, local);
  const behindRow = (into: Int32Array, i: number): void => {
    const e = into[i];
    if (e !== UNASSIGNED && tail[e] !== UNASSIGNED) ofLinks.addAll(e, linkStart[i], linkEnd[i]);
    else if (lone !== null) local[deathOf[i]] += lone[i];
    else if (atEnd > 0) for (let f = linkStart[i]; f < linkEnd[i]; f++) local[f] += atEnd;
  };
  const aheadOf = (tracks: Int32Array, begin: number, end: number): void => {
    for (let e = begin; e < end; e++) {
      const f = tracks[head[e]];
      local[e] += f === UNASSIGNED ? atEnd : ofLinks.cost(e, f);
    }
  };
  const addLone = (tracks: Int32Array, j: number): void => {
    if (lone !== null && tracks[j] === UNASSIGNED) local[birthOf[j]] += lone[j];
  };
  return {
    ofRow(i, pair, into, tracks) {
      for (let e = linkStart[i]; e < linkEnd[i]; e++) local[e] = cost[e];
      if (deathOf[i] !== UNASSIGNED) local[deathOf[i]] = cost[deathOf[i]];
      if (pair > 0) behindRow(into, i);
      if (pair + 2 < frames) aheadOf(tracks, linkStart[i], linkEnd[i]);
    },
    ofEntering(e, pair, into, tracks) {
      local[e] = cost[e];
      if (tail[e] === UNASSIGNED) {
        if (pair + 2 < frames) addLone(tracks, head[e]);
        return;
      }
      const before = into[tail[e]];
      if (pair > 0) local[e] += before === UNASSIGNED || tail[before] === UNASSIGNED ? atEnd : ofLinks.cost(before, e);
      if (pair + 2 < frames) aheadOf(tracks, e, e + 1);
    },
    behind(into, pair) {
      if (pair > 0) for (let i = frameStart[pair]; i < frameStart[pair + 1]; i++) behindRow(into, i);
    },
    ahead(tracks, pair) {
      if (pair + 2 === frames) return;
      aheadOf(tracks, edgeStart[pair], deathStart[pair]);
      for (let j = frameStart[pair + 1]; lone !== null && j < frameStart[pair + 2]; j++) addLone(tracks, j);
    },
  };
}

function stored(
  graph: Graph,
  { rowStart, successor, cost }: StoredTriplets,
  local: Float64Array,
  penalty: number,
): LinkTriplets {
  return {
    addAll(e, begin, end) {
      const last = rowStart[e + 1];
      for (let f = begin, t = rowStart[e]; f < end; f++) {
        while (t < last && successor[t] < f) t++;
        local[f] += t < last && successor[t] === f ? cost[t] : penalty;
      }
    },
    cost: (e, f) => Math.min(tripletCost(graph, e, f), penalty),
  };
}

function implicit({ rule, perEdge: m }: ImplicitTriplets, local: Float64Array): LinkTriplets {
  const { width, cost } = tripletRule(rule);
  return {
    addAll(e, begin, end) {
      for (let f = begin; f < end; f++) local[f] += cost(m, width * e, width * f);
    },
    cost: (e, f) => cost(m, width * e, width * f),
  };
}
