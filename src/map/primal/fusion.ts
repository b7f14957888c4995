import { rootOf } from "../../core/union-find.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { type Graph, tripletCost } from "../instance/instance.js";
import type { Tracks } from "./feasible.js";

/**
 * The best mixture of two sets of tracks (a fusion move: Hutschenreiter et al., "Fusion moves for graph matching", ICCV 2021).
 *
 * Within a frame pair the links in which two sets of tracks differ fall apart into alternating cycles and paths, the
 * exchanges; each can be taken from either set on its costOfMask. Triplets tie exchanges of consecutive pairs only, so a connected
 * group of exchanges is solved exactly by dynamic programming over its frame pairs, 2^width states a pair.
 */

/** Exchanges of one group in one pair beyond this many keep the first set's choice. */
const WIDEST = 8;

interface Exchange {
  readonly pair: number;
  /** Cost of its edges and of its triplets with fixed ones, as in the first and in the second set. */
  readonly cost: [number, number];
  /** Exchanges of the next pair that share a detection, with the cost of the triplets between: index 2 · mine + theirs. */
  readonly ahead: Map<number, Float64Array>;
}

/**
 * Replaces `first` by the best mixture of `first` and `second`; both must be allowed sets of tracks.
 * @returns the decrease of the cost, 0 when `first` was already the best
 */
export function fuseTracks(graph: Graph, first: Tracks, second: Tracks): number {
  const { frames, frameStart, birthOf, deathOf, head, cost } = graph;
  const apart = pairsApart(graph, first, second);
  if (apart.length === 0) return 0;
  /** The frames of these pairs, in order. */
  const touched = [...new Set(apart.flatMap((pair) => [pair, pair + 1]))];
  const exchanges: Exchange[] = [];
  const exchangeOfRow = new Int32Array(frameStart[frames]).fill(-1);
  const exchangeOfColumn = new Int32Array(frameStart[frames]).fill(-1);
  const sets = [first, second] as const;
  const out = (side: 0 | 1, d: number): number => (sets[side][d] === UNASSIGNED ? deathOf[d] : sets[side][d]);
  const into = [incoming(graph, first, touched), incoming(graph, second, touched)] as const;

  // Exchanges: rows and columns of a pair connected by links that only one set has.
  const root = new Int32Array(frameStart[frames]);
  for (const pair of apart) {
    const rows = frameStart[pair];
    const columns = frameStart[pair + 1];
    const end = frameStart[pair + 2];
    for (let d = rows; d < end; d++) root[d] = d;
    for (let i = rows; i < columns; i++) {
      if (first[i] === second[i]) continue;
      if (first[i] !== UNASSIGNED) root[rootOf(root, head[first[i]])] = rootOf(root, i);
      if (second[i] !== UNASSIGNED) root[rootOf(root, head[second[i]])] = rootOf(root, i);
    }
    const numbered = new Map<number, number>();
    const exchangeAt = (d: number): number => {
      const r = rootOf(root, d);
      let index = numbered.get(r);
      if (index === undefined) {
        index = exchanges.length;
        numbered.set(r, index);
        exchanges.push({ pair, cost: [0, 0], ahead: new Map() });
      }
      return index;
    };
    for (let i = rows; i < columns; i++) {
      if (first[i] === second[i]) continue;
      exchangeOfRow[i] = exchangeAt(i);
      for (const side of [0, 1] as const) exchanges[exchangeOfRow[i]].cost[side] += cost[out(side, i)];
    }
    for (let j = columns; j < end; j++) {
      if (into[0][j] === into[1][j]) continue;
      exchangeOfColumn[j] = exchangeAt(j);
      for (const side of [0, 1] as const) {
        if (birthOf[j] !== UNASSIGNED && into[side][j] === birthOf[j])
          exchanges[exchangeOfColumn[j]].cost[side] += cost[into[side][j]];
      }
    }
  }
  const tie = (j: number): void => {
    const before = exchangeOfColumn[j];
    const after = exchangeOfRow[j];
    if (before < 0 && after < 0) return;
    if (before < 0)
      for (const s of [0, 1] as const) exchanges[after].cost[s] += tripletCost(graph, into[0][j], out(s, j));
    else if (after < 0)
      for (const s of [0, 1] as const) exchanges[before].cost[s] += tripletCost(graph, into[s][j], out(0, j));
    else {
      const ahead = exchanges[before].ahead;
      const table = ahead.get(after) ?? new Float64Array(4);
      ahead.set(after, table);
      for (const s of [0, 1] as const)
        for (const t of [0, 1] as const) table[2 * s + t] += tripletCost(graph, into[s][j], out(t, j));
    }
  };
  for (const p of touched) if (p > 0 && p + 1 < frames) for (let j = frameStart[p]; j < frameStart[p + 1]; j++) tie(j);

  let decrease = 0;
  const chosen = new Uint8Array(exchanges.length);
  for (const group of groupsOf(exchanges)) decrease += solveGroup(exchanges, group, chosen);
  if (decrease <= 0) return 0;
  for (const pair of apart)
    for (let i = frameStart[pair]; i < frameStart[pair + 1]; i++)
      if (exchangeOfRow[i] >= 0 && chosen[exchangeOfRow[i]] === 1) first[i] = second[i];
  return decrease;
}

