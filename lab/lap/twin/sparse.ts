/**
 * The kernels of src/lap/sparse step by step on the CPU, for one LAP, in f32. Nodes, sides and words are those of the kernels: rows are
 * nodes 0, 1, …, and columns follow. Long searches give the same answer as one thread would, since equal distances are told apart by node.
 */
import { f32 } from "./lap-state.js";

export interface SparseLapF32 {
  readonly rows: number;
  readonly columns: number;
  /** rows + 1. */
  readonly rowStart: Uint32Array;
  readonly column: Uint32Array;
  readonly cost: Float32Array;
  /** Infinity where it must be assigned. */
  readonly rowLimit: Float32Array;
  readonly columnLimit: Float32Array;
  readonly slack?: number;
}

export interface SparseAnswer {
  readonly status: "optimal" | "infeasible";
  readonly index: number;
  readonly columnOfRow: Int32Array;
  readonly rowDual: Float32Array;
  readonly columnDual: Float32Array;
  readonly pathRounds: number;
  readonly steps: number;
}

type Side = "rows" | "columns";

const [FREE, LEFT, LONG, LOST] = [-1, -2, -3, -4];
const CAP = 32;
const TIGHT = 2 ** -21;

interface Label {
  readonly partner: number;
  distance: number;
  through: number;
  /** The seeker that reached the partner. */
  seeker: number;
}

interface Tree {
  readonly first: number;
  readonly scanned: readonly Label[];
  readonly labels: ReadonlyMap<number, Label>;
  readonly reach: number;
  /** null where `seeker` stays unassigned. */
  readonly end: { readonly partner: number; readonly through: number } | null;
  readonly seeker: number;
}

class SparseState {
  readonly dual: Float32Array;
  readonly link: Int32Array;
  readonly limit: Float64Array;
  readonly arcs: (readonly number[])[];
  readonly entry = new Map<number, number>();
  pathRounds = 0;
  steps = 0;

  constructor(readonly lap: SparseLapF32) {
    const { rows, columns, rowStart, column } = lap;
    this.dual = new Float32Array(rows + columns);
    this.link = new Int32Array(rows + columns).fill(FREE);
    this.limit = Float64Array.from([...lap.rowLimit, ...lap.columnLimit]);
    const arcs = Array.from({ length: rows + columns }, (): number[] => []);
    for (let i = 0; i < rows; i++) {
      for (let k = rowStart[i]; k < rowStart[i + 1]; k++) {
        arcs[i].push(rows + column[k]);
        arcs[rows + column[k]].push(i);
        this.entry.set(i * columns + column[k], k);
      }
    }
    this.arcs = arcs;
  }

  begin(previous?: { readonly columnOfRow: Int32Array; readonly columnDual: Float32Array }): void {
    const { rows, columns, rowStart, column, cost } = this.lap;
    if (previous === undefined) this.dual.fill(Infinity, rows);
    else this.dual.set(previous.columnDual, rows);
    if (previous === undefined) {
      for (const [k, c] of cost.entries()) this.dual[rows + column[k]] = Math.min(c, this.dual[rows + column[k]]);
    }
    for (let j = rows; j < rows + columns; j++) {
      if (previous === undefined && this.limit[j] < Infinity) this.dual[j] = this.limit[j];
      else if (this.dual[j] === Infinity) this.dual[j] = 0;
      else this.dual[j] = Math.min(this.dual[j], this.limit[j]);
    }
    for (let i = 0; i < rows; i++) {
      let least = this.limit[i];
      for (let k = rowStart[i]; k < rowStart[i + 1]; k++)
        least = Math.min(least, f32(cost[k] - this.dual[rows + column[k]]));
      const j = previous?.columnOfRow[i] ?? -1;
      const k = j < 0 ? undefined : this.entry.get(i * columns + j);
      if (k !== undefined) {
        const own = f32(cost[k] - this.dual[rows + j]);
        const magnitude = f32(Math.abs(cost[k]) + Math.abs(this.dual[rows + j]));
        if (f32(own - least) <= this.#allowed(magnitude)) {
          this.link[i] = k;
          this.link[rows + j] = i;
          this.dual[i] = own;
          continue;
        }
      }
      const stay = this.limit[i];
      const isAtLimit = stay < Infinity && f32(stay - least) <= this.#allowed(Math.abs(stay));
      this.link[i] = isAtLimit ? LEFT : FREE;
      this.dual[i] = isAtLimit ? stay : least;
    }
  }

