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
 * A closed walk of length L through an item has no item farther than L / 2, and at an edge in its middle both ends are reached by walks of one parity.
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
  const count = items.length;
  const { start, neighbour, length, rows } = conflictGraph(graph, items, worth);

  // Nodes are items reached by an even number of steps, then those reached by an odd one.
  const distance = new Float64Array(2 * count).fill(Number.POSITIVE_INFINITY);
  const from = new Int32Array(2 * count);
  const settled = new Uint8Array(2 * count);
  const heap = new MinHeap();
  const radius = (1 + REACH) / 2;

  const violated: Violated[] = [];
  const seen = new Set<string>();
  const covered = new Uint8Array(count);
  for (let source = 0; source < count; source++) {
    if (covered[source] >= THROUGH) continue;
    const touched: number[] = [source];
    distance[source] = 0;
    from[source] = -1;
    heap.push(0, source);
    let shortest = 2 * radius;
    let middle: readonly [number, number] | null = null;
    for (let node = heap.pop(); node >= 0; node = heap.pop()) {
      if (settled[node] === 1) continue;
      settled[node] = 1;
      const parity = node < count ? 0 : count;
      const item = node - parity;
      for (let k = start[item]; k < start[item + 1]; k++) {
        const same = neighbour[k] + parity;
        if (settled[same] === 1 && distance[node] + length[k] + distance[same] < shortest) {
          shortest = distance[node] + length[k] + distance[same];
          middle = [node, same];
        }
        const next = neighbour[k] + count - parity;
        const reached = distance[node] + length[k];
        if (reached > radius || reached >= distance[next]) continue;
        if (distance[next] === Number.POSITIVE_INFINITY) touched.push(next);
        distance[next] = reached;
        from[next] = node;
        heap.push(reached, next);
      }
    }
    if (middle !== null) take(middle);
    for (const node of touched) {
      distance[node] = Number.POSITIVE_INFINITY;
      settled[node] = 0;
    }
  }
  return violated.sort((a, b) => b.by - a.by).slice(0, most);

  function take(middle: readonly [number, number]): void {
    const [there, back] = middle.map((end) => {
      const path: number[] = [];
      for (let node = end; node >= 0; node = from[node]) path.push(node % count);
      return path;
    });
    const hole = [...there.reverse(), ...back.slice(0, -1)];
    if (new Set(hole).size !== hole.length) return;
    const key = [...hole].sort((a, b) => a - b).join();
    if (seen.has(key)) return;
    seen.add(key);
    const groups = widened(hole);
    const all = groups.flat();
    const by = all.reduce((sum, n) => sum + worth[n], 0) - (hole.length - 1) / 2;
    if (!(by > least / 2)) return;
    for (const n of hole) covered[n]++;
    const sizes = groups.map((group) => group.length);
    const wide = all.length > hole.length ? { groups: sizes } : {};
    violated.push({ by, cut: { kind: "odd-hole", items: all.map((n) => items[n]), ...wide } });
  }

  /** Each item of a hole with others that are in conflict with it, with its group and with both groups next to it; greedily, the greatest first. */
  function widened(hole: readonly number[]): number[][] {
    const groups = hole.map((n) => [n]);
    const own = new Set(hole);
    const size = hole.length;
    const candidates: [n: number, at: number][] = [];
    hole.forEach((n, at) => {
      const [before, after] = [rows[hole[(at + size - 1) % size]], rows[hole[(at + 1) % size]]];
      for (const m of rows[n].keys()) if (!own.has(m) && before.has(m) && after.has(m)) candidates.push([m, at]);
    });
    candidates.sort(([a], [b]) => worth[b] - worth[a]);
    for (const [m, at] of candidates) {
      const near = [...groups[(at + size - 1) % size], ...groups[at], ...groups[(at + 1) % size]];
      if (own.has(m) || !near.every((n) => rows[m].has(n))) continue;
      groups[at].push(m);
      own.add(m);
    }
    return groups;
  }
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
    for (let t = triplets.start[e]; t < triplets.start[e + 1]; t++) {
      const f = triplets.successor[t];
      most[e] = Math.max(most[e], y[t]);
      most[f] = Math.max(most[f], y[t]);
      put([e, f], y[t]);
    }
  }
  for (const e of order) if (most[e] < x[e] - FRACTIONAL) put([e, -1], x[e]);
  return { items, worth };
}

/** Which items are in conflict and less than 1 apart, as compressed rows. */
function conflictGraph({ tail, head }: Graph, items: readonly Item[], worth: readonly number[]) {
  /** Items by the detections that their edges leave (even) and enter (odd). */
  const at = new Map<number, [item: number, edge: number][]>();
  const put = (place: number, item: number, edge: number): void => {
    const row = at.get(place);
    if (row === undefined) at.set(place, [[item, edge]]);
    else row.push([item, edge]);
  };
  items.forEach((item, n) => {
    for (const e of item) {
      if (e < 0) continue;
      if (tail[e] >= 0) put(2 * tail[e], n, e);
      if (head[e] >= 0) put(2 * head[e] + 1, n, e);
    }
  });
  const rows: Map<number, number>[] = items.map(() => new Map());
  for (const row of at.values()) {
    for (let n = 0; n < row.length; n++) {
      for (let m = 0; m < n; m++) {
        const [[a, e], [b, g]] = [row[n], row[m]];
        if (e === g || a === b) continue;
        const length = Math.max(0, 1 - worth[a] - worth[b]) + 1e-6;
        if (length >= 1) continue;
        rows[a].set(b, length);
        rows[b].set(a, length);
      }
    }
  }
  const start = new Uint32Array(items.length + 1);
  rows.forEach((row, n) => {
    start[n + 1] = start[n] + row.size;
  });
  return {
    rows,
    start,
    neighbour: Int32Array.from(rows.flatMap((row) => [...row.keys()])),
    length: Float64Array.from(rows.flatMap((row) => [...row.values()])),
  };
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
