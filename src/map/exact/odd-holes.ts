import { group } from "d3-array";
import type { Item } from "../certificate/cuts.js";
import { fileOrder } from "../instance/edges.js";
import type { Graph } from "../instance/instance.js";
import type { Violated } from "./separation.js";

/** Values closer than this to 0 or 1 are not fractional. */
const FRACTIONAL = 1e-5;
/** The greatest number of holes through one item from which a search begins. */
const THROUGH = 3;
/** Walks longer than 1, which no violated hole is, are searched up to 1 and this: once widened, the hole may be violated. */
const REACH = 0.2;

/**
 * Odd holes of the conflict graph of fractional x and y that a point violates by more than `least` / 2: shortest closed walks of odd length where
 * an edge between items a and b has the length 1 − a − b (M. Grötschel, L. Lovász, A. Schrijver, "Geometric Algorithms and Combinatorial
 * Optimization", 1988, §8.3). They span frame pairs, which cliques of one pair cannot.
 *
 * Each item of a hole is widened to a group, and the violation is that of the groups (`Cut`).
 */
export function separateOddHoles(
  graph: Graph,
  x: Float64Array,
  y: Float64Array,
  least: number,
  most: number,
): Violated[] {
  const { items, worth } = fractionalItems(graph, x, y);
  const conflicts = conflictsOf(graph, items, worth);
  const walks = new OddWalks(conflicts);
  const violated: Violated[] = [];
  const seen = new Set<string>();
  const covered = new Uint8Array(items.length);
  for (let source = 0; source < items.length; source++) {
    const hole = covered[source] < THROUGH ? walks.shortest(source) : null;
    if (hole === null || new Set(hole).size !== hole.length) continue;
    const key = [...hole].sort((a, b) => a - b).join();
    if (seen.has(key)) continue;
    seen.add(key);
    const groups = widened(hole, conflicts, worth);
    const all = groups.flat();
    const by = all.reduce((sum, n) => sum + worth[n], 0) - (hole.length - 1) / 2;
    if (!(by > least / 2)) continue;
    for (const n of hole) covered[n]++;
    const wide = all.length > hole.length ? { groups: groups.map((group) => group.length) } : {};
    violated.push({ by, cut: { kind: "odd-hole", items: all.map((n) => items[n]), ...wide } });
  }
  return violated.sort((a, b) => b.by - a.by).slice(0, most);
}

/** Each item of a hole with others that are in conflict with it, with its group and with both groups next to it; greedily, the greatest first. */
function widened(hole: readonly number[], conflicts: Conflicts, worth: readonly number[]): number[][] {
  const groups = hole.map((n) => [n]);
  const used = new Set(hole);
  const size = hole.length;
  const besides = (at: number): readonly [number, number] => [(at + size - 1) % size, (at + 1) % size];
  const candidates: [n: number, at: number][] = [];
  hole.forEach((n, at) => {
    const [before, after] = besides(at).map((next) => conflicts[hole[next]]);
    for (const m of conflicts[n].keys()) if (!used.has(m) && before.has(m) && after.has(m)) candidates.push([m, at]);
  });
  candidates.sort(([a], [b]) => worth[b] - worth[a]);
  for (const [m, at] of candidates) {
    const [before, after] = besides(at);
    const near = [...groups[before], ...groups[at], ...groups[after]];
    if (used.has(m) || !near.every((n) => conflicts[m].has(n))) continue;
    groups[at].push(m);
    used.add(m);
  }
  return groups;
}

/** Fractional y, and fractional x that no y equals: where y_ef = x_e, whatever is in conflict with e is with (e, f) too. */
function fractionalItems(graph: Graph, x: Float64Array, y: Float64Array) {
  const { edges, triplets } = graph;
  if (triplets.kind !== "csr") throw new Error("cuts are over stored triplets");
  const order = fileOrder(graph);
  const items: Item[] = [];
  const worth: number[] = [];
  const put = (item: Item, value: number): void => {
    if (value <= FRACTIONAL || value >= 1 - FRACTIONAL) return;
    items.push(item);
    worth.push(value);
  };
  const most = new Float64Array(edges);
  for (const e of order) {
    for (let t = triplets.rowStart[e]; t < triplets.rowStart[e + 1]; t++) {
      const f = triplets.successor[t];
      most[e] = Math.max(most[e], y[t]);
      most[f] = Math.max(most[f], y[t]);
      put([e, f], y[t]);
    }
  }
  for (const e of order) if (most[e] < x[e] - FRACTIONAL) put([e, -1], x[e]);
  return { items, worth };
}

/** For each item the items in conflict with it and less than 1 away, with the length of the way there. */
type Conflicts = readonly ReadonlyMap<number, number>[];

