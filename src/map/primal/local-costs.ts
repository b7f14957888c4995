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
  ofRow(i: number, pair: number, neighbours: Neighbours): void;
  /** The same of one edge into a column: a link or a birth. */
  ofEntering(e: number, pair: number, neighbours: Neighbours): void;
  /** local_f += D_ef for the edges f out of a pair's rows. */
  behind(pair: number, neighbours: Neighbours): void;
  /** local_e += D_ef for the edges e into a pair's columns. */
  ahead(pair: number, neighbours: Neighbours): void;
}

/** What is fixed around a frame pair. */
export interface Neighbours {
  /** The edge into each detection. */
  readonly into: Int32Array;
  /** The link out of each detection. */
  readonly tracks: Int32Array;
  /** 1 for detections whose links cost the penalty, whatever else they cost; null where there are none. */
  readonly closed: Uint8Array | null;
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
  const isClosed = (e: number, closed: Uint8Array): boolean => closed[tail[e]] + closed[head[e]] > 0;
  const aheadOf = ({ tracks, closed }: Neighbours, begin: number, end: number): void => {
    for (let e = begin; e < end; e++) {
      if (closed !== null && isClosed(e, closed)) continue;
      const f = tracks[head[e]];
      local[e] += f === UNASSIGNED ? atEnd : ofLinks.cost(e, f);
    }
  };
  const close = (closed: Uint8Array | null, begin: number, end: number): void => {
    for (let e = begin; closed !== null && e < end; e++) if (isClosed(e, closed)) local[e] += penalty;
  };
  const addLone = (tracks: Int32Array, j: number): void => {
    if (lone !== null && tracks[j] === UNASSIGNED) local[birthOf[j]] += lone[j];
  };
  return {
    ofRow(i, pair, neighbours) {
      const [begin, end] = [linkStart[i], linkEnd[i]];
      for (let e = begin; e < end; e++) local[e] = cost[e];
      if (deathOf[i] !== UNASSIGNED) local[deathOf[i]] = cost[deathOf[i]];
      if (pair > 0) behindRow(neighbours.into, i);
      if (pair + 2 < frames) aheadOf(neighbours, begin, end);
      close(neighbours.closed, begin, end);
    },
    ofEntering(e, pair, neighbours) {
      const { into, tracks, closed } = neighbours;
      local[e] = cost[e];
      if (tail[e] === UNASSIGNED) {
        if (pair + 2 < frames) addLone(tracks, head[e]);
        return;
      }
      close(closed, e, e + 1);
      if (closed !== null && isClosed(e, closed)) return;
      const before = into[tail[e]];
      if (pair > 0) local[e] += before === UNASSIGNED || tail[before] === UNASSIGNED ? atEnd : ofLinks.cost(before, e);
      if (pair + 2 < frames) aheadOf(neighbours, e, e + 1);
    },
    behind(pair, { into, closed }) {
      if (pair > 0) for (let i = frameStart[pair]; i < frameStart[pair + 1]; i++) behindRow(into, i);
      close(closed, edgeStart[pair], deathStart[pair]);
    },
    ahead(pair, neighbours) {
      close(neighbours.closed, edgeStart[pair], deathStart[pair]);
      if (pair + 2 === frames) return;
      aheadOf(neighbours, edgeStart[pair], deathStart[pair]);
      for (let j = frameStart[pair + 1]; lone !== null && j < frameStart[pair + 2]; j++) addLone(neighbours.tracks, j);
    },
  };
}

function stored(
  graph: Graph,
  { rowStart, successor, cost, areFree }: StoredTriplets,
  local: Float64Array,
  penalty: number,
): LinkTriplets {
  if (areFree === true) return { addAll() {}, cost: () => 0 };
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
