import { bisectRight } from "d3-array";
import { UNASSIGNED } from "../../lap/lap.js";
import type { Graph } from "../instance/instance.js";
import type { WeighedCliques } from "./clique-memory.js";
import { CliqueSearch } from "./clique-search.js";
import type { PlaneCuts } from "./coordinates.js";
import type { MultiplierSteps } from "./exclusions.js";
import type { AscentState } from "./state.js";

/** A row that is farther from being tight than this, and has no multiplier, makes room for others. */
const SLACK = 0.05;

/** How far the combination must violate a row, and how many a frame pair gets at once. */
const LEAST = 0.05;
const ROWS_AT_ONCE = 100;

/** Shares of edges below this do not count in the search for rows. */
const TINY = 0.02;

export function createCliqueSteps(graph: Graph, state: AscentState): MultiplierSteps | null {
  const { cliques, reduced, linkOfRow } = state;
  if (cliques === null) return null;
  const { rowStart, size, item, mu, kept, sum, constant } = cliques;
  const rows = rowsOf(graph, cliques);
  return {
    charge(p) {
      rows.each(p, (row, begin, end) => {
        for (let n = begin; mu[row] > 0 && n < end; n++) reduced[item[n]] += mu[row];
      });
    },
    constant: (p) => constant[p],
    subgradient(p) {
      let norm = 0;
      rows.count(p, linkOfRow, 0, (row, taken) => {
        sum[row] = taken;
        if (mu[row] > 0 || taken > 1) norm += (taken - 1) ** 2;
      });
      return norm;
    },
    follow(p, step) {
      rows.weigh(p, mu, step);
    },
    keep(p) {
      kept.set(mu.subarray(rowStart[p], rowStart[p] + size[p]), rowStart[p]);
    },
    restore(p) {
      rows.weigh(p, kept, 0);
    },
  };
}

/** Of a bundle: its slots, the edge out of each detection by slot, and 0 where a slot is empty, by slot and frame pair. */
interface KeptPlanes {
  readonly capacity: number;
  readonly planeEdge: Int32Array;
  readonly planeStamp: Uint32Array;
}

/** What a bundle does with the rows of its instance: they are coordinates of its planes, and it finds more. */
export interface CliquePlanes extends PlaneCuts {
  separate(pair: number, all: number): void;
}

export function cliquePlanes(
  graph: Graph,
  state: AscentState,
  { capacity, planeEdge, planeStamp }: KeptPlanes,
): CliquePlanes | null {
  const { cliques } = state;
  if (cliques === null) return null;
  const { frames, frameStart, edgeStart, birthStart } = graph;
  const { rowStart, size, mu, kept, sum, ofPlane, share, scale, found, constant, value } = cliques;
  const detections = frameStart[frames];
  const pairs = frames - 1;
  const room = rowStart[pairs];
  const rows = rowsOf(graph, cliques);
  const search = new CliqueSearch(graph, cliques.conflicts);
  const end = (p: number): number => rowStart[p] + size[p];
  const count = (p: number, slot: number): void => {
    rows.count(p, planeEdge, slot * detections, (row, taken) => {
      ofPlane[slot * room + row] = taken;
    });
  };
  /** Moves the shares of edges by `gamma` towards a plane. */
  const combine = (p: number, slot: number, gamma: number): void => {
    if (gamma >= 1 || scale[p] * (1 - gamma) < 1e-100) {
      share.fill(0, edgeStart[p], birthStart[p]);
      scale[p] = 1;
    } else scale[p] *= 1 - gamma;
    const added = gamma / scale[p];
    for (let i = frameStart[p]; i < frameStart[p + 1]; i++) share[planeEdge[slot * detections + i]] += added;
    for (let row = rowStart[p]; row < end(p); row++) sum[row] += gamma * (ofPlane[slot * room + row] - sum[row]);
  };
  return {
    stored: count,
    begin(p, slot) {
      combine(p, slot, 1);
      rows.weigh(p, mu, 0);
    },
    value(p, slot) {
      let of = -constant[p];
      for (let row = rowStart[p]; row < end(p); row++) of += ofPlane[slot * room + row] * mu[row];
      return of;
    },
    present: (p) => value[p],
    // A row whose multiplier stays 0 on the whole way to the plane bends nothing.
    distance(p, slot, tau) {
      let squared = 0;
      for (let row = rowStart[p]; row < end(p); row++) {
        const towards = ofPlane[slot * room + row] - sum[row];
        if (kept[row] + tau * (Math.max(towards, 0) + sum[row] - 1) > 0) squared += towards * towards;
      }
      return squared;
    },
    move(p, slot, gamma, tau) {
      combine(p, slot, gamma);
      rows.weigh(p, kept, tau);
    },
    model: (p) => value[p],
    stand(p, tau) {
      rows.weigh(p, kept, tau);
    },
    separate(p, all) {
      if (all === 1)
        rows.drop(
          p,
          (row) => mu[row] === 0 && kept[row] === 0 && sum[row] < 1 - SLACK,
          (from, to) => {
            for (let slot = 0; slot < capacity; slot++) ofPlane[slot * room + to] = ofPlane[slot * room + from];
          },
        );
      const x = (e: number): number => (share[e] * scale[p] < TINY ? 0 : share[e] * scale[p]);
      found[p] = 0;
      const violated = all === 1 ? search.violated(p, x, LEAST, ROWS_AT_ONCE) : [];
      for (const items of [...search.ofDivisions(p, x, LEAST), ...violated]) {
        const row = rows.add(p, items, 0);
        if (row < 0) continue;
        sum[row] = items.reduce((total, e) => total + share[e] * scale[p], 0);
        found[p]++;
      }
      for (let slot = 0; found[p] > 0 && slot < capacity; slot++) if (planeStamp[slot * pairs + p] > 0) count(p, slot);
    },
  };
}

