import { UNASSIGNED } from "../../lap/lap.js";
import { type Cut, rightOf } from "../certificate/cuts.js";
import type { ReducedCosts } from "../certificate/reduced-costs.js";
import { fileOrder } from "../instance/edges.js";
import { tripletIndex } from "../instance/instance.js";
import type { Core } from "../proof/core.js";
import type { Multipliers } from "../proof/proof.js";
import type { LinearProgramData } from "./linear-program.js";

/**
 * The linear relaxation of a core (docs/explanation/mathematics.md §1) at reduced costs, so that its optimum is what the bound gains. Rows: (out), (in), (next), (last).
 *
 * Most of a core are the tracks that nothing is exchanged of, and most edges have one successor or one predecessor left. So an edge that is alone at its
 * ends is no column but the number 1, and the y of a triplet that is alone behind its first edge or before its second one is that edge's x.
 */
export interface Relaxation {
  readonly data: LinearProgramData;
  /** What the edges and triplets without a column cost. */
  readonly constant: number;
  /** Columns of edges, −1 for those without one. */
  columnsOf(edges: readonly number[]): number[];
  /** A cut as a row over the columns. */
  rowOf(cut: Cut): { readonly index: number[]; readonly value: number[]; readonly right: number };
  /** x by edge, then y by stored triplet, from the values of the columns. */
  pointOf(value: Float64Array): Float64Array;
  /** The multipliers that correspond to the duals of the rows, and of the cuts that were added to them. */
  multipliersOf(rowDual: Float64Array, cuts: readonly Cut[]): Multipliers;
}

/** In place of a column: what cannot be used, and what is used by all. */
const NEVER = -1;
const ALWAYS = -2;

