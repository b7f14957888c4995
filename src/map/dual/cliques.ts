import { bisectRight } from "d3-array";
import { UNASSIGNED } from "../../lap/lap.js";
import type { Graph } from "../instance/instance.js";
import { eachRow, hashOf, type WeighedCliques } from "./clique-memory.js";
import { CliqueSearch } from "./clique-search.js";
import type { PlaneCuts } from "./coordinates.js";
import { type MultiplierSteps, useOf } from "./exclusions.js";
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
  const { rowStart, size, item, mu, kept, sum, uses, constant } = cliques;
  const rows = rowsOf(graph, state, cliques);
  const isUsed = useOf(graph, state);
  return {
    charge(p) {
      rows.each(p, (row, begin, end) => {
        for (let n = begin; mu[row] > 0 && n < end && item[n] < graph.edges; n++) reduced[item[n]] += mu[row];
      });
    },
    constant: (p) => constant[p],
    subgradient(p) {
      let norm = 0;
      rows.count(p, linkOfRow, 0, 0, (row, taken) => {
        sum[row] = taken;
      });
      rows.eachUses(p, isUsed, (row, used) => {
        uses[row] = used;
        const over = sum[row] + used - 1;
        if (mu[row] > 0 || over > 0) norm += over ** 2;
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

/** Of a bundle: its slots, the edge out of each detection by slot, 0 where a slot is empty, by slot and frame pair, and the slots of the planes that use a detection. */
interface KeptPlanes {
  readonly capacity: number;
  readonly planeEdge: Int32Array;
  readonly planeStamp: Uint32Array;
  readonly planeUsed: Uint16Array;
}

/** What a bundle does with the rows of its instance: they are coordinates of its planes, and it finds more. */
export interface CliquePlanes extends PlaneCuts {
  separate(pair: number, all: number): void;
}

export function cliquePlanes(
  graph: Graph,
  state: AscentState,
  { capacity, planeEdge, planeStamp, planeUsed }: KeptPlanes,
): CliquePlanes | null {
  const { cliques, exclusions } = state;
  if (cliques === null) return null;
  const { frames, frameStart, edges, edgeStart, birthStart } = graph;
  const { rowStart, size, mu, kept, sum, uses, ofPlane, share, scale, found, constant, value, valueOfUses } = cliques;
  const detections = frameStart[frames];
  const pairs = frames - 1;
  const room = rowStart[pairs];
  const rows = rowsOf(graph, state, cliques);
  const search = new CliqueSearch(graph, cliques.conflicts);
  const shareOfUse = (d: number): number => exclusions?.combined[d] ?? 0;
  const end = (p: number): number => rowStart[p] + size[p];
  const count = (p: number, slot: number, from = 0): void => {
    rows.count(p, planeEdge, slot * detections, from, (row, taken) => {
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
    rows.eachUses(p + 1, shareOfUse, (row, used) => {
      uses[row] = used;
    });
  };
  return {
    stored: (p, slot) => count(p, slot),
    begin(p, slot) {
      combine(p, slot, 1);
      rows.weigh(p, mu, 0);
    },
    // Uses are charged with those of the sets.
    addValues(p, { values }) {
      for (let slot = 0; slot < capacity; slot++) {
        let of = -constant[p];
        for (let row = rowStart[p]; row < end(p); row++) of += ofPlane[slot * room + row] * mu[row];
        values[slot] += of;
      }
    },
    present: (p) => value[p] + valueOfUses[p + 1],
    distance(p, slot, tau) {
      let squared = 0;
      // A row whose multiplier stays 0 on the whole way to the plane bends nothing.
      const add = (row: number, towards: number): void => {
        if (kept[row] + tau * (Math.max(towards, 0) + sum[row] + uses[row] - 1) > 0) squared += towards * towards;
      };
      for (let row = rowStart[p]; row < end(p); row++) add(row, ofPlane[slot * room + row] - sum[row]);
      const ofSlot = (d: number): number => (planeUsed[d] >> slot) & 1;
      rows.eachUses(p + 1, ofSlot, (row, used) => add(row, used - uses[row]));
      return squared;
    },
    move(p, slot, gamma, tau) {
      combine(p, slot, gamma);
      rows.weigh(p, kept, tau);
      rows.weigh(p + 1, kept, tau);
    },
    model(p) {
      let total = 0;
      for (let row = rowStart[p]; row < end(p); row++) total += mu[row] * (sum[row] + uses[row] - 1);
      return total;
    },
    stand(p, tau) {
      rows.weigh(p, kept, tau);
    },
    separate(p, all) {
      if (all === 1)
        rows.drop(
          p,
          (row) => mu[row] === 0 && kept[row] === 0 && sum[row] + uses[row] < 1 - SLACK,
          (from, to) => {
            for (let slot = 0; slot < capacity; slot++) ofPlane[slot * room + to] = ofPlane[slot * room + from];
          },
        );
      const x = (e: number): number => (share[e] * scale[p] < TINY ? 0 : share[e] * scale[p]);
      found[p] = 0;
      const violated = all === 1 ? search.violated(p, { x, use: shareOfUse }, LEAST, ROWS_AT_ONCE) : [];
      for (const items of [...search.ofDivisions(p, x, LEAST), ...violated]) {
        const row = rows.add(p, items, 0);
        if (row < 0) continue;
        for (const n of items) {
          if (n < edges) sum[row] += share[n] * scale[p];
          else uses[row] += shareOfUse(n - edges);
        }
        found[p]++;
      }
      for (let slot = 0; found[p] > 0 && slot < capacity; slot++)
        if (planeStamp[slot * pairs + p] > 0) count(p, slot, size[p] - found[p]);
    },
  };
}

/** Gives an ascent rows with multipliers. */
export function addCliques(graph: Graph, state: AscentState, given: readonly WeighedRow[]): void {
  const { cliques } = state;
  if (cliques === null) return;
  const rows = rowsOf(graph, state, cliques);
  for (const { items, mu } of given) rows.add(bisectRight(graph.edgeStart, items[0]) - 1, items, mu);
  for (let p = 0; p + 1 < graph.frames; p++) rows.weigh(p, cliques.mu, 0);
}

export interface WeighedRow {
  /** Edges, and then uses as numbers from `edges` on. */
  readonly items: readonly number[];
  readonly mu: number;
}

/** The rows that have a multiplier, without those of divisions: these follow from the others (certificate/divisions.ts). They alone have a death, as their last item. */
export function weighedCliques(graph: Graph, cliques: WeighedCliques): WeighedRow[] {
  const found: WeighedRow[] = [];
  for (let p = 0; p + 1 < graph.frames; p++)
    eachRow(cliques, p, (row, begin, end) => {
      if (cliques.mu[row] > 0)
        found.push({ items: Array.from(cliques.item.subarray(begin, end)), mu: cliques.mu[row] });
    });
  return found;
}

/** Adds to `charge` what the rows add to the cost of each edge. */
export function addCharges(graph: Graph, cliques: WeighedCliques, charge: Float64Array): void {
  for (let p = 0; p + 1 < graph.frames; p++)
    eachRow(cliques, p, (row, begin, end) => {
      for (let n = begin; n < end && cliques.item[n] < graph.edges; n++) charge[cliques.item[n]] += cliques.mu[row];
    });
}

/** What all steps do with the rows of a pair. */
function rowsOf(
  { frames, frameStart, edges }: Graph,
  { staleDelta, exclusions }: AscentState,
  cliques: WeighedCliques,
) {
  const { rowStart, itemStart, size, items, item, itemEnd, hash, mu, kept, sum, uses, constant, value, valueOfUses } =
    cliques;
  const ofRows = exclusions?.ofRows ?? null;
  /** 1 for the edges that are counted. */
  const isTaken = new Uint8Array(edges);
  const each = eachRow.bind(null, cliques);
  return {
    each,
    /** Visits rows with the sum over their uses; no rows after the last pair. */
    eachUses(p: number, of: (d: number) => number, visit: (row: number, sum: number) => void): void {
      if (p + 1 >= frames) return;
      each(p, (row, begin, end) => {
        let sum = 0;
        for (let n = end - 1; n >= begin && item[n] >= edges; n--) sum += of(item[n] - edges);
        visit(row, sum);
      });
    },
    /** Visits the rows but the first ones with the number of their items among the edges that detections take, at `edge[base + d]`. */
    count(p: number, edge: Int32Array, base: number, first: number, visit: (row: number, taken: number) => void): void {
      if (size[p] <= first) return;
      for (let i = frameStart[p]; i < frameStart[p + 1]; i++)
        if (edge[base + i] !== UNASSIGNED) isTaken[edge[base + i]] = 1;
      each(
        p,
        (row, begin, end) => {
          let taken = 0;
          for (let n = begin; n < end && item[n] < edges; n++) taken += isTaken[item[n]];
          visit(row, taken);
        },
        first,
      );
      for (let i = frameStart[p]; i < frameStart[p + 1]; i++)
        if (edge[base + i] !== UNASSIGNED) isTaken[edge[base + i]] = 0;
    },
    /** Multipliers max(0, from + step (G − 1)). */
    weigh(p: number, from: Float64Array, step: number): void {
      if (p + 1 >= frames) return;
      let [total, worth, ofUses] = [0, 0, 0];
      ofRows?.fill(0, frameStart[p], frameStart[p + 1]);
      each(p, (row, begin, end) => {
        mu[row] = Math.max(0, from[row] + step * (sum[row] + uses[row] - 1));
        total += mu[row];
        worth += mu[row] * (sum[row] - 1);
        ofUses += mu[row] * uses[row];
        for (let n = end - 1; ofRows !== null && n >= begin && item[n] >= edges; n--) {
          ofRows[item[n] - edges] += mu[row];
          staleDelta[item[n] - edges] = 1;
        }
      });
      constant[p] = total;
      value[p] = worth;
      valueOfUses[p] = ofUses;
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
      sum[row] = uses[row] = 0;
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
          for (const values of [mu, kept, sum, uses, hash]) values[to] = values[row];
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
