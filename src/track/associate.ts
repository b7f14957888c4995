/** How tracks and measurements are linked, on the CPU. All return the measurement of each track, −1 for none. */
import { invariant } from "../core/errors.js";
import { certifyAuction } from "../lap/auction/certificate.js";
import { forwardAuction } from "../lap/auction/forward.js";
import type { AuctionProblem } from "../lap/auction/problem.js";
import { answerOfSides, problemOfSides, sidesOf } from "../lap/auction/sides.js";
import { createJvWorkspace, type JvWorkspace, solveJv } from "../lap/jv/jv.js";
import type { GatedFrame } from "./gate.js";

export interface Association {
  readonly objectOfPerson: Int32Array;
  /** Of an auction. */
  readonly rounds?: number;
  /** The limit on rounds was reached, and the exact solver on the CPU made this association. */
  readonly capped?: true;
}

export interface Associator {
  readonly name: string;
  /** The device and the precision that it ran in. */
  readonly ran: string;
  associate(frame: GatedFrame): Association | Promise<Association>;
  close(): Promise<void>;
}

const nothing = async () => {};

/**
 * The exact association, by shortest augmenting paths. A track and a measurement that have no other candidate are linked, as every candidate is worth more than none;
 * only where candidates compete is there a problem to solve.
 */
export class Exact implements Associator {
  readonly name = "jv";
  readonly ran = "cpu f64";
  readonly close = nothing;
  #objectOfPerson = new Int32Array(0);
  /** Tracks that a measurement is a candidate of, and afterwards its number in the problem, −1 where it is not in it. */
  #column = new Int32Array(0);
  #objectOfColumn = new Int32Array(0);
  #personOfRow = new Int32Array(0);
  #rowStart = new Uint32Array(1);
  #entry = new Uint32Array(0);
  #cost = new Float64Array(0);
  #workspace: JvWorkspace = createJvWorkspace(0, 0);
  #nought = new Float64Array(0);
  #solution = solutionOf(0);

  associate({ persons, objects, start, object, utility }: AuctionProblem): Association {
    this.#reserve(persons, objects, utility.length);
    const objectOfPerson = this.#objectOfPerson;
    const column = this.#column;
    const personOfRow = this.#personOfRow;
    const rowStart = this.#rowStart;
    column.fill(0, 0, objects);
    for (let k = 0; k < start[persons]; k++) column[object[k]]++;
    let rows = 0;
    let entries = 0;
    for (let i = 0; i < persons; i++) {
      const begin = start[i];
      const end = start[i + 1];
      objectOfPerson[i] = -1;
      if (end === begin) continue;
      if (end === begin + 1 && column[object[begin]] === 1) {
        objectOfPerson[i] = object[begin];
        continue;
      }
      personOfRow[rows] = i;
      rowStart[rows++] = entries;
      entries += end - begin;
    }
    rowStart[rows] = entries;
    if (rows === 0) return { objectOfPerson: objectOfPerson.subarray(0, persons) };
    const columns = this.#number(rows, objects, start, object);
    for (let row = 0, entry = 0; row < rows; row++) {
      const i = personOfRow[row];
      for (let k = start[i]; k < start[i + 1]; k++) {
        this.#entry[entry] = column[object[k]];
        this.#cost[entry++] = -utility[k];
      }
    }
    const { columnOfRow } = this.#solve(rows, columns, entries);
    for (let row = 0; row < rows; row++) {
      if (columnOfRow[row] >= 0) objectOfPerson[personOfRow[row]] = this.#objectOfColumn[columnOfRow[row]];
    }
    return { objectOfPerson: objectOfPerson.subarray(0, persons) };
  }

