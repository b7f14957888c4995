import { UNASSIGNED } from "../../lap/lap.js";
import { type Conflicts, loneCosts, setsByDetection } from "../instance/exclusions.js";
import type { Graph } from "../instance/instance.js";
import { ownerOf } from "../instance/twins.js";
import { BlockCuts, type Column } from "./block-cuts.js";
import type { Tracks } from "./feasible.js";
import type { SolveInteger } from "./integer-program.js";

/** Tracks, the edge into each detection, and 1 for detections that a link touches. */
export interface LaidTracks {
  readonly tracks: Tracks;
  readonly into: Int32Array;
  readonly used: Uint8Array;
}

export function look({ head, birthOf }: Graph, { tracks, into, used }: LaidTracks): void {
  into.set(birthOf);
  used.fill(0);
  tracks.forEach((link, d) => {
    if (link === UNASSIGNED) return;
    into[head[link]] = link;
    used[d] = used[head[link]] = 1;
  });
}

/** What a thread knows of the tracks, in memory that threads share. */
export interface BlockMemory {
  readonly graph: Graph;
  readonly conflicts: Conflicts;
  /** What each edge costs beyond the duals of its X-LAP. */
  readonly slack: Float64Array;
  readonly laid: LaidTracks;
}

/** A saving of less is rounding. */
const ROUNDING = 1e-9;

interface Row {
  lower: number;
  upper: number;
  readonly index: number[];
  readonly value: number[];
}

type Terms = readonly (readonly [row: Row, value: number])[];

/** The program of some detections, in which tracks are to be laid anew while all others stay as they are. */
class Program {
  readonly cost: number[] = [];
  readonly known: number[] = [];
  readonly columns: Column[] = [];
  readonly #rows: Row[] = [];

  row(lower: number, upper: number): Row {
    const row = { lower, upper, index: [], value: [] };
    this.#rows.push(row);
    return row;
  }

  column(column: Column, cost: number, known: boolean, terms: Terms): void {
    for (const [{ index, value }, factor] of terms) {
      index.push(this.cost.length);
      value.push(factor);
    }
    this.columns.push(column);
    this.cost.push(cost);
    this.known.push(known ? 1 : 0);
  }

  /** What would be a column stays as it is. */
  fix(terms: Terms): void {
    for (const [row, factor] of terms) {
      row.lower -= factor;
      row.upper -= factor;
    }
  }

  /** A better solution than the known one, null where none was found. */
  solve(solve: SolveInteger, cuts: BlockCuts, late: () => boolean): Uint8Array | null {
    const rows = this.#rows.filter(({ index }) => index.length > 0);
    let length = 0;
    const rowStart = Int32Array.from([0, ...rows.map(({ index }) => (length += index.length))]);
    const program = {
      cost: Float64Array.from(this.cost),
      rowStart,
      index: Int32Array.from(rows.flatMap(({ index }) => index)),
      value: Float64Array.from(rows.flatMap(({ value }) => value)),
      lower: Float64Array.from(rows, ({ lower }) => lower),
      upper: Float64Array.from(rows, ({ upper }) => upper),
    };
    const found = solve(program, Float64Array.from(this.known), (point) => cuts.find(point), late);
    if (found === null) return null;
    const taken = Uint8Array.from(found, (z) => (z > 0.5 ? 1 : 0));
    const saved = this.cost.reduce((sum, cost, n) => sum + cost * (this.known[n] - taken[n]), 0);
    const isAllowed = rows.every(({ lower, upper, index, value }) => {
      const sum = index.reduce((sum, column, n) => sum + value[n] * taken[column], 0);
      return lower <= sum && sum <= upper;
    });
    return isAllowed && saved > ROUNDING ? taken : null;
  }
}

/** Lays tracks anew where triplets are free. */
export class BlockProgram {
  readonly #isInside: Uint8Array;
  readonly #setsOf: number[][];
  readonly #lone: Float64Array | null;

  constructor(
    private readonly memory: BlockMemory,
    private readonly solve: SolveInteger,
    private readonly late: () => boolean,
  ) {
    const { birthOf } = memory.graph;
    this.#isInside = new Uint8Array(birthOf.length);
    this.#setsOf = setsByDetection(memory.graph);
    this.#lone = loneCosts(memory.graph);
  }

