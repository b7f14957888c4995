import type { LapProblem, LapSolution } from "../lap.js";
import type { JvWorkspace } from "./workspace.js";

/** Value in `previousRow` for a column that is left unassigned at its own cost. */
const LEFT_UNASSIGNED = -1;

/**
 * Serves the columns that the search from the rows left over: every unassigned column whose dual is below its unassigned cost is
 * assigned, or its dual raised to that cost. Returns a column that cannot be served, or −1 when all are.
 *
 * The mirror image of `assignRow`: a column is supplied from outside the assignment, by its own unassigned cost or by an
 * unassigned row (`offer`), and takes its supply along a shortest path. Only the compressed rows are read, no transpose.
 */
export function serveColumns(problem: LapProblem, solution: LapSolution, workspace: JvWorkspace): number {
  if (firstUnserved(problem, solution, workspace) < 0) return -1;
  collectOffers(problem, solution, workspace);
  while (serveNearest(problem, solution, workspace));
  return firstUnserved(problem, solution, workspace);
}

function firstUnserved(problem: LapProblem, solution: LapSolution, workspace: JvWorkspace): number {
  const { rowOfColumn, columnDual } = solution;
  const { columnLimit } = workspace;
  for (let j = 0; j < problem.columns; j++) if (rowOfColumn[j] < 0 && columnDual[j] < columnLimit[j]) return j;
  return -1;
}

/** Finds, for every column, the unassigned row that offers the least cost − rowLimit. */
function collectOffers(problem: LapProblem, solution: LapSolution, workspace: JvWorkspace): void {
  const { rows, columns, rowStart, column, cost } = problem;
  const { offer, offerRow, offerEntry, rowLimit } = workspace;
  for (let j = 0; j < columns; j++) {
    offer[j] = Infinity;
    offerRow[j] = -1;
  }
  for (let i = 0; i < rows; i++) {
    if (solution.columnOfRow[i] >= 0) continue;
    for (let k = rowStart[i]; k < rowStart[i + 1]; k++) {
      const j = column[k];
      const h = cost[k] - rowLimit[i];
      if (!(h < offer[j])) continue;
      offer[j] = h;
      offerRow[j] = i;
      offerEntry[j] = k;
    }
  }
}

/** Finds the offer of column j again, after the row that made it was assigned elsewhere. */
function renewOffer(j: number, problem: LapProblem, solution: LapSolution, workspace: JvWorkspace): void {
  const { rows, rowStart, column, cost } = problem;
  const { columnOfRow } = solution;
  const { offer, offerRow, offerEntry, rowLimit } = workspace;
  offer[j] = Infinity;
  offerRow[j] = -1;
  for (let i = 0; i < rows; i++) {
    if (columnOfRow[i] >= 0) continue;
    const end = rowStart[i + 1];
    let low = rowStart[i];
    for (let high = end; low < high; ) {
      const middle = (low + high) >>> 1;
      if (column[middle] < j) low = middle + 1;
      else high = middle;
    }
    if (low === end || column[low] !== j || !(cost[low] - rowLimit[i] < offer[j])) continue;
    offer[j] = cost[low] - rowLimit[i];
    offerRow[j] = i;
    offerEntry[j] = low;
  }
}

/** One Dijkstra from outside to the nearest unserved column; false if there is none or none can be reached. */
function serveNearest(problem: LapProblem, solution: LapSolution, workspace: JvWorkspace): boolean {
  const { columns, rowStart, column, cost } = problem;
  const { columnOfRow, entryOfRow, rowOfColumn, columnDual: v } = solution;
  const { columnLimit, distance, previousRow, previousEntry, labelled, scanned, scannedDistance } = workspace;
  const { offer, offerRow, offerEntry } = workspace;
  let labelledCount = 0;
  let scannedCount = 0;
  let bound = Infinity;
  let endColumn = -1;

  // Direct supply, the unserved columns first: the nearest of them bounds what the others are labelled for.
  for (let assigned = 0; assigned < 2; assigned++) {
    for (let j = 0; j < columns; j++) {
      if (assigned === 0 ? rowOfColumn[j] >= 0 || !(v[j] < columnLimit[j]) : rowOfColumn[j] < 0) continue;
      let supply = Math.min(columnLimit[j], offer[j]);
      if (!(supply - v[j] < bound)) continue;
      if (offer[j] === supply && offerRow[j] >= 0 && columnOfRow[offerRow[j]] >= 0) {
        renewOffer(j, problem, solution, workspace);
        supply = Math.min(columnLimit[j], offer[j]);
      }
      const h = Math.max(0, supply - v[j]);
      if (!(h < bound)) continue;
      previousRow[j] = supply === columnLimit[j] ? LEFT_UNASSIGNED : offerRow[j];
      previousEntry[j] = offerEntry[j];
      if (assigned === 0) {
        bound = h;
        endColumn = j;
      } else {
        distance[j] = h;
        labelled[labelledCount++] = j;
      }
    }
  }

  // Shortest paths through the assigned rows: a row that gets another column passes its own on.
  for (let least = 0; ; ) {
    let at = -1;
    let next = bound;
    for (let s = 0; s < labelledCount; s++) {
      const d = distance[labelled[s]];
      if (d < next) {
        next = d;
        at = s;
        if (d <= least) break;
      }
    }
    if (at < 0) break;
    const from = labelled[at];
    labelled[at] = labelled[--labelledCount];
    scanned[scannedCount] = from;
    scannedDistance[scannedCount++] = next;
    distance[from] = -Infinity;
    least = next;
    const i = rowOfColumn[from];
    const offset = least - (cost[entryOfRow[i]] - v[from]);
    for (let k = rowStart[i], end = rowStart[i + 1]; k < end; k++) {
      const j = column[k];
      const h = Math.max(least, cost[k] - v[j] + offset);
      if (!(h < bound && h < distance[j])) continue;
      if (rowOfColumn[j] < 0) {
        if (!(v[j] < columnLimit[j])) continue;
        bound = h;
        endColumn = j;
      } else {
        if (distance[j] === Infinity) labelled[labelledCount++] = j;
        distance[j] = h;
      }
      previousRow[j] = i;
      previousEntry[j] = k;
    }
  }

  // Duals: the outside keeps dual 0, so every column rises by its distance, and those farther away by the distance of the end.
  const reached = bound < Infinity;
  if (reached) {
    for (let j = 0; j < columns; j++) {
      if (distance[j] === -Infinity || (rowOfColumn[j] < 0 && v[j] >= columnLimit[j])) continue;
      v[j] = Math.min(v[j] + bound, columnLimit[j]);
    }
    for (let s = 0; s < scannedCount; s++) v[scanned[s]] += scannedDistance[s];
  }
  for (let s = 0; s < labelledCount; s++) distance[labelled[s]] = Infinity;
  for (let s = 0; s < scannedCount; s++) distance[scanned[s]] = Infinity;
  if (!reached) return false;

  for (let j = endColumn; ; ) {
    const i = previousRow[j];
    if (i === LEFT_UNASSIGNED) {
      rowOfColumn[j] = -1;
      v[j] = columnLimit[j];
      return true;
    }
    const left = columnOfRow[i];
    columnOfRow[i] = j;
    entryOfRow[i] = previousEntry[j];
    rowOfColumn[j] = i;
    if (left < 0) return true;
    j = left;
  }
}