function conflictsOf({ tail, head }: Graph, items: readonly Item[], worth: readonly number[]): Conflicts {
  /** Items by the detections that their edges leave (even) and enter (odd). */
  const ends = items.flatMap((item, n) =>
    item.flatMap((e) =>
      e < 0
        ? []
        : [
            { place: 2 * tail[e], n, e },
            { place: 2 * head[e] + 1, n, e },
          ],
    ),
  );
  const atPlace = group(
    ends.filter(({ place }) => place >= 0),
    ({ place }) => place,
  );
  const conflicts: Map<number, number>[] = items.map(() => new Map());
  for (const row of atPlace.values()) {
    for (let n = 0; n < row.length; n++) {
      for (let m = 0; m < n; m++) {
        const [{ n: a, e }, { n: b, e: g }] = [row[n], row[m]];
        if (e === g || a === b) continue;
        const length = Math.max(0, 1 - worth[a] - worth[b]) + 1e-6;
        if (length >= 1) continue;
        conflicts[a].set(b, length);
        conflicts[b].set(a, length);
      }
    }
  }
  return conflicts;
}

/**
 * Shortest closed walks of an odd number of steps, by Dijkstra's algorithm over items reached in an even and in an odd number of steps. A closed walk of length L
 * through an item has no item farther than L / 2, and at an edge in its middle both ends are reached by walks of one parity.
 */
class OddWalks {
  readonly #count: number;
  /** The rows of `conflicts`, compressed. */
  readonly #rowStart: Uint32Array;
  readonly #neighbour: Int32Array;
  readonly #length: Float64Array;
  /** Of nodes: items reached by an even number of steps, then items reached by an odd one. */
  readonly #distance: Float64Array;
  readonly #previous: Int32Array;
  readonly #settled: Uint8Array;
  readonly #heap = new MinHeap();

  constructor(conflicts: Conflicts) {
    const count = conflicts.length;
    this.#count = count;
    this.#rowStart = new Uint32Array(count + 1);
    for (const [n, row] of conflicts.entries()) this.#rowStart[n + 1] = this.#rowStart[n] + row.size;
    this.#neighbour = Int32Array.from(conflicts.flatMap((row) => [...row.keys()]));
    this.#length = Float64Array.from(conflicts.flatMap((row) => [...row.values()]));
    this.#distance = new Float64Array(2 * count).fill(Number.POSITIVE_INFINITY);
    this.#previous = new Int32Array(2 * count);
    this.#settled = new Uint8Array(2 * count);
  }

  /** The items of the shortest walk through one, which may pass an item twice; null where none is short enough. */
  shortest(source: number): number[] | null {
    const radius = (1 + REACH) / 2;
    const count = this.#count;
    const [distance, previous, settled] = [this.#distance, this.#previous, this.#settled];
    const touched: number[] = [source];
    distance[source] = 0;
    previous[source] = -1;
    this.#heap.push(0, source);
    let shortest = 2 * radius;
    let middle: readonly [number, number] | null = null;
    for (let node = this.#heap.pop(); node >= 0; node = this.#heap.pop()) {
      if (settled[node] === 1) continue;
      settled[node] = 1;
      const parity = node < count ? 0 : count;
      const item = node - parity;
      for (let k = this.#rowStart[item]; k < this.#rowStart[item + 1]; k++) {
        const reached = distance[node] + this.#length[k];
        const same = this.#neighbour[k] + parity;
        if (settled[same] === 1 && reached + distance[same] < shortest) {
          shortest = reached + distance[same];
          middle = [node, same];
        }
        const next = this.#neighbour[k] + count - parity;
        if (reached > radius || reached >= distance[next]) continue;
        if (distance[next] === Number.POSITIVE_INFINITY) touched.push(next);
        distance[next] = reached;
        previous[next] = node;
        this.#heap.push(reached, next);
      }
    }
    const hole = middle && [...this.#itemsTo(middle[0]).reverse(), ...this.#itemsTo(middle[1]).slice(0, -1)];
    for (const node of touched) {
      distance[node] = Number.POSITIVE_INFINITY;
      settled[node] = 0;
    }
    return hole;
  }

  /** From a node back to the source. */
  #itemsTo(end: number): number[] {
    const items: number[] = [];
    for (let node = end; node >= 0; node = this.#previous[node]) items.push(node % this.#count);
    return items;
  }
}

/** Nodes by length; `pop` gives −1 when it is empty. */
class MinHeap {
  readonly #length: number[] = [];
  readonly #node: number[] = [];

  push(length: number, node: number): void {
    let at = this.#length.length;
    this.#length.push(length);
    this.#node.push(node);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#length[parent] <= length) break;
      this.#length[at] = this.#length[parent];
      this.#node[at] = this.#node[parent];
      at = parent;
    }
    this.#length[at] = length;
    this.#node[at] = node;
  }

  pop(): number {
    if (this.#length.length === 0) return -1;
    const top = this.#node[0];
    const length = this.#length.pop() as number;
    const node = this.#node.pop() as number;
    const size = this.#length.length;
    if (size === 0) return top;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && this.#length[child + 1] < this.#length[child]) child++;
      if (this.#length[child] >= length) break;
      this.#length[at] = this.#length[child];
      this.#node[at] = this.#node[child];
      at = child;
    }
    this.#length[at] = length;
    this.#node[at] = node;
    return top;
  }
}
