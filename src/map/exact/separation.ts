import { group } from "d3-array";
import { PairMap } from "../../core/pair-map.js";
import { UNASSIGNED } from "../../lap/lap.js";
import type { Cut, Item } from "../certificate/cuts.js";
import { type Graph, linkBetween, tripletIndex } from "../instance/instance.js";

/** A cut, and by how much a fractional point violates it. */
export interface Violated {
  readonly cut: Cut;
  readonly by: number;
}

/** A point of the relaxation: x by edge, and the triplets that are not 0 with their y. */
export interface Point {
  readonly x: Float64Array;
  readonly y: readonly (readonly [e: number, f: number, y: number])[];
}

/** Values below this count as 0. */
const TINY = 1e-6;

/** Whether f, which leaves where e ends, may follow e. */
function follows({ triplets }: Graph, e: number, f: number): boolean {
  return triplets.kind === "implicit" || tripletIndex(triplets, e, f) >= 0;
}

/**
 * Clique inequalities of three-dimensional assignment that a point violates by more than `least`, the most violated first (E. Balas & M. J. Saltzman, "Facets of the three-index assignment polytope", 1989):
 *
 * - for e = (i, j) and f = (j, k): x_e + Σ y_{e' f} over the other e' into j + Σ y_{(i j')(j' k)} over the other j' ≤ 1;
 * - four triplets of which every two share one detection and part at another: y_{i1 j1 k} + y_{i2 j2 k} + y_{i1 j2 k1} + y_{i2 j1 k1} ≤ 1,
 *   and the same with the shared detection in the first or the middle frame.
 *
 * @param pair of the links e, where the point is one of this frame pair and the next only [all pairs]
 */
export function separateCliques(graph: Graph, { x, y }: Point, least: number, most: number, pair?: number): Violated[] {
  const { frames, edgeStart, deathStart, linkStart, linkEnd, head, tail } = graph;
  const violated: Violated[] = [];

  /** Triplets of links, and their sums by first and last detection. */
  const found: Triple[] = [];
  const worth = new PairMap<number>();
  const through = new PairMap<number>();
  for (const [e, f, value] of y) {
    if (tail[e] === UNASSIGNED || head[f] === UNASSIGNED || value <= TINY) continue;
    found.push([tail[e], head[e], head[f]]);
    worth.set(e, f, value);
    through.set(tail[e], head[f], (through.get(tail[e], head[f]) ?? 0) + value);
  }

  const [first, last] = pair === undefined ? [0, frames - 2] : [pair, pair];
  for (let p = first; p <= last; p++) {
    for (let e = edgeStart[p]; e < deathStart[p]; e++) {
      if (x[e] <= TINY) continue;
      const j = head[e];
      for (let f = linkStart[j]; f < linkEnd[j]; f++) {
        if (x[f] <= TINY) continue;
        const sum = through.get(tail[e], head[f]) ?? 0;
        if (x[e] + x[f] + sum - 1 <= least) continue;
        const by = x[e] + x[f] + sum - 2 * (worth.get(e, f) ?? 0) - 1;
        if (by > least) violated.push({ by, cut: starOf(graph, e, f) });
      }
    }
  }
  const all = violated.concat(separateQuadruples(graph, found, worth, least));
  return all.sort((a, b) => b.by - a.by).slice(0, most);
}

function starOf(graph: Graph, e: number, f: number): Cut {
  const { head, tail, linkStart, linkEnd, inStart, inEdge } = graph;
  const [i, j, k] = [tail[e], head[e], head[f]];
  const items: Item[] = [[e, -1]];
  for (const other of inEdge.subarray(inStart[j], inStart[j + 1])) {
    if (other !== e && follows(graph, other, f)) items.push([other, f]);
  }
  for (let link = linkStart[i]; link < linkEnd[i]; link++) {
    const next = head[link] === j ? -1 : linkBetween(graph, head[link], k);
    if (next >= 0 && follows(graph, link, next)) items.push([link, next]);
  }
  return { kind: "clique", items };
}

type Triple = readonly [i: number, j: number, k: number];

function separateQuadruples(graph: Graph, found: readonly Triple[], worth: PairMap<number>, least: number): Violated[] {
  const itemOf = ([i, j, k]: readonly number[]): { item: Item; value: number } | null => {
    const e = linkBetween(graph, i, j);
    const f = e < 0 ? -1 : linkBetween(graph, j, k);
    if (f < 0 || !follows(graph, e, f)) return null;
    return { item: [e, f], value: worth.get(e, f) ?? 0 };
  };
  /** Fractional triplets at each detection, by its place in them. */
  const at = [0, 1, 2].map((place) => group(found, (triple) => triple[place]));
  const violated: Violated[] = [];
  const seen = new Set<string>();
  for (const shared of [0, 1, 2] as const) {
    const [p, q] = ([0, 1, 2] as const).filter((place) => place !== shared);
    for (const row of at[shared].values()) {
      for (let n = 0; n < row.length; n++) {
        for (let m = 0; m < n; m++) {
          const [a, b] = [row[n], row[m]];
          if (a[p] === b[p] || a[q] === b[q]) continue;
          const others = new Set<number>();
          for (const one of [...(at[p].get(a[p]) ?? []), ...(at[p].get(b[p]) ?? [])]) {
            if (one[shared] !== a[shared]) others.add(one[shared]);
          }
          for (const third of others) {
            const crossed = (first: Triple, second: Triple): number[] => {
              const triple = [0, 0, 0];
              triple[p] = first[p];
              triple[q] = second[q];
              triple[shared] = third;
              return triple;
            };
            const four = [a, b, crossed(a, b), crossed(b, a)];
            const items = four.flatMap((triple) => itemOf(triple) ?? []);
            const by = items.reduce((sum, { value }) => sum + value, -1);
            if (by <= least) continue;
            const key = four
              .map((triple) => triple.join())
              .sort()
              .join(";");
            if (seen.has(key)) continue;
            seen.add(key);
            violated.push({ by, cut: { kind: "clique", items: items.map(({ item }) => item) } });
          }
        }
      }
    }
  }
  return violated;
}

/** The same cut has the same key. */
export function keyOf({ kind, items, set }: Cut): string {
  if (kind === "exclusion") return `${kind}:${set}`;
  return `${kind}:${items
    .map(([e, f]) => `${e}.${f}`)
    .sort()
    .join()}`;
}