  #allowed(magnitude: number): number {
    return Math.max(f32(TIGHT * magnitude), f32(this.lap.slack ?? 0));
  }

  serve(side: Side, searches: number): void {
    const { rows, columns } = this.lap;
    const nodes = Array.from({ length: side === "rows" ? rows : columns }, (_, k) => (side === "rows" ? k : rows + k));
    let waiting = nodes.filter((n) => this.link[n] === FREE && (side === "rows" || this.dual[n] < this.limit[n]));
    while (waiting.length > 0) {
      const again: number[] = [];
      for (let at = 0; at < waiting.length; at += searches) {
        this.pathRounds++;
        again.push(...this.#round(side, waiting.slice(at, at + searches)));
      }
      waiting = again;
    }
    for (const node of nodes.filter((n) => this.link[n] === LONG)) {
      const tree = this.#search(side, node, Infinity);
      if (tree === "lost" || tree === "long") this.link[node] = LOST;
      else this.#flip(side, tree);
    }
  }

  /** The nodes whose search must be repeated. */
  #round(side: Side, nodes: readonly number[]): number[] {
    const trees: Tree[] = [];
    for (const node of nodes) {
      const tree = this.#search(side, node, CAP);
      if (tree === "long") this.link[node] = LONG;
      else if (tree === "lost") this.link[node] = LOST;
      else trees.push(tree);
    }
    const claim = new Map<number, number>();
    const claimed = ({ scanned, end }: Tree) =>
      [...scanned, ...(end === null ? [] : [end])].map(({ partner }) => partner);
    for (const tree of trees) {
      for (const j of claimed(tree)) claim.set(j, Math.min(tree.first, claim.get(j) ?? Infinity));
    }
    const wins = trees.filter((tree) => claimed(tree).every((j) => claim.get(j) === tree.first));
    for (const tree of wins) this.#flip(side, tree);
    return trees.filter((tree) => !wins.includes(tree)).map(({ first }) => first);
  }

  #rowArc(side: Side, seeker: number, partner: number): number {
    const { rows, columns } = this.lap;
    const [i, j] = side === "rows" ? [seeker, partner] : [partner, seeker];
    return this.entry.get(i * columns + j - rows) as number;
  }

  #holder(side: Side, partner: number): number {
    return side === "rows" ? this.link[partner] : this.lap.rows + this.lap.column[this.link[partner]];
  }

  /** @param most labels that a short search has */
  #search(side: Side, first: number, most: number): Tree | "long" | "lost" {
    const { cost } = this.lap;
    const labels = new Map<number, Label>();
    const scanned: Label[] = [];
    let reach = Infinity;
    let end: Tree["end"] = null;
    let endSeeker = -1;
    for (let seeker = first, least = -Infinity, offset = 0; ; ) {
      const stay = Math.max(least, f32(this.limit[seeker] + offset));
      if (stay < reach) [reach, end, endSeeker] = [stay, null, seeker];
      // A long search's threads look at their arcs at once, so its labels are made by the end that was known before them.
      const before = reach;
      for (const partner of this.arcs[seeker]) {
        const through = this.#rowArc(side, seeker, partner);
        const distance = Math.max(least, f32(f32(cost[through] - this.dual[partner]) + offset));
        if (!(distance < (most < Infinity ? reach : before))) continue;
        if (this.link[partner] < 0) {
          if (distance < reach) [reach, end, endSeeker] = [distance, { partner, through }, seeker];
          continue;
        }
        const label = labels.get(partner);
        if (label === undefined) {
          if (labels.size === most) return "long";
          labels.set(partner, { partner, distance, through, seeker });
        } else if (distance < label.distance && !scanned.includes(label)) {
          Object.assign(label, { distance, through, seeker });
        }
      }
      const open = [...labels.values()].filter((label) => !scanned.includes(label) && label.distance < reach);
      if (open.length === 0) break;
      const isBefore = (one: Label, other: Label) =>
        one.distance < other.distance ||
        (most === Infinity && one.distance === other.distance && one.partner < other.partner);
      const nearest = open.reduce((best, one) => (isBefore(one, best) ? one : best));
      scanned.push(nearest);
      if (most === Infinity) this.steps++;
      least = nearest.distance;
      seeker = this.#holder(side, nearest.partner);
      const held = this.link[side === "rows" ? seeker : nearest.partner];
      offset = f32(least - f32(cost[held] - this.dual[nearest.partner]));
    }
    return reach === Infinity ? "lost" : { first, scanned, labels, reach, end, seeker: endSeeker };
  }

  #flip(side: Side, { first, scanned, labels, reach, end, seeker: last }: Tree): void {
    const { dual, link, lap } = this;
    for (const { partner, distance } of scanned) {
      const step = f32(reach - distance);
      const holder = this.#holder(side, partner);
      dual[partner] -= step;
      dual[holder] += step;
    }
    dual[first] = reach;
    const ownOf = (seeker: number) =>
      seeker === first ? -1 : side === "columns" ? link[seeker] : lap.rows + lap.column[link[seeker]];
    let seeker = last;
    let next = end;
    if (next === null) {
      const own = ownOf(seeker);
      link[seeker] = side === "rows" ? LEFT : FREE;
      dual[seeker] = this.limit[seeker];
      if (own < 0) return;
      next = labels.get(own) as Label;
      seeker = (next as Label).seeker;
    }
    for (;;) {
      const own = ownOf(seeker);
      link[side === "rows" ? seeker : next.partner] = next.through;
      link[side === "rows" ? next.partner : seeker] = side === "rows" ? seeker : next.partner;
      if (own < 0) return;
      next = labels.get(own) as Label;
      seeker = (next as Label).seeker;
    }
  }

  answer(): SparseAnswer {
    const { rows, columns, cost, column } = this.lap;
    const { dual, link, pathRounds, steps } = this;
    for (let i = 0; i < rows; i++) {
      if (link[i] >= 0) dual[i] = cost[link[i]] - dual[rows + column[link[i]]];
      else if (link[i] === LOST) dual[i] = 0;
    }
    const lost = link.indexOf(LOST);
    return {
      status: lost < 0 ? "optimal" : "infeasible",
      index: lost < 0 ? 0 : lost < rows ? lost : -1 - (lost - rows),
      columnOfRow: Int32Array.from({ length: rows }, (_, i) => (link[i] < 0 ? -1 : column[link[i]])),
      rowDual: dual.slice(0, rows),
      columnDual: dual.slice(rows, rows + columns),
      pathRounds,
      steps,
    };
  }
}

/** @param searches threads that search at once @param mayBeLeft whether columns seek rows too, as LapBatchShape states it */
export function solveSparse(
  lap: SparseLapF32,
  { searches, mayBeLeft }: { readonly searches: number; readonly mayBeLeft: boolean },
  previous?: SparseAnswer,
): SparseAnswer {
  const state = new SparseState(lap);
  state.begin(previous);
  state.serve("rows", searches);
  if (mayBeLeft && !state.link.includes(LOST)) state.serve("columns", searches);
  return state.answer();
}
