import { UNASSIGNED } from "../../lap/lap.js";
import { type Cut, type Item, rightOf } from "../certificate/cuts.js";
import { fileOrder } from "../instance/edges.js";
import { type Graph, type StoredTriplets, tripletIndex } from "../instance/instance.js";
import type { Core } from "../proof/core.js";
import type { Multipliers } from "../proof/proof.js";
import type { LinearProgramData } from "./linear-program.js";
import type { ReducedCosts } from "./stages.js";

/** In place of a column: the variable is always 0, or always 1, or the sum of an edge's triplets. */
const NEVER = -1;
const ALWAYS = -2;
const SUM = -3;

/** With so many frames every edge at a detection of the middle one is the sum of its triplets, and both rows of that detection are the same. */
const THREE = 3;

/**
 * The linear relaxation of a core (docs/explanation/mathematics.md §1) at reduced costs, so that its optimum is the gain of the bound. Rows: (out), (in), (next), (last).
 *
 * Most of a core are tracks of which nothing is exchanged, and most edges have one successor or one predecessor left. So an edge that is alone at its
 * ends is no column but the number 1, and the y of a triplet that is alone behind its first edge or before its second one is that edge's x. In three frames the y alone
 * are columns and the detections alone rows, as in axial assignment.
 *
 * Columns, rows and sums are in the order of files, so that the same program is solved however edges are numbered.
 */
export class Relaxation {
  readonly data: LinearProgramData;
  /** What the edges and triplets without a column cost. */
  readonly constant: number;
  readonly #edges: number;
  readonly #triplets: OrderedTriplets;
  /** Columns of edges, then of triplets. */
  readonly #columnOf: Int32Array;
  /** Rows (in) by detection, (next) and (last) by edge; −1 where there is none. */
  readonly #columnRow: Int32Array;
  /** Rows (out) of the middle one of three frames, by detection; −1 where (in) says the same. */
  readonly #middleRow: Int32Array;
  readonly #nextRow: Int32Array;
  readonly #lastRow: Int32Array;