  /** Numbers the measurements that the rows have as candidates, in their order, as rows of a LAP must have their columns. */
  #number(rows: number, objects: number, start: Uint32Array, object: Uint32Array): number {
    const column = this.#column;
    column.fill(-1, 0, objects);
    for (let row = 0; row < rows; row++) {
      const i = this.#personOfRow[row];
      for (let k = start[i]; k < start[i + 1]; k++) column[object[k]] = 0;
    }
    let columns = 0;
    for (let j = 0; j < objects; j++) {
      if (column[j] < 0) continue;
      this.#objectOfColumn[columns] = j;
      column[j] = columns++;
    }
    return columns;
  }

  #solve(rows: number, columns: number, entries: number) {
    const { columnOfRow, entryOfRow, rowOfColumn, rowDual, columnDual } = this.#solution;
    const solution = {
      columnOfRow: columnOfRow.subarray(0, rows),
      entryOfRow: entryOfRow.subarray(0, rows),
      rowOfColumn: rowOfColumn.subarray(0, columns),
      rowDual: rowDual.subarray(0, rows),
      columnDual: columnDual.subarray(0, columns),
    };
    const problem = {
      rows,
      columns,
      rowStart: this.#rowStart.subarray(0, rows + 1),
      column: this.#entry.subarray(0, entries),
      cost: this.#cost.subarray(0, entries),
      rowUnassigned: this.#nought.subarray(0, rows),
      columnUnassigned: this.#nought.subarray(0, columns),
    };
    solveJv(problem, solution, this.#workspace);
    return solution;
  }

  #reserve(persons: number, objects: number, candidates: number): void {
    const most = Math.max(persons, objects);
    if (most > this.#workspace.maxRows) {
      this.#workspace = createJvWorkspace(2 * most, 2 * most);
      this.#nought = new Float64Array(2 * most);
      this.#solution = solutionOf(2 * most);
      this.#rowStart = new Uint32Array(2 * most + 1);
      [this.#objectOfPerson, this.#column, this.#objectOfColumn, this.#personOfRow] = Array.from(
        { length: 4 },
        () => new Int32Array(2 * most),
      );
    }
    if (candidates > this.#cost.length) {
      this.#cost = new Float64Array(2 * candidates);
      this.#entry = new Uint32Array(2 * candidates);
    }
  }
}

function solutionOf(size: number) {
  return {
    columnOfRow: new Int32Array(size),
    entryOfRow: new Int32Array(size),
    rowOfColumn: new Int32Array(size),
    rowDual: new Float64Array(size),
    columnDual: new Float64Array(size),
  };
}

/** The auction over the list of candidates in f64, in which the smaller side of each component bids, certified from its prices in every frame. */
export class Auction implements Associator {
  readonly name = "auction";
  readonly ran = "cpu f64";
  readonly close = nothing;
  readonly #exact = new Exact();

  /** @param share ε, of d_max */
  constructor(
    readonly share: number,
    readonly mostRounds: number,
  ) {}

  associate(frame: GatedFrame): Association {
    const epsilon = this.share * frame.reach;
    const sides = sidesOf(frame, "list");
    const answer = forwardAuction(problemOfSides(sides, frame), { epsilon, mostRounds: this.mostRounds });
    const { rounds } = answer;
    if (answer.status === "capped") return { ...this.#exact.associate(frame), rounds, capped: true };
    const { objectOfPerson, price } = answerOfSides(sides, frame, answer);
    requireWithin(frame, objectOfPerson, price, epsilon);
    return { objectOfPerson, rounds };
  }
}

/** Checks that an auction's prices prove its matching to be within `slack` per track of the greatest utility. */
export function requireWithin(
  problem: AuctionProblem,
  objectOfPerson: Int32Array,
  price: Float64Array,
  slack: number,
): void {
  const { legal, gap, bound } = certifyAuction(problem, objectOfPerson, price);
  const most = slack * problem.persons + 1e-12 * Math.abs(bound);
  invariant(
    // Prices that are not finite would make `most` infinite, too.
    legal && gap <= most && gap < Infinity,
    () => `an auction of ${problem.persons} × ${problem.objects} is ${gap} below its bound, more than ${most}`,
  );
}

/** Links the nearest pair first. This is not exact; it is what a tracker without an assignment solver does. */
export class Greedy implements Associator {
  readonly name = "greedy";
  readonly ran = "cpu f64";
  readonly close = nothing;

  associate({ persons, objects, start, object, utility }: AuctionProblem): Association {
    const person = new Uint32Array(utility.length);
    for (let i = 0; i < persons; i++) person.fill(i, start[i], start[i + 1]);
    const order = Array.from(utility, (_, k) => k).sort((k, l) => utility[l] - utility[k]);
    const objectOfPerson = new Int32Array(persons).fill(-1);
    const taken = new Uint8Array(objects);
    for (const k of order) {
      if (objectOfPerson[person[k]] >= 0 || taken[object[k]]) continue;
      objectOfPerson[person[k]] = object[k];
      taken[object[k]] = 1;
    }
    return { objectOfPerson };
  }
}