  /** Writes the links of some detections and their twins to `improved` where tracks that differ in these alone are cheaper. Links of at least so much slack are left out. */
  layAnew(given: Iterable<number>, most: number, improved: Tracks): void {
    const { graph, conflicts, slack, laid } = this.memory;
    const { birthOf, deathOf, linkStart, linkEnd, tail, head, frameStart, frames } = graph;
    const { tracks, into, used } = laid;
    const members = this.#open(given);
    const program = new Program();
    const sets = new Map<number, Row>();
    const uses = new Map<number, Row[]>();
    const flows = new Map<number, Row>();
    const twins = new Map<number, Row>();
    for (const d of members) {
      // Born or entered is ended or left; a twin takes a link only beside her mother.
      flows.set(d, program.row(0, 0));
      uses.set(d, this.#uses(d, program, sets));
      if (conflicts.twinOf[d] >= 0) twins.set(d, program.row(Number.NEGATIVE_INFINITY, 0));
    }
    const flow = (d: number, factor: number): Terms => {
      const row = flows.get(d);
      return row ? [[row, factor]] : [];
    };
    const enters = (d: number): Terms => [...flow(d, 1), ...(uses.get(d) ?? []).map((row): [Row, number] => [row, 1])];
    const leaves = (d: number): Terms => {
      const owner = ownerOf(graph, d);
      const row = twins.get(owner);
      return [...(owner === d ? flow(d, -1) : []), ...(row ? [[row, owner === d ? -1 : 1] as const] : [])];
    };
    const fits = (e: number): boolean => e < 0 || slack[e] < most;
    const rows: number[] = [];
    for (const d of members) {
      const [isBorn, ends] = [used[d] === 1 && into[d] === birthOf[d], used[d] === 1 && tracks[d] === UNASSIGNED];
      const both = (this.#lone?.[d] ?? 0) > 0 ? [[program.row(Number.NEGATIVE_INFINITY, 1), 1] as const] : [];
      if ((birthOf[d] >= 0 || d < frameStart[1]) && (isBorn || fits(birthOf[d])))
        program.column(
          { link: UNASSIGNED, row: UNASSIGNED, head: d },
          this.#costOf(birthOf[d]) - this.#unused(d),
          isBorn,
          [...enters(d), ...both],
        );
      if ((deathOf[d] >= 0 || d >= frameStart[frames - 1]) && (ends || fits(deathOf[d])))
        program.column({ link: UNASSIGNED, row: d, head: UNASSIGNED }, this.#costOf(deathOf[d]), ends, [
          ...flow(d, -1),
          ...both,
        ]);
      if (!isBorn && used[d] === 1 && into[d] >= 0 && this.#isInside[ownerOf(graph, tail[into[d]])] === 0)
        program.fix(enters(d));
      const twin = conflicts.twinOf[d];
      for (const row of twin < 0 ? [d] : [d, twin]) {
        const now = tracks[row];
        if (now !== UNASSIGNED && this.#isInside[head[now]] === 0) {
          program.fix(leaves(row));
          continue;
        }
        rows.push(row);
        const idle = row === d ? 0 : this.#costOf(deathOf[row]) + (this.#lone?.[row] ?? 0);
        for (let e = linkStart[row]; e < linkEnd[row]; e++) {
          const next = head[e];
          if (this.#isInside[next] === 0 || !(now === e || fits(e))) continue;
          program.column({ link: e, row, head: next }, this.#costOf(e) - this.#unused(next) - idle, now === e, [
            ...leaves(row),
            ...enters(next),
          ]);
        }
      }
    }
    const taken = program.solve(this.solve, new BlockCuts(graph, conflicts, program.columns), this.late);
    if (taken !== null) {
      for (const row of rows) improved[row] = UNASSIGNED;
      for (const [n, { link }] of program.columns.entries())
        if (taken[n] === 1 && link >= 0) improved[tail[link]] = link;
    }
    for (const d of members) this.#isInside[d] = 0;
  }

  #costOf(e: number): number {
    return e < 0 ? 0 : this.memory.graph.cost[e];
  }

  /** Of a detection that is not used. */
  #unused(d: number): number {
    return (
      this.#costOf(this.memory.graph.birthOf[d]) + this.#costOf(this.memory.graph.deathOf[d]) + (this.#lone?.[d] ?? 0)
    );
  }

  /** Marks the detections of a block, without those that a used detection outside excludes. */
  #open(given: Iterable<number>): number[] {
    const { from, other } = this.memory.conflicts;
    const inside = this.#isInside;
    const all = [...given];
    for (const d of all) inside[d] = 1;
    return all.filter((d) => {
      for (let n = from[d]; n < from[d + 1]; n++)
        if (this.memory.laid.used[other[n]] === 1 && inside[other[n]] === 0) inside[d] = 0;
      return inside[d] === 1;
    });
  }

  /** Of the sets of a detection, or one of its own. */
  #uses(d: number, program: Program, sets: Map<number, Row>): Row[] {
    if (this.#setsOf[d].length === 0) return [program.row(Number.NEGATIVE_INFINITY, 1)];
    return this.#setsOf[d].map((set) => {
      const row = sets.get(set) ?? program.row(Number.NEGATIVE_INFINITY, 1);
      sets.set(set, row);
      return row;
    });
  }
}
