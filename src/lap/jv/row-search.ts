import type { LapProblem, LapSolution } from "../lap.js";
import { raise, removeNearest } from "./heap.js";
import type { JvWorkspace } from "./workspace.js";

/** Number of columns from which a heap of the labelled ones is faster than a list (by 18 % of CPU time at 1,000 columns and 5 % density; not at 300). */
const HEAP_FROM = 512;

/**
 * Finds the first entry from k on with cost − v below the limit, or returns `end`. The solver spends all but a few per cent of its time here,
 * which is why it takes four entries at a time: V8 fetches the arrays' addresses anew in every iteration of a loop.
 */
export function nextBelow(
  limit: number,
  begin: number,
  end: number,
  cost: Float64Array,
  column: Uint32Array,
  v: Float64Array,
): number {
  let k = begin;
  for (; k + 3 < end; k += 4) {
    if (cost[k] - v[column[k]] < limit) return k;
    if (cost[k + 1] - v[column[k + 1]] < limit) return k + 1;
    if (cost[k + 2] - v[column[k + 2]] < limit) return k + 2;
    if (cost[k + 3] - v[column[k + 3]] < limit) return k + 3;
  }
  for (; k < end; k++) if (cost[k] - v[column[k]] < limit) return k;
  return end;
}

/**
 * Assigns one free row along a shortest augmenting path and updates the column duals; false if no path exists.
 *
 * Dijkstra over the columns as in Jonker & Volgenant (1987), with two ends to a path: a column without a row, or a row of
 * the tree that leaves its column for its own unassigned cost. The nearest end so far, `bound`, keeps every column that
 * cannot be scanned before it out of the lists, so a scan touches little more than `cost` and `v`. The labelled columns are a list, and
 * in wide problems a heap.
 * Distances carry u of the first row in them; rows hold no dual here, the assigned entry gives it.
 * A row's entries are read once `load` has been called for it.
 */
export function assignRow(
  first: number,
  problem: LapProblem,
  solution: LapSolution,
  workspace: JvWorkspace,
  load: ((row: number) => void) | null = null,
): boolean {
  const { rowStart, column, cost } = problem;
  const { columnOfRow, entryOfRow, rowOfColumn, columnDual: v } = solution;
  const { rowLimit, distance, previousRow, previousEntry, labelled, place, scanned, scannedDistance } = workspace;
  const ordered = problem.columns > HEAP_FROM;
  let labelledCount = 0;
  let scannedCount = 0;
  let least = -Infinity;
  let bound = Infinity;
  let endRow = -1;
  let endColumn = -1;

  load?.(first);
  for (let i = first, offset = 0; ; ) {
    if (rowLimit[i] + offset < bound) {
      bound = Math.max(rowLimit[i] + offset, least);
      endRow = i;
      endColumn = -1;
    }
    for (let k = rowStart[i], end = rowStart[i + 1]; ; k++) {
      k = nextBelow(bound - offset, k, end, cost, column, v);
      if (k === end) break;
      const j = column[k];
      const h = Math.max(least, cost[k] - v[j] + offset);
      // NaN, to which costs beyond the range of f64 lead, reaches nothing: columns that are scanned stay so, and the tree has no cycle.
      if (!(h < bound && h < distance[j])) continue;
      previousRow[j] = i;
      previousEntry[j] = k;
      if (rowOfColumn[j] < 0) {
        bound = h;
        endColumn = j;
      } else {
        const at = distance[j] === Infinity ? labelledCount++ : ordered ? place[j] : -1;
        distance[j] = h;
        if (ordered) raise(j, at, labelled, place, distance);
        else if (at >= 0) labelled[at] = j;
      }
    }
    let at = ordered && labelledCount > 0 && distance[labelled[0]] < bound ? 0 : -1;
    let next = at < 0 ? bound : distance[labelled[0]];
    for (let s = 0; s < labelledCount && !ordered; s++) {
      const j = labelled[s];
      const d = distance[j];
      if (d < next) {
        next = d;
        at = s;
        if (d <= least) break;
      } else if (d >= bound) {
        distance[j] = Infinity;
        labelled[s--] = labelled[--labelledCount];
      }
    }
    if (at < 0) break;
    const j = labelled[at];
    if (ordered) removeNearest(labelled, labelledCount--, place, distance);
    else labelled[at] = labelled[--labelledCount];
    scanned[scannedCount] = j;
    scannedDistance[scannedCount++] = next;
    distance[j] = -Infinity;
    least = next;
    i = rowOfColumn[j];
    load?.(i);
    offset = least - (cost[entryOfRow[i]] - v[j]);
  }

  for (let s = 0; s < labelledCount; s++) distance[labelled[s]] = Infinity;
  for (let s = 0; s < scannedCount; s++) distance[scanned[s]] = Infinity;
  if (bound === Infinity) return false;
  for (let s = 0; s < scannedCount; s++) v[scanned[s]] -= bound - scannedDistance[s];

  let j = endColumn;
  if (j < 0) {
    j = columnOfRow[endRow];
    columnOfRow[endRow] = -1;
    entryOfRow[endRow] = -1;
    if (endRow === first) return true;
  }
  for (;;) {
    const i = previousRow[j];
    const left = columnOfRow[i];
    columnOfRow[i] = j;
    entryOfRow[i] = previousEntry[j];
    rowOfColumn[j] = i;
    if (i === first) return true;
    j = left;
  }
}