/** The frame pairs in which two sets of tracks have other links: few of many, so that a search for them alone is worth a function that is soon compiled. */
function pairsApart({ frames, frameStart }: Graph, first: Tracks, second: Tracks): number[] {
  const areApart = (pair: number): boolean => {
    for (let i = frameStart[pair]; i < frameStart[pair + 1]; i++) if (first[i] !== second[i]) return true;
    return false;
  };
  return Array.from({ length: frames - 1 }, (_, pair) => pair).filter(areApart);
}

/** The edge (link or birth) by which each detection of some frames is entered. */
function incoming({ frameStart, birthOf, head }: Graph, tracks: Tracks, ofFrames: readonly number[]): Int32Array {
  const into = birthOf.slice();
  for (const p of ofFrames.filter((frame) => frame > 0))
    for (let d = frameStart[p - 1]; d < frameStart[p]; d++)
      if (tracks[d] !== UNASSIGNED) into[head[tracks[d]]] = tracks[d];
  return into;
}

/** Connected groups of exchanges, each by frame pair. */
function groupsOf(exchanges: readonly Exchange[]): number[][] {
  const neighbours: number[][] = exchanges.map((exchange) => [...exchange.ahead.keys()]);
  exchanges.forEach((exchange, index) => {
    for (const other of exchange.ahead.keys()) neighbours[other].push(index);
  });
  const seen = new Uint8Array(exchanges.length);
  const groups: number[][] = [];
  for (let first = 0; first < exchanges.length; first++) {
    if (seen[first] === 1) continue;
    seen[first] = 1;
    const group = [first];
    for (let next = 0; next < group.length; next++) {
      for (const other of neighbours[group[next]]) {
        if (seen[other] === 0) {
          seen[other] = 1;
          group.push(other);
        }
      }
    }
    groups.push(group.sort((a, b) => a - b));
  }
  return groups;
}

/** Dynamic programming over the frame pairs of one group; marks the exchanges taken from the second set. */
function solveGroup(exchanges: readonly Exchange[], group: readonly number[], chosen: Uint8Array): number {
  const layers: number[][] = [];
  for (const index of group) {
    const { pair } = exchanges[index];
    if (layers.length === 0 || exchanges[layers[layers.length - 1][0]].pair !== pair) layers.push([]);
    layers[layers.length - 1].push(index);
  }
  const free = layers.map((layer) => Math.min(layer.length, WIDEST));
  const picked = (mask: number, position: number): 0 | 1 =>
    position < WIDEST ? (((mask >> position) & 1) as 0 | 1) : 0;

  let best: Float64Array = new Float64Array(1);
  const from: Uint16Array[] = [];
  layers.forEach((layer, depth) => {
    const states = 1 << free[depth];
    const costOfMask = new Float64Array(states);
    for (let mask = 0; mask < states; mask++) {
      layer.forEach((index, position) => {
        costOfMask[mask] += exchanges[index].cost[picked(mask, position)];
      });
    }
    if (depth === 0) {
      best = costOfMask;
      from.push(new Uint16Array(states));
      return;
    }
    const previous = layers[depth - 1];
    const positionOf = new Map(layer.map((index, position) => [index, position]));
    const ties = previous.flatMap((index, position) =>
      [...exchanges[index].ahead].map(([other, table]) => ({ position, other: positionOf.get(other) ?? 0, table })),
    );
    const next = new Float64Array(states).fill(Number.POSITIVE_INFINITY);
    const back = new Uint16Array(states);
    // For one state of this layer the costs between the layers are a sum over the exchanges of the layer before, each depending on its costOfMask choice.
    const tie = new Float64Array(2 * previous.length);
    const tied = new Float64Array(best.length);
    for (let mask = 0; mask < states; mask++) {
      tie.fill(0);
      for (const { position, other, table } of ties) {
        tie[2 * position] += table[picked(mask, other)];
        tie[2 * position + 1] += table[2 + picked(mask, other)];
      }
      tied[0] = 0;
      for (let position = WIDEST; position < previous.length; position++) tied[0] += tie[2 * position];
      for (let position = 0, half = 1; half < tied.length; position++, half *= 2) {
        for (let before = 0; before < half; before++) {
          tied[half + before] = tied[before] + tie[2 * position + 1];
          tied[before] += tie[2 * position];
        }
      }
      for (let before = 0; before < best.length; before++) {
        const value = best[before] + costOfMask[mask] + tied[before];
        if (value < next[mask]) {
          next[mask] = value;
          back[mask] = before;
        }
      }
    }
    best = next;
    from.push(back);
  });

  const keep = costOfFirst(exchanges, group);
  let mask = 0;
  for (let state = 1; state < best.length; state++) if (best[state] < best[mask]) mask = state;
  const decrease = keep - best[mask];
  if (!(decrease > 1e-12 * Math.abs(keep))) return 0;
  for (let depth = layers.length - 1; depth >= 0; depth--) {
    layers[depth].forEach((index, position) => {
      chosen[index] = picked(mask, position);
    });
    mask = from[depth][mask];
  }
  return decrease;
}

function costOfFirst(exchanges: readonly Exchange[], group: readonly number[]): number {
  let sum = 0;
  for (const index of group) {
    sum += exchanges[index].cost[0];
    for (const table of exchanges[index].ahead.values()) sum += table[0];
  }
  return sum;
}
