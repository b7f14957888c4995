import { UNASSIGNED } from "../../lap/lap.js";
import { type Cut, rightOf } from "../certificate/cuts.js";
import type { ReducedCosts } from "../certificate/reduced-costs.js";
import { tripletIndex } from "../instance/instance.js";
import type { Core } from "./core.js";
import type { LinearProgramData, LinearProgramSolution } from "./linear-program.js";

/**
 * The linear relaxation of a core (docs/algorithm.md §1): a column for every edge, then one for every stored triplet, at reduced costs, so
 * that its optimum is what the bound gains. Rows: (out), (in), (next), (last).
 */
export interface Relaxation {
  readonly data: LinearProgramData;
  readonly columns: number;
  /** A cut as a row over the columns. */
  rowOf(cut: Cut): { readonly index: number[]; readonly value: number[]; readonly right: number };
  /** The multipliers that correspond to the duals of a solution. */
  multipliersOf(solution: LinearProgramSolution, cuts: number): Multipliers;
}

export interface Multipliers {
  readonly v: Float64Array;
  readonly columnDual: Float64Array;
  /** μ ≥ 0 of each cut. */
  readonly cuts: Float64Array;
}

export function relaxationOf({ graph, incidence }: Core, reduced: ReducedCosts): Relaxation {
  const { frames, frameStart, edges, tail, head, triplets } = graph;
  if (triplets.kind !== "csr") throw new Error("a core has stored triplets");
  const { start, successor, count } = triplets;
  const { outFrom, outEdge, inFrom, inEdge } = incidence;
  const first = frameStart[1];
  const last = frameStart[frames - 1];
  const detections = frameStart[frames];

  const cost = new Float64Array(edges + count);
  // Columns that cannot be used cost what nothing else does; they are held at 0 besides.
  for (let e = 0; e < edges; e++) cost[e] = Number.isFinite(reduced.edge[e]) ? reduced.edge[e] : 0;
  const owner = new Int32Array(count);
  for (let e = 0; e < edges; e++) {
    for (let t = start[e]; t < start[e + 1]; t++) {
      owner[t] = e;
      cost[edges + t] = reduced.triplet(e, successor[t], t);
    }
  }
  const endingIn: number[][] = Array.from({ length: edges }, () => []);
  for (let t = 0; t < count; t++) endingIn[successor[t]].push(t);

  const rowStart = [0];
  const index: number[] = [];
  const value: number[] = [];
  const right: number[] = [];
  const close = (b: number): number => {
    rowStart.push(index.length);
    right.push(b);
    return right.length - 1;
  };
  const columnRow = new Int32Array(detections).fill(-1);
  const lastRow = new Int32Array(edges).fill(-1);
  for (let d = 0; d < last; d++) {
    for (let q = outFrom[d]; q < outFrom[d + 1]; q++) {
      index.push(outEdge[q]);
      value.push(1);
    }
    close(1);
  }
  for (let d = first; d < detections; d++) {
    for (let k = inFrom[d]; k < inFrom[d + 1]; k++) {
      index.push(inEdge[k]);
      value.push(1);
    }
    columnRow[d] = close(1);
  }
  for (let e = 0; e < edges; e++) {
    if (head[e] === UNASSIGNED || head[e] >= last) continue;
    for (let t = start[e]; t < start[e + 1]; t++) {
      index.push(edges + t);
      value.push(1);
    }
    index.push(e);
    value.push(-1);
    close(0);
  }
  for (let f = 0; f < edges; f++) {
    if (tail[f] === UNASSIGNED || tail[f] < first) continue;
    for (const t of endingIn[f]) {
      index.push(edges + t);
      value.push(1);
    }
    index.push(f);
    value.push(-1);
    lastRow[f] = close(0);
  }
  const rows = right.length;
  return {
    columns: edges + count,
    data: {
      cost,
      start: Int32Array.from(rowStart),
      index: Int32Array.from(index),
      value: Float64Array.from(value),
      right: Float64Array.from(right),
    },
    rowOf(cut) {
      const columns: number[] = [];
      for (const [e, f] of cut.items) {
        const t = f < 0 ? -1 : tripletIndex(triplets, e, f);
        if (f < 0) columns.push(e);
        else if (t >= 0) columns.push(edges + t);
      }
      return { index: columns, value: columns.map(() => 1), right: rightOf(cut) };
    },
    multipliersOf({ rowDual }, cuts) {
      const v = reduced.v.slice();
      const columnDual = reduced.columnDual.slice();
      for (let f = 0; f < edges; f++) if (lastRow[f] >= 0) v[f] += rowDual[lastRow[f]];
      for (let d = first; d < detections; d++) columnDual[d] += rowDual[columnRow[d]];
      return { v, columnDual, cuts: Float64Array.from({ length: cuts }, (_, k) => Math.max(0, -rowDual[rows + k])) };
    },
  };
}
