import { UNASSIGNED } from "../../lap/lap.js";
import type { Conflicts } from "../instance/exclusions.js";
import type { Graph } from "../instance/instance.js";
import { ownerOf } from "../instance/twins.js";
import type { Cut } from "./integer-program.js";

/** The link of a column, UNASSIGNED of births and deaths, its row, UNASSIGNED of births, and its head, UNASSIGNED of deaths. */
export interface Column {
  readonly link: number;
  readonly row: number;
  readonly head: number;
}

/** Values below are 0, and those above 1 less it are 1. */
const ZERO = 1e-5;
/** What a point violates by less is no cut. */
const LEAST = 0.02;

/** The number of what is not there. */
const NONE = 0;

/** Rows that all allowed tracks of a block satisfy and a fractional point does not. */
export class BlockCuts {
  readonly #columns: readonly Column[];
  /** By column and detection, by their numbers here. */
  readonly #owner: readonly number[];
  readonly #head: readonly number[];
  /** 1 where one detection excludes another one. */
  readonly #excludes: Uint8Array;
  readonly #count: number;

  constructor(
    private readonly graph: Graph,
    { from, other }: Conflicts,
    columns: readonly Column[],
  ) {
    const numbers = new Map([[UNASSIGNED, NONE]]);
    const number = (d: number): number => {
      if (!numbers.has(d)) numbers.set(d, numbers.size);
      return numbers.get(d) as number;
    };
    this.#columns = columns;
    this.#owner = columns.map(({ row }) => number(ownerOf(graph, row)));
    this.#head = columns.map(({ head }) => number(head));
    this.#count = numbers.size;
    this.#excludes = new Uint8Array(numbers.size ** 2);
    for (const [d, n] of numbers)
      for (let k = from[d]; k < from[d + 1]; k++)
        if (numbers.has(other[k])) this.#excludes[n * this.#count + number(other[k])] = 1;
  }

  find(point: Float64Array): Cut[] {
    return [...this.#cliques(point), ...this.#divisions(point)];
  }

  /** Of columns of which every two exclude each other one is taken. */
  #cliques(point: Float64Array): Cut[] {
    const all = [...point.keys()];
    const zero = all.filter((n) => point[n] <= ZERO);
    const open = all.filter((n) => point[n] > ZERO && point[n] < 1 - ZERO).sort((a, b) => point[b] - point[a] || a - b);
    const seen = new Set<string>();
    const cuts: Cut[] = [];
    for (const first of open) {
      const clique = this.#grow([first], open);
      const key = clique.sort((a, b) => a - b).join();
      if (seen.has(key) || clique.reduce((sum, n) => sum + point[n], 0) < 1 + LEAST) continue;
      seen.add(key);
      const index = this.#grow(clique, zero);
      cuts.push({ upper: 1, index, value: index.map(() => 1) });
    }
    return cuts;
  }

  #grow(clique: number[], candidates: readonly number[]): number[] {
    for (const n of candidates) if (clique.every((each) => this.#conflict(each, n))) clique.push(n);
    return clique;
  }

  /** Whether two columns are never taken together. */
  #conflict(a: number, b: number): boolean {
    if (a === b) return false;
    const [owner, head, second, next] = [this.#owner[a], this.#head[a], this.#owner[b], this.#head[b]];
    if (head === next && head !== NONE) return true;
    if (owner === second && owner !== NONE)
      if (this.#columns[a].row === this.#columns[b].row || head === NONE || next === NONE)
        // A mother that ends has no second daughter.
        return true;
    return (
      this.#excluded(owner, second) ||
      this.#excluded(owner, next) ||
      this.#excluded(head, second) ||
      this.#excluded(head, next)
    );
  }

  #excluded(a: number, b: number): boolean {
    return this.#excludes[a * this.#count + b] === 1;
  }

  /** Of daughters that exclude each other a twin takes one only where her mother takes one that is not among them. */
  #divisions(point: Float64Array): Cut[] {
    const links = new Map<number, number[]>();
    for (const [n, owner] of this.#owner.entries())
      if (owner !== NONE && this.#head[n] !== NONE) links.set(owner, [...(links.get(owner) ?? []), n]);
    const cuts: Cut[] = [];
    for (const all of links.values()) {
      const isTwin = (n: number): boolean => ownerOf(this.graph, this.#columns[n].row) !== this.#columns[n].row;
      if (!all.some(isTwin) || all.every(isTwin)) continue;
      const mothers = all.reduce((sum, n) => sum + (isTwin(n) ? 0 : point[n]), 0);
      const shares = new Map<number, number>();
      for (const n of all) shares.set(this.#head[n], (shares.get(this.#head[n]) ?? 0) + point[n]);
      let heads = [...shares].sort(([a, first], [b, second]) => second - first || a - b);
      while (heads.length > 0) {
        const group = new Map<number, number>();
        for (const [head, share] of heads)
          if ([...group.keys()].every((each) => this.#excluded(each, head))) group.set(head, share);
        heads = heads.filter(([head]) => !group.has(head));
        if ([...group.values()].reduce((sum, share) => sum + share, 0) < mothers + LEAST) continue;
        const index = all.filter((n) => isTwin(n) === group.has(this.#head[n]));
        cuts.push({ upper: 0, index, value: index.map((n) => (isTwin(n) ? 1 : -1)) });
      }
    }
    return cuts;
  }
}
