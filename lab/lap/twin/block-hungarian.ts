/**
 * The twin of block-hungarian-subgroup.wgsl and block-hungarian-portable.wgsl: the same method in the same f32 operations and
 * the same order of ties, with all teams on one thread. It shows what the kernels compute and is compared with them bit for
 * bit; the CPU's own solver is jv.ts.
 */
import { type DenseLapF32, f32, LapState, NONE, type Previous } from "./lap-state.js";

/** How a kernel lays a LAP over its threads; decides ties and how many rows act at once, never the optimal cost. */
export interface TeamLayout {
  readonly teams: number;
  readonly lanes: number;
  /** Neighbouring columns a lane owns: 4 on the subgroup path, 1 on the portable path. */
  readonly columnsPerLane: number;
  readonly bidRounds: number;
}

export interface BlockHungarianResult extends Previous {
  readonly status: "optimal" | "infeasible";
  readonly index: number;
  readonly rowDual: Float32Array;
  readonly bidRounds: number;
  readonly pathRounds: number;
  readonly steps: number;
}

const EXIT = -2;

/** Solves one LAP; `previous` makes it a warm start from those column duals and that matching. */
export function solveBlockHungarian(lap: DenseLapF32, layout: TeamLayout, previous?: Previous): BlockHungarianResult {
  return new BlockHungarian(lap, layout).solve(previous);
}

interface Path {
  readonly root: number;
  /** Free column it ends in, or NONE. */
  readonly end: number;
  /** Row that ends it by staying unassigned, or NONE; both NONE if there is no path. */
  readonly exit: number;
  readonly reached: number;
  readonly distance: Float32Array;
  readonly scanned: Uint8Array;
  readonly predecessor: Int32Array;
  readonly steps: number;
}

class BlockHungarian extends LapState {
  constructor(
    lap: DenseLapF32,
    readonly layout: TeamLayout,
  ) {
    super(lap);
  }

  solve(previous?: Previous): BlockHungarianResult {
    const { lap, layout, u, v, columnOf, rowOf } = this;
    let ring = this.begin(previous);
    const budget = layout.bidRounds * Math.ceil(ring.length / layout.teams);
    let bids = 0;
    for (; ring.length > 0 && bids < budget; bids++) {
      const back = this.bidAndAward(ring.slice(0, layout.teams));
      ring = ring.slice(layout.teams).concat(back);
    }
    this.lowerDuals([]);
    let rounds = 0;
    let steps = 0;
    let failed = NONE;
    while (ring.length > 0 && failed === NONE) {
      const paths = ring.slice(0, layout.teams).map((root) => this.search(root));
      steps += Math.max(...paths.map((path) => path.steps));
      failed = Math.max(...paths.map((path) => (path.end === NONE && path.exit === NONE ? path.root : NONE)));
      if (failed !== NONE) break;
      const lost = this.flipDisjoint(paths);
      this.lowerDuals(paths);
      ring = ring.slice(layout.teams).concat(lost);
      rounds++;
    }
    let unserved = NONE;
    for (let j = 0; j < lap.columns; j++) if (rowOf[j] === NONE && lap.columnLimit[j] === Infinity) unserved = j;
    const status = failed === NONE && unserved === NONE ? "optimal" : "infeasible";
    const index = failed !== NONE ? failed : unserved !== NONE ? -1 - unserved : 0;
    const result = { status, index, columnOfRow: columnOf, rowDual: u, columnDual: v } as const;
    return { ...result, bidRounds: bids, pathRounds: rounds, steps };
  }

  /** Among tied columns: free ones first, then lanes from the row's own on, then in order. */
  isPreferred(j: number, other: number, row: number): boolean {
    const isFree = this.rowOf[j] === NONE;
    if (isFree !== (this.rowOf[other] === NONE)) return isFree;
    const turn = this.turnOf(j, row) - this.turnOf(other, row);
    return turn < 0 || (turn === 0 && j < other);
  }

  turnOf(j: number, row: number): number {
    const { lanes, columnsPerLane } = this.layout;
    const lane = Math.floor(j / columnsPerLane) % lanes;
    return (lane + lanes - (row % lanes)) % lanes;
  }

  /** One auction round without ε: returns the rows that lost or were ousted, in team order. */
  bidAndAward(bidders: readonly number[]): number[] {
    const { rowLimit } = this.lap;
    const { u, v, columnOf, rowOf } = this;
    const bids = bidders.map((i) => this.bid(i));
    const back: number[] = [];
    for (const [team, { column: j, raise }] of bids.entries()) {
      const i = bidders[team];
      if (j === EXIT) {
        u[i] = rowLimit[i];
        continue;
      }
      const isBeaten = bids.some(
        (other, t) => other.column === j && (other.raise > raise || (other.raise === raise && t < team)),
      );
      if (j === NONE || isBeaten) {
        back.push(i);
        continue;
      }
      if (rowOf[j] !== NONE) {
        back.push(rowOf[j]);
        columnOf[rowOf[j]] = NONE;
      }
      rowOf[j] = i;
      columnOf[i] = j;
      v[j] -= raise;
    }
    return back;
  }