  constructor(
    core: Core,
    private readonly reduced: ReducedCosts,
  ) {
    const { graph } = core;
    const { edges } = graph;
    this.#edges = edges;
    this.#triplets = new OrderedTriplets(graph);
    const { columnOf, columns } = columnsOf(core, this.#triplets);
    this.#columnOf = columnOf;
    this.#columnRow = new Int32Array(graph.frameStart[graph.frames]).fill(-1);
    this.#middleRow = this.#columnRow.slice();
    this.#nextRow = new Int32Array(edges).fill(-1);
    this.#lastRow = new Int32Array(edges).fill(-1);
    const rows = new Rows();
    this.#addMatchings(core, rows);
    this.#addTriplets(graph, rows);
    const { cost, constant } = this.#costs(columns);
    this.constant = constant;
    this.data = { cost, ...rows.data() };
  }

  #costs(columns: number): { readonly cost: Float64Array; readonly constant: number } {
    const { order, owner, successor } = this.#triplets;
    const cost = new Float64Array(columns);
    let constant = 0;
    const charge = (variable: number, value: number): void => {
      if (this.#columnOf[variable] === ALWAYS) constant += value;
      else for (const column of this.#columns(variable)) cost[column] += value;
    };
    // Columns that cannot be used cost nothing; they are held at 0 besides.
    for (const e of this.#triplets.edges) {
      const value = this.reduced.edge[e];
      charge(e, Number.isFinite(value) ? value : 0);
    }
    for (const t of order) charge(this.#edges + t, this.reduced.triplet(owner[t], successor[t], t));
    return { cost, constant };
  }

  /** The columns of which an edge or a triplet is the sum. */
  #columns(variable: number): number[] {
    const column = this.#columnOf[variable];
    if (column !== SUM) return column >= 0 ? [column] : [];
    const { before } = this.#triplets;
    // An edge has triplets on one side alone.
    const triplets = before[variable].length > 0 ? before[variable] : this.#triplets.after(variable);
    return triplets.map((t) => this.#columnOf[this.#edges + t]).filter((of) => of >= 0);
  }

  /** Rows (out) and (in). */
  #addMatchings(core: Core, rows: Rows): void {
    const { frames, frameStart } = core.graph;
    const { outFrom, outEdge, inFrom, inEdge } = core.incidence;
    const add = (edges: readonly number[]): number => {
      if (edges.length === 1 && this.#columnOf[edges[0]] === ALWAYS) return -1;
      for (const e of edges) for (const column of this.#columns(e)) rows.put(column, 1);
      return rows.close(1);
    };
    for (let d = 0; d < (frames === THREE ? frameStart[1] : frameStart[frames - 1]); d++)
      add(usable(core, outFrom, outEdge, d));
    for (let d = frameStart[1]; d < frameStart[frames]; d++) this.#columnRow[d] = add(usable(core, inFrom, inEdge, d));
    for (let d = frameStart[1]; frames === THREE && d < frameStart[2]; d++)
      if (this.#columnRow[d] < 0) this.#middleRow[d] = add(usable(core, outFrom, outEdge, d));
  }

  /** Rows (next) and (last). */
  #addTriplets({ frames, frameStart, tail, head }: Graph, rows: Rows): void {
    const add = (e: number, triplets: readonly number[]): number => {
      // The only triplet has the edge's own column.
      if (triplets.length === 1 && this.#columnOf[this.#edges + triplets[0]] === this.#columnOf[e]) return -1;
      for (const t of triplets) rows.put(this.#columnOf[this.#edges + t], 1);
      rows.put(this.#columnOf[e], -1);
      return rows.close(0);
    };
    const triplets = this.#triplets;
    for (const e of triplets.edges)
      if (this.#columnOf[e] >= 0 && head[e] !== UNASSIGNED && head[e] < frameStart[frames - 1])
        this.#nextRow[e] = add(e, triplets.after(e));
    for (const f of triplets.edges)
      if (this.#columnOf[f] >= 0 && tail[f] >= frameStart[1]) this.#lastRow[f] = add(f, triplets.before[f]);
  }

  /** The columns of edges, one of which is 0 where an edge is not used. */
  columnsOf(edges: readonly number[]): number[] {
    return edges.flatMap((e) => this.#columns(e));
  }

  /** The variable of an item of a cut; null for a triplet that is not there. */
  #variableOf([e, f]: Item): number | null {
    if (f < 0) return e;
    const t = tripletIndex(this.#triplets.stored, e, f);
    return t < 0 ? null : this.#edges + t;
  }

  /** A cut as a row over the columns. */
  rowOf(cut: Cut): { readonly index: number[]; readonly value: number[]; readonly right: number } {
    const sums = new Map<number, number>();
    let always = 0;
    for (const item of cut.items) {
      const variable = this.#variableOf(item);
      if (variable === null) continue;
      if (this.#columnOf[variable] === ALWAYS) always++;
      else for (const column of this.#columns(variable)) sums.set(column, (sums.get(column) ?? 0) + 1);
    }
    return { index: [...sums.keys()], value: [...sums.values()], right: rightOf(cut) - always };
  }

  /** x by edge, then y by stored triplet, from the values of the columns. */
  pointOf(value: Float64Array): Float64Array {
    const sum = (variable: number): number => this.#columns(variable).reduce((all, c) => all + value[c], 0);
    return Float64Array.from(this.#columnOf, (c, variable) => (c >= 0 ? value[c] : c === ALWAYS ? 1 : sum(variable)));
  }

  /** The multipliers that correspond to the duals of the rows, and of the cuts that were added to them. */
  multipliersOf(rowDual: Float64Array, cuts: readonly Cut[]): Multipliers {
    const { reduced } = this;
    const { owner, before } = this.#triplets;
    const rows = this.data.right.length;
    const v = reduced.v.slice();
    const columnDual = reduced.columnDual.map((dual, d) => {
      if (this.#columnRow[d] >= 0) return dual + rowDual[this.#columnRow[d]];
      // A birth that is the only edge into d pays for β, as a link pays for α. No cut has it as an item: nothing is in conflict with it.
      const birth = reduced.graph.birthOf[d];
      return birth !== UNASSIGNED && this.#columnOf[birth] === ALWAYS ? dual + reduced.edge[birth] : dual;
    });
    const mu = Float64Array.from(cuts, (_, k) => Math.max(0, -rowDual[rows + k]));
    /** Σ μ of the cuts that an edge or a triplet is an item of. */
    const charged = new Map<number, number>();
    cuts.forEach(({ items }, k) => {
      for (const item of items) {
        const variable = mu[k] === 0 ? null : this.#variableOf(item);
        if (variable !== null) charged.set(variable, (charged.get(variable) ?? 0) + mu[k]);
      }
    });
    const dualAt = (row: number | undefined): number => (row === undefined || row < 0 ? 0 : rowDual[row]);
    for (let f = 0; f < v.length; f++) {
      if (this.#columnOf[f] === SUM && before[f].length > 0) {
        // As x_f has no column it costs nothing beyond the duals of its detections.
        const duals = dualAt(this.#middleRow[reduced.graph.tail[f]]) + dualAt(this.#columnRow[reduced.graph.head[f]]);
        v[f] += duals - reduced.edge[f] - (charged.get(f) ?? 0);
      } else if (this.#lastRow[f] >= 0) v[f] += rowDual[this.#lastRow[f]];
      else if (this.#columnOf[f] !== NEVER && before[f].length === 1) {
        // The row that is not there has the dual at which the triplet costs nothing, so that x_f pays for it, as it does in the program.
        const [t] = before[f];
        const next = this.#nextRow[owner[t]];
        v[f] += reduced.triplet(owner[t], f, t) + (charged.get(this.#edges + t) ?? 0) - dualAt(next);
      }
    }
    return { v, columnDual, cuts, cutMultipliers: mu };
  }
}

/** The edges and stored triplets of a core in the order of files. */
class OrderedTriplets {
  readonly stored: StoredTriplets;
  readonly edges: Uint32Array;
  readonly order: Uint32Array;
  /** The two edges of each triplet. */
  readonly owner: Int32Array;
  readonly successor: Uint32Array;
  /** The triplets that end in each edge. */
  readonly before: readonly number[][];

  constructor(graph: Graph) {
    const { triplets } = graph;
    if (triplets.kind !== "csr") throw new Error("a core has stored triplets");
    this.stored = triplets;
    this.successor = triplets.successor;
    this.edges = fileOrder(graph);
    this.order = new Uint32Array(triplets.count);
    this.owner = new Int32Array(triplets.count);
    this.before = Array.from({ length: graph.edges }, () => []);
    let n = 0;
    for (const e of this.edges) {
      for (const t of this.after(e)) {
        this.order[n++] = t;
        this.owner[t] = e;
        this.before[this.successor[t]].push(t);
      }
    }
  }

  countAfter(e: number): number {
    return this.stored.rowStart[e + 1] - this.stored.rowStart[e];
  }

  /** The triplets that begin with an edge. */
  after(e: number): number[] {
    return Array.from({ length: this.countAfter(e) }, (_, n) => this.stored.rowStart[e] + n);
  }
}

/** The edges at a detection that are not removed. */
function usable({ removed }: Core, from: Uint32Array, list: Uint32Array, d: number): number[] {
  return Array.from(list.subarray(from[d], from[d + 1])).filter((e) => removed[e] === 0);
}

/** The column of each edge, then of each triplet. */
function columnsOf(core: Core, triplets: OrderedTriplets) {
  const { edges, order, owner, successor, before } = triplets;
  const { graph, incidence, removed } = core;
  const { tail, head } = graph;
  const { outFrom, outEdge, inFrom, inEdge } = incidence;
  const isAlone = (e: number): boolean =>
    (tail[e] === UNASSIGNED || usable(core, outFrom, outEdge, tail[e]).length === 1) &&
    (head[e] === UNASSIGNED || usable(core, inFrom, inEdge, head[e]).length === 1);
  const columnOf = new Int32Array(graph.edges + order.length).fill(NEVER);
  let columns = 0;
  const isSum = (e: number): boolean => graph.frames === THREE && (triplets.countAfter(e) > 0 || before[e].length > 0);
  for (const e of edges) if (removed[e] === 0) columnOf[e] = isAlone(e) ? ALWAYS : isSum(e) ? SUM : columns++;
  for (const t of order) {
    const [x, next] = [columnOf[owner[t]], columnOf[successor[t]]];
    if (x === NEVER || next === NEVER) continue;
    if (x === SUM || next === SUM) {
      columnOf[graph.edges + t] = columns++;
      continue;
    }
    if (x === ALWAYS) columnOf[graph.edges + t] = next;
    else if (next === ALWAYS || triplets.countAfter(owner[t]) === 1) columnOf[graph.edges + t] = x;
    else columnOf[graph.edges + t] = before[successor[t]].length === 1 ? next : columns++;
  }
  return { columnOf, columns };
}

/** Equality rows in compressed form. */
class Rows {
  readonly #rowStart = [0];
  readonly #index: number[] = [];
  readonly #value: number[] = [];
  readonly #right: number[] = [];

  /** Adds a column to the row, if it is one. */
  put(column: number, coefficient: number): void {
    if (column < 0) return;
    this.#index.push(column);
    this.#value.push(coefficient);
  }

  /** Ends the row; returns its number. */
  close(right: number): number {
    this.#rowStart.push(this.#index.length);
    return this.#right.push(right) - 1;
  }

  data(): Omit<LinearProgramData, "cost"> {
    return {
      rowStart: Int32Array.from(this.#rowStart),
      index: Int32Array.from(this.#index),
      value: Float64Array.from(this.#value),
      right: Float64Array.from(this.#right),
    };
  }
}
