import { createJvWorkspace, type JvWorkspace, solveJv } from "../lap/jv/jv.js";
import type { Association, Associator } from "./associate.js";
import type { Candidates } from "./candidates.js";

/**
 * The exact association, by shortest augmenting paths. A track and a measurement that have no other candidate are linked, as every candidate is worth more than none;
 * only where candidates compete is there a problem to solve.
 */
export class Exact implements Associator {
  readonly name = "jv";
  readonly ran = "cpu f64";
  #measurementOfTrack = new Int32Array(0);
  /** Tracks that a measurement is a candidate of, and afterwards its number in the problem, −1 where it is not in it. */
  #column = new Int32Array(0);
  #measurementOfColumn = new Int32Array(0);
  #trackOfRow = new Int32Array(0);
  #rowStart = new Uint32Array(1);
  #entry = new Uint32Array(0);
  #cost = new Float64Array(0);
  #workspace: JvWorkspace = createJvWorkspace(0, 0);
  #nought = new Float64Array(0);
  #solution = solutionOf(0);

  associate({ tracks, measurements, rowStart: candidateStart, measurement, utility }: Candidates): Association {
    this.#reserve(tracks, measurements, utility.length);
    const measurementOfTrack = this.#measurementOfTrack;
    const column = this.#column;
    const trackOfRow = this.#trackOfRow;
    const rowStart = this.#rowStart;
    column.fill(0, 0, measurements);
    for (let k = 0; k < candidateStart[tracks]; k++) column[measurement[k]]++;
    let rows = 0;
    let entries = 0;
    for (let i = 0; i < tracks; i++) {
      const begin = candidateStart[i];
      const end = candidateStart[i + 1];
      measurementOfTrack[i] = -1;
      if (end === begin) continue;
      if (end === begin + 1 && column[measurement[begin]] === 1) {
        measurementOfTrack[i] = measurement[begin];
        continue;
      }
      trackOfRow[rows] = i;
      rowStart[rows++] = entries;
      entries += end - begin;
    }
    rowStart[rows] = entries;
    if (rows === 0) return { measurementOfTrack: measurementOfTrack.subarray(0, tracks) };
    const columns = this.#number(rows, measurements, candidateStart, measurement);
    for (let row = 0, entry = 0; row < rows; row++) {
      const i = trackOfRow[row];
      for (let k = candidateStart[i]; k < candidateStart[i + 1]; k++) {
        this.#entry[entry] = column[measurement[k]];
        this.#cost[entry++] = -utility[k];
      }
    }
    const { columnOfRow } = this.#solve(rows, columns, entries);
    for (let row = 0; row < rows; row++) {
      if (columnOfRow[row] >= 0) measurementOfTrack[trackOfRow[row]] = this.#measurementOfColumn[columnOfRow[row]];
    }
    return { measurementOfTrack: measurementOfTrack.subarray(0, tracks) };
  }

  async close(): Promise<void> {}

  /** Numbers the measurements that the rows have as candidates, in their order, as rows of a LAP must have their columns. */
  #number(rows: number, measurements: number, rowStart: Uint32Array, measurement: Uint32Array): number {
    const column = this.#column;
    column.fill(-1, 0, measurements);
    for (let row = 0; row < rows; row++) {
      const i = this.#trackOfRow[row];
      for (let k = rowStart[i]; k < rowStart[i + 1]; k++) column[measurement[k]] = 0;
    }
    let columns = 0;
    for (let j = 0; j < measurements; j++) {
      if (column[j] < 0) continue;
      this.#measurementOfColumn[columns] = j;
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

  #reserve(tracks: number, measurements: number, candidates: number): void {
    const most = Math.max(tracks, measurements);
    if (most > this.#workspace.maxRows) {
      this.#workspace = createJvWorkspace(2 * most, 2 * most);
      this.#nought = new Float64Array(2 * most);
      this.#solution = solutionOf(2 * most);
      this.#rowStart = new Uint32Array(2 * most + 1);
      [this.#measurementOfTrack, this.#column, this.#measurementOfColumn, this.#trackOfRow] = Array.from(
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