export function relaxationOf({ graph, incidence, removed }: Core, reduced: ReducedCosts): Relaxation {
  const { frames, frameStart, edges, tail, head, triplets } = graph;
  if (triplets.kind !== "csr") throw new Error("a core has stored triplets");
  const { start, successor, count } = triplets;
  const { outFrom, outEdge, inFrom, inEdge } = incidence;
  const first = frameStart[1];
  const last = frameStart[frames - 1];
  const detections = frameStart[frames];

  // Columns, rows and sums are in the order of files, so that the same program is solved however edges are numbered.
  const order = fileOrder(graph);
  const owner = new Int32Array(count);
  const tripletOrder = new Uint32Array(count);
  let visited = 0;
  const before: number[][] = Array.from({ length: edges }, () => []);
  for (const e of order) {
    for (let t = start[e]; t < start[e + 1]; t++) {
      owner[t] = e;
      tripletOrder[visited++] = t;
      before[successor[t]].push(t);
    }
  }
  const usable = (from: Uint32Array, list: Uint32Array, d: number): number[] =>
    Array.from(list.subarray(from[d], from[d + 1])).filter((e) => removed[e] === 0);

  /** Columns of edges, then of triplets. */
  const columnOf = new Int32Array(edges + count).fill(NEVER);
  const alone = (e: number): boolean =>
    (tail[e] === UNASSIGNED || usable(outFrom, outEdge, tail[e]).length === 1) &&
    (head[e] === UNASSIGNED || usable(inFrom, inEdge, head[e]).length === 1);
  let columns = 0;
  for (const e of order) if (removed[e] === 0) columnOf[e] = alone(e) ? ALWAYS : columns++;
  /** Whether a triplet is alone behind its first edge, or before its second one. */
  const oneAfter = (e: number): boolean => start[e + 1] - start[e] === 1;
  const oneBefore = (f: number): boolean => before[f].length === 1;
  for (const t of tripletOrder) {
    const [x, next] = [columnOf[owner[t]], columnOf[successor[t]]];
    if (x === NEVER || next === NEVER) continue;
    if (x === ALWAYS) columnOf[edges + t] = next;
    else if (next === ALWAYS || oneAfter(owner[t])) columnOf[edges + t] = x;
    else columnOf[edges + t] = oneBefore(successor[t]) ? next : columns++;
  }

  const cost = new Float64Array(columns);
  let constant = 0;
  const charge = (column: number, value: number): void => {
    if (column >= 0) cost[column] += value;
    else if (column === ALWAYS) constant += value;
  };
  // Columns that cannot be used cost what nothing else does; they are held at 0 besides.
  for (const e of order) charge(columnOf[e], Number.isFinite(reduced.edge[e]) ? reduced.edge[e] : 0);
  for (const t of tripletOrder) charge(columnOf[edges + t], reduced.triplet(owner[t], successor[t], t));

  const rowStart = [0];
  const index: number[] = [];
  const value: number[] = [];
  const right: number[] = [];
  const put = (column: number, coefficient: number): void => {
    if (column < 0) return;
    index.push(column);
    value.push(coefficient);
  };
  const close = (b: number): number => {
    rowStart.push(index.length);
    right.push(b);
    return right.length - 1;
  };
  const columnRow = new Int32Array(detections).fill(-1);
  const nextRow = new Int32Array(edges).fill(-1);
  const lastRow = new Int32Array(edges).fill(-1);
  for (let d = 0; d < last; d++) {
    const out = usable(outFrom, outEdge, d);
    if (out.length === 1 && columnOf[out[0]] === ALWAYS) continue;
    for (const e of out) put(columnOf[e], 1);
    close(1);
  }
  for (let d = first; d < detections; d++) {
    const into = usable(inFrom, inEdge, d);
    if (into.length === 1 && columnOf[into[0]] === ALWAYS) continue;
    for (const e of into) put(columnOf[e], 1);
    columnRow[d] = close(1);
  }
  for (const e of order) {
    if (columnOf[e] < 0 || head[e] === UNASSIGNED || head[e] >= last) continue;
    if (oneAfter(e) && columnOf[edges + start[e]] === columnOf[e]) continue;
    for (let t = start[e]; t < start[e + 1]; t++) put(columnOf[edges + t], 1);
    put(columnOf[e], -1);
    nextRow[e] = close(0);
  }
  for (const f of order) {
    if (columnOf[f] < 0 || tail[f] === UNASSIGNED || tail[f] < first) continue;
    if (oneBefore(f) && columnOf[edges + before[f][0]] === columnOf[f]) continue;
    for (const t of before[f]) put(columnOf[edges + t], 1);
    put(columnOf[f], -1);
    lastRow[f] = close(0);
  }
  const rows = right.length;
  return {
    data: {
      cost,
      start: Int32Array.from(rowStart),
      index: Int32Array.from(index),
      value: Float64Array.from(value),
      right: Float64Array.from(right),
    },
    constant,
    columnsOf: (list) => list.map((e) => columnOf[e]),
    rowOf(cut) {
      const sums = new Map<number, number>();
      let always = 0;
      for (const [e, f] of cut.items) {
        const t = f < 0 ? -1 : tripletIndex(triplets, e, f);
        const column = f < 0 ? columnOf[e] : t < 0 ? NEVER : columnOf[edges + t];
        if (column >= 0) sums.set(column, (sums.get(column) ?? 0) + 1);
        else if (column === ALWAYS) always++;
      }
      return { index: [...sums.keys()], value: [...sums.values()], right: rightOf(cut) - always };
    },
    pointOf: (own) => Float64Array.from(columnOf, (c) => (c === ALWAYS ? 1 : c === NEVER ? 0 : own[c])),
    multipliersOf(rowDual, cuts) {
      const v = reduced.v.slice();
      const columnDual = reduced.columnDual.slice();
      for (let d = first; d < detections; d++) if (columnRow[d] >= 0) columnDual[d] += rowDual[columnRow[d]];
      const mu = Float64Array.from(cuts, (_, k) => Math.max(0, -rowDual[rows + k]));
      /** Σ μ of the cuts that a triplet without a column of its own is an item of. */
      const charged = new Map<number, number>();
      cuts.forEach(({ items }, k) => {
        for (const [e, f] of items) {
          const t = f < 0 || mu[k] === 0 ? -1 : tripletIndex(triplets, e, f);
          if (t >= 0) charged.set(t, (charged.get(t) ?? 0) + mu[k]);
        }
      });
      for (let f = 0; f < edges; f++) {
        if (lastRow[f] >= 0) v[f] += rowDual[lastRow[f]];
        else if (columnOf[f] !== NEVER && oneBefore(f)) {
          // The row that is not there has the dual at which the triplet costs nothing, so that x_f pays for it, as it does in the program.
          const [t] = before[f];
          const next = nextRow[owner[t]];
          v[f] += reduced.triplet(owner[t], f, t) + (charged.get(t) ?? 0) - (next < 0 ? 0 : rowDual[next]);
        }
      }
      return { v, columnDual, cuts, cutMultipliers: mu };
    },
  };
}