  bid(i: number): { column: number; raise: number } {
    const { columns, rowLimit } = this.lap;
    let column = NONE;
    let first = Infinity;
    let second = Infinity;
    for (let j = 0; j < columns; j++) {
      const x = this.reduced(i, j);
      if (x < first || (x === first && column !== NONE && this.isPreferred(j, column, i))) {
        second = first;
        first = x;
        column = j;
      } else second = Math.min(second, x);
    }
    const most = rowLimit[i];
    if (most <= first && most < Infinity) return { column: EXIT, raise: 0 };
    const next = Math.min(second, most);
    if (first === Infinity || next === Infinity) return { column: NONE, raise: 0 };
    const raise = f32(next - first);
    return raise === 0 && this.rowOf[column] !== NONE ? { column: NONE, raise } : { column, raise };
  }

  /** Shortest augmenting path from a free row, by Dijkstra on the reduced costs. */
  search(root: number): Path {
    const { columns, rowLimit, cost } = this.lap;
    const { u, v, rowOf } = this;
    const distance = new Float32Array(columns);
    const predecessor = new Int32Array(columns).fill(root);
    const scanned = new Uint8Array(columns);
    for (let j = 0; j < columns; j++) distance[j] = this.reduced(root, j);
    const rootDual = distance.reduce((least, d) => Math.min(least, d), rowLimit[root]);
    for (let j = 0; j < columns; j++) distance[j] -= rootDual;
    const path = { root, distance, predecessor, scanned };
    let exit = root;
    let exitAt = f32(rowLimit[root] - rootDual);
    if (rootDual === Infinity) return { ...path, end: NONE, exit: NONE, reached: 0, steps: 1 };
    for (let steps = 1; ; steps++) {
      let nearest = NONE;
      let end = NONE;
      const isNearer = (j: number, other: number): boolean =>
        other === NONE ||
        distance[j] < distance[other] ||
        (distance[j] === distance[other] && this.isPreferred(j, other, root));
      for (let j = 0; j < columns; j++) {
        if (scanned[j] === 1 || distance[j] === Infinity) continue;
        if (isNearer(j, nearest)) nearest = j;
        if (rowOf[j] === NONE && isNearer(j, end)) end = j;
      }
      const reached = nearest === NONE ? Infinity : distance[nearest];
      if (Math.min(exitAt, reached) === Infinity) return { ...path, end: NONE, exit: NONE, reached, steps };
      if (exitAt <= reached) return { ...path, end: NONE, exit, reached: exitAt, steps };
      if (end !== NONE && distance[end] <= f32(reached + this.slack))
        return { ...path, end, exit: NONE, reached, steps };
      scanned[nearest] = 1;
      const i = rowOf[nearest];
      for (let j = 0; j < columns; j++) {
        const c = cost[i * columns + j];
        if (c === Infinity || scanned[j] === 1) continue;
        const d = Math.max(f32(f32(f32(c - v[j]) - u[i]) + reached), reached);
        if (d < distance[j]) {
          distance[j] = d;
          predecessor[j] = i;
        }
      }
      const d = Math.max(f32(f32(rowLimit[i] - u[i]) + reached), reached);
      if (d < exitAt) {
        exitAt = d;
        exit = i;
      }
    }
  }

  /** Flips the paths that share no column with a path of an earlier team; returns the roots of the others. */
  flipDisjoint(paths: readonly Path[]): number[] {
    const { columnOf, rowOf, u } = this;
    const owner = new Int32Array(this.lap.columns).fill(paths.length);
    const columnsOf = paths.map(({ end, exit, predecessor }) => {
      const columns: number[] = [];
      let j = end === NONE ? columnOf[exit] : end;
      for (; j !== NONE; j = columnOf[predecessor[j]]) columns.push(j);
      return columns;
    });
    for (const [team, columns] of columnsOf.entries()) {
      for (const j of columns) owner[j] = Math.min(owner[j], team);
    }
    return paths.flatMap(({ root, end, exit, predecessor }, team) => {
      if (!columnsOf[team].every((j) => owner[j] === team)) return [root];
      if (end === NONE) {
        columnOf[exit] = NONE;
        u[exit] = this.lap.rowLimit[exit];
      }
      for (const j of columnsOf[team]) {
        columnOf[predecessor[j]] = j;
        rowOf[j] = predecessor[j];
      }
      return [];
    });
  }

  /** v falls by the largest amount any team asked for; the rows' duals follow from their links. */
  lowerDuals(paths: readonly Path[]): void {
    for (let j = 0; j < this.lap.columns; j++) {
      let drop = 0;
      for (const { scanned, reached, distance } of paths) {
        if (scanned[j] === 1) drop = Math.max(drop, f32(reached - distance[j]));
      }
      this.v[j] -= drop;
      if (this.rowOf[j] !== NONE) this.u[this.rowOf[j]] = this.reduced(this.rowOf[j], j);
    }
  }
}
