import type { Graph } from "../../src/map/instance/instance.js";
import { exactly } from "./tracks.js";

/** What certifyBound bounds (docs/explanation/mathematics.md §4), without any rounding, in units of 2⁻³⁰⁰. */
export interface ExactBound {
  /** L(v), every X-LAP by enumeration. */
  readonly lagrangian: bigint;
  /** Σα + Σβ for the β given. */
  readonly dual: bigint;
  /** Σ |Δ| + |o| + |Ĉ| + |σ| over the entries that set the minima, in f64. */
  readonly magnitude: number;
}

interface Entry {
  readonly reduced: bigint;
  /** |Δ| + |o| + |Ĉ| */
  readonly magnitude: number;
}

/** Entries this close to the least one count as least. */
const TIE = exactly(2 ** -35);

/** null where a detection can take no edge, or the X-LAPs have no solution. */
export function exactBound(graph: Graph, v: Float64Array, columnDual: Float64Array): ExactBound | null {
  const { frames, frameStart, links, edges, deathOf, birthOf, tail, head } = graph;
  const hasBirths = edges > links;
  const entry = Array.from({ length: edges }, (_, e) => entryOf(graph, v, e));
  const allowed = (e: number): boolean => entry[e] !== null;
  const reduced = (e: number): bigint => (entry[e] as Entry).reduced;
  const rowOf = (i: number): number[] => [...tail.keys()].filter((e) => head[e] >= 0 && tail[e] === i && allowed(e));

  let dual = 0n;
  let magnitude = 0;
  const take = (candidates: readonly { readonly slack: bigint; readonly magnitude: number }[]): bigint => {
    const least = candidates.reduce((a, b) => (b.slack < a.slack ? b : a)).slack;
    const ties = candidates.filter(({ slack }) => slack <= least + TIE);
    magnitude += Math.max(...ties.map((one) => one.magnitude + size(one.slack)));
    dual += least;
    return least;
  };
  const candidate = (e: number, beta: bigint) => ({
    slack: reduced(e) - beta,
    magnitude: (entry[e] as Entry).magnitude,
  });
  const beta = new Map<number, bigint>();
  for (let j = frameStart[1]; j < frameStart[frames]; j++) {
    const given = { slack: exactly(columnDual[j]), magnitude: 0 };
    beta.set(j, take(hasBirths ? [given, candidate(birthOf[j], 0n)] : [given]));
  }
  for (let i = 0; i < frameStart[frames - 1]; i++) {
    const row = rowOf(i).map((e) => candidate(e, beta.get(head[e]) as bigint));
    if (hasBirths) row.push(candidate(deathOf[i], 0n));
    if (row.length === 0) return null;
    take(row);
  }

  /** The least Σ Ĉ over rows i … of a frame pair that ends before detection `rowEnd`, its columns up to `columnEnd`. */
  const assign = (i: number, rowEnd: number, columnEnd: number, taken: ReadonlySet<number>): bigint | null => {
    if (i === rowEnd) {
      const free = Array.from({ length: columnEnd - rowEnd }, (_, j) => rowEnd + j).filter((j) => !taken.has(j));
      if (free.length > 0 && !hasBirths) return null;
      return free.reduce((sum, j) => sum + reduced(birthOf[j]), 0n);
    }
    const totals = rowOf(i).flatMap((e) => {
      if (taken.has(head[e])) return [];
      const rest = assign(i + 1, rowEnd, columnEnd, new Set([...taken, head[e]]));
      return rest === null ? [] : [reduced(e) + rest];
    });
    const rest = hasBirths ? assign(i + 1, rowEnd, columnEnd, taken) : null;
    if (rest !== null) totals.push(reduced(deathOf[i]) + rest);
    return totals.length === 0 ? null : totals.reduce((a, b) => (b < a ? b : a));
  };
  let lagrangian = 0n;
  for (let p = 0; p + 1 < frames; p++) {
    const value = assign(frameStart[p], frameStart[p + 1], frameStart[p + 2], new Set());
    if (value === null) return null;
    lagrangian += value;
  }
  return { lagrangian, dual, magnitude };
}

function entryOf(graph: Graph, v: Float64Array, e: number): Entry | null {
  const { frames, frameStart, tail, head, cost } = graph;
  const multiplier = (edge: number) => (tail[edge] < frameStart[1] ? 0n : exactly(v[edge]));
  let delta = 0n;
  if (head[e] >= 0 && head[e] < frameStart[frames - 1]) {
    const all = continuations(graph, e).map(([f, d]) => exactly(d) - multiplier(f));
    if (all.length === 0) return null;
    delta = all.reduce((least, value) => (value < least ? value : least));
  }
  const own = exactly(cost[e]) + multiplier(e);
  return { reduced: own + delta, magnitude: size(delta) + size(own) + size(own + delta) };
}

/** [f, D_ef] of every edge f that may follow edge e. */
function continuations({ edges, tail, head, triplets }: Graph, e: number): [number, number][] {
  if (triplets.kind === "csr") {
    const row = [...triplets.successor.keys()].slice(triplets.rowStart[e], triplets.rowStart[e + 1]);
    return row.map((t) => [triplets.successor[t], triplets.cost[t]]);
  }
  const m = triplets.perEdge;
  const d = (f: number) => {
    if (tail[e] < 0 || head[f] < 0) return 0;
    if (triplets.rule === "absolute") return Math.abs(m[e] - m[f]);
    return (m[2 * e] - m[2 * f]) ** 2 + (m[2 * e + 1] - m[2 * f + 1]) ** 2;
  };
  return Array.from({ length: edges }, (_, f) => f).flatMap((f) => (tail[f] === head[e] ? [[f, d(f)]] : []));
}

/** Magnitude of a multiple of 2⁻³⁰⁰, in f64. */
function size(value: bigint): number {
  return Math.abs(Number(value)) * 2 ** -300;
}
