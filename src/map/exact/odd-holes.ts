import type { Item } from "../certificate/cuts.js";
import type { Instance } from "../instance/instance.js";
import type { Violated } from "./separation.js";

/** Values closer than this to 0 or 1 are not fractional. */
const FRACTIONAL = 1e-5;

/**
 * Odd holes of the conflict graph of fractional x and y that a point violates by more than `least`: shortest paths in the doubled
 * graph, where an edge between items a and b has the length 1 − a − b (M. Grötschel, L. Lovász, A. Schrijver, "Geometric Algorithms
 * and Combinatorial Optimization", 1988, §8.3). They span frame pairs, which cliques of one pair cannot.
 */
export function separateOddHoles(
  instance: Instance,
  x: Float64Array,
  y: Float64Array,
  least: number,
  most: number,
): Violated[] {
  const { edges, tail, head, triplets } = instance;
  if (triplets.kind !== "csr") throw new Error("cuts are over stored triplets");
  const items: Item[] = [];
  const worth: number[] = [];
  const fractional = (value: number): boolean => value > FRACTIONAL && value < 1 - FRACTIONAL;
  for (let e = 0; e < edges; e++) {
    if (fractional(x[e])) {
      items.push([e, -1]);
      worth.push(x[e]);
    }
    for (let t = triplets.start[e]; t < triplets.start[e + 1]; t++) {
      if (!fractional(y[t])) continue;
      items.push([e, triplets.successor[t]]);
      worth.push(y[t]);
    }
  }

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
  const neighbours: Map<number, number>[] = items.map(() => new Map());
  for (const row of at.values()) {
    for (let n = 0; n < row.length; n++) {
      for (let m = 0; m < n; m++) {
        const [[a, e], [b, g]] = [row[n], row[m]];
        if (e === g || a === b) continue;
        const length = Math.max(0, 1 - worth[a] - worth[b]) + 1e-6;
        if (length >= 1) continue;
        neighbours[a].set(b, length);
        neighbours[b].set(a, length);
      }
    }
  }

  const count = items.length;
  const violated: Violated[] = [];
  const seen = new Set<string>();
  const distance = new Float64Array(2 * count);
  const from = new Int32Array(2 * count);
  for (let source = 0; source < count; source++) {
    const path = shortest(source);
    if (path === null || new Set(path).size !== path.length) continue;
    const key = [...path].sort((a, b) => a - b).join();
    if (seen.has(key)) continue;
    seen.add(key);
    const by = path.reduce((sum, n) => sum + worth[n], 0) - (path.length - 1) / 2;
    if (by > least / 2) violated.push({ by, cut: { kind: "odd-hole", items: path.map((n) => items[n]) } });
  }
  return violated.sort((a, b) => b.by - a.by).slice(0, most);

  /** The shortest closed walk of odd length through an item, less than 1 − least long; without the item at its end. */
  function shortest(source: number): number[] | null {
    distance.fill(Number.POSITIVE_INFINITY);
    distance[source] = 0;
    from[source] = -1;
    const heap: [length: number, node: number][] = [[0, source]];
    const goal = source + count;
    while (heap.length > 0) {
      const [length, node] = pop(heap);
      if (length > distance[node]) continue;
      if (node === goal) break;
      const item = node % count;
      const other = node < count ? count : 0;
      for (const [next, step] of neighbours[item]) {
        const reached = length + step;
        if (reached >= 1 - least || reached >= distance[next + other]) continue;
        distance[next + other] = reached;
        from[next + other] = node;
        push(heap, [reached, next + other]);
      }
    }
    if (distance[goal] === Number.POSITIVE_INFINITY) return null;
    const path: number[] = [];
    for (let node = from[goal]; node >= 0; node = from[node]) path.push(node % count);
    return path;
  }
}

type Entry = [length: number, node: number];

function push(heap: Entry[], entry: Entry): void {
  let at = heap.length;
  heap.push(entry);
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (heap[parent][0] <= entry[0]) break;
    heap[at] = heap[parent];
    at = parent;
  }
  heap[at] = entry;
}

function pop(heap: Entry[]): Entry {
  const top = heap[0];
  const entry = heap.pop() as Entry;
  if (heap.length === 0) return top;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && heap[child + 1][0] < heap[child][0]) child++;
    if (heap[child][0] >= entry[0]) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = entry;
  return top;
}