/** Gives an ascent rows with multipliers. */
export function addCliques(graph: Graph, { cliques }: AscentState, given: readonly WeighedRow[]): void {
  if (cliques === null) return;
  const rows = rowsOf(graph, cliques);
  for (const { items, mu } of given) rows.add(bisectRight(graph.edgeStart, items[0]) - 1, items, mu);
  for (let p = 0; p + 1 < graph.frames; p++) rows.weigh(p, cliques.mu, 0);
}

export interface WeighedRow {
  readonly items: readonly number[];
  readonly mu: number;
}

/** The rows that have a multiplier, without those of divisions: these follow from the others (certificate/divisions.ts). They alone have a death, as their last item. */
export function weighedCliques(graph: Graph, cliques: WeighedCliques): WeighedRow[] {
  const found: WeighedRow[] = [];
  const rows = rowsOf(graph, cliques);
  for (let p = 0; p + 1 < graph.frames; p++)
    rows.each(p, (row, begin, end) => {
      if (cliques.mu[row] > 0)
        found.push({ items: Array.from(cliques.item.subarray(begin, end)), mu: cliques.mu[row] });
    });
  return found;
}

/** Adds to `charge` what the rows add to the cost of each edge. */
export function addCharges(graph: Graph, cliques: WeighedCliques, charge: Float64Array): void {
  const rows = rowsOf(graph, cliques);
  for (let p = 0; p + 1 < graph.frames; p++)
    rows.each(p, (row, begin, end) => {
      for (let n = begin; n < end; n++) charge[cliques.item[n]] += cliques.mu[row];
    });
}

/** What all steps do with the rows of a pair. */
function rowsOf({ frameStart, edges }: Graph, cliques: WeighedCliques) {
  const { rowStart, itemStart, size, items, item, itemEnd, hash, mu, kept, sum, constant, value } = cliques;
  /** 1 for the edges that are counted. */
  const isTaken = new Uint8Array(edges);
  const each = (p: number, visit: (row: number, begin: number, end: number) => void): void => {
    let begin = itemStart[p];
    for (let row = rowStart[p]; row < rowStart[p] + size[p]; row++) {
      const end = itemStart[p] + itemEnd[row];
      visit(row, begin, end);
      begin = end;
    }
  };
  return {
    each,
    /** Visits rows with the number of their items among the edges that detections take, at `edge[base + d]`. */
    count(p: number, edge: Int32Array, base: number, visit: (row: number, taken: number) => void): void {
      if (size[p] === 0) return;
      for (let i = frameStart[p]; i < frameStart[p + 1]; i++)
        if (edge[base + i] !== UNASSIGNED) isTaken[edge[base + i]] = 1;
      each(p, (row, begin, end) => {
        let taken = 0;
        for (let n = begin; n < end; n++) taken += isTaken[item[n]];
        visit(row, taken);
      });
      for (let i = frameStart[p]; i < frameStart[p + 1]; i++)
        if (edge[base + i] !== UNASSIGNED) isTaken[edge[base + i]] = 0;
    },
    /** Multipliers max(0, from + step (G − 1)). */
    weigh(p: number, from: Float64Array, step: number): void {
      let [total, worth] = [0, 0];
      for (let row = rowStart[p]; row < rowStart[p] + size[p]; row++) {
        mu[row] = Math.max(0, from[row] + step * (sum[row] - 1));
        total += mu[row];
        worth += mu[row] * (sum[row] - 1);
      }
      constant[p] = total;
      value[p] = worth;
    },
    /** Adds a row; returns its number, −1 where it is there already or has no room. */
    add(p: number, edges: readonly number[], multiplier: number): number {
      const row = rowStart[p] + size[p];
      if (row === rowStart[p + 1] || items[p] + edges.length > itemStart[p + 1] - itemStart[p]) return -1;
      const of = hashOf(edges);
      if (hash.subarray(rowStart[p], row).includes(of)) return -1;
      item.set(edges, itemStart[p] + items[p]);
      items[p] += edges.length;
      itemEnd[row] = items[p];
      hash[row] = of;
      mu[row] = kept[row] = multiplier;
      sum[row] = 0;
      size[p]++;
      return row;
    },
    /** Takes rows out; tells where the others go. */
    drop(p: number, isDropped: (row: number) => boolean, moved: (from: number, to: number) => void): void {
      let to = rowStart[p];
      let target = itemStart[p];
      each(p, (row, begin, end) => {
        if (isDropped(row)) return;
        if (to < row) {
          item.copyWithin(target, begin, end);
          for (const values of [mu, kept, sum, hash]) values[to] = values[row];
          moved(row, to);
        }
        target += end - begin;
        itemEnd[to++] = target - itemStart[p];
      });
      size[p] = to - rowStart[p];
      items[p] = target - itemStart[p];
    },
  };
}

/** Of the items in any order. */
function hashOf(edges: readonly number[]): number {
  let hash = edges.length;
  for (const e of edges) {
    let bits = Math.imul(e ^ (e >>> 16), 0x45d9f3b);
    bits = Math.imul(bits ^ (bits >>> 16), 0x45d9f3b);
    hash = (hash + (bits ^ (bits >>> 16))) | 0;
  }
  return hash >>> 0;
}
