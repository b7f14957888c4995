/**
 * The linear assignment problem on one thread, by shortest augmenting paths with the initialisation of
 *
 *     R. Jonker, A. Volgenant, "A shortest augmenting path algorithm for dense and sparse linear assignment problems",
 *     Computing 38 (1987) 325–340,
 *
 * on sparse rectangular problems (cf. D. F. Crouse, "On implementing 2D rectangular assignment algorithms", IEEE TAES
 * 52(4), 2016) in which rows and columns may also stay unassigned at costs of their own, where a path may end as well.
 *
 * These hold throughout: v_j ≤ columnLimit_j; u_i = min(rowLimit_i, min_j c_ij − v_j), which is never stored; assigned entries are tight.
 */

import type { LapOutcome, LapProblem, LapSolution } from "../lap.js";
import { serveColumns } from "./column-search.js";
import { assignRow, nextBelow } from "./row-search.js";
import { type JvWorkspace, loadLimits } from "./workspace.js";

export { createJvWorkspace, type JvWorkspace } from "./workspace.js";

/** Share of assigned entries lost from which a warm start is slower than a cold one, measured on 50 to 300 rows. */
const TOO_MANY_LOST = 0.4;

/** Slack, relative to the cost and dual it is the difference of, below which an entry kept from a warm start is tight. */
const TIGHT = 2 ** -50;

/**
 * Solves one LAP to optimality in f64 and writes matching and duals into `solution`; allocates no arrays.
 *
 * Where rows outnumber columns that must all be assigned, the transposed problem is solved several times faster.
 *
 * `warm` starts from whatever `solution` holds, ideally the solution of the same graph with other costs: `columnDual` is clipped to
 * the unassigned costs, `entryOfRow` is kept where still tight, the rest is derived from them. On unchanged costs that is
 * one pass over the entries. The result is optimal from any finite start. After "infeasible" the solution is no answer,
 * but still a legal warm start.
 *
 * `touched` is 1 or more for the rows of which a cost is another one since `solution` was the optimum; the others are not looked through.
 */
export function solveJv(
  problem: LapProblem,
  solution: LapSolution,
  workspace: JvWorkspace,
  options?: { readonly warm?: boolean; readonly touched?: Uint8Array | null },
): LapOutcome {
  loadLimits(problem, workspace);
  let free = options?.warm === true ? resume(problem, solution, workspace, options.touched ?? null) : -1;
  if (free < 0) {
    free = coldStart(problem, solution, workspace);
    for (let pass = 0; pass < 2 && free > 0; pass++) free = reduceRows(free, problem, solution, workspace);
  }
  for (let f = 0; f < free; f++) {
    const i = workspace.freeRows[f];
    if (!assignRow(i, problem, solution, workspace)) return { status: "infeasible", row: i };
  }
  const unserved = serveColumns(problem, solution, workspace);
  if (unserved >= 0) return { status: "infeasible", row: -1 - unserved };
  return { status: "optimal", cost: finish(problem, solution, workspace) };
}

/** Duals and a first matching from the columns; returns the number of rows still free. */
function coldStart(problem: LapProblem, solution: LapSolution, workspace: JvWorkspace): number {
  const { rows, columns, rowStart, column, cost } = problem;
  const { columnOfRow, entryOfRow, rowOfColumn, columnDual: v } = solution;
  const { rowLimit, columnLimit, freeRows, previousRow, previousEntry } = workspace;
  let mayGiveUp = false;
  let mustAssign = false;
  for (let i = 0; i < rows; i++) {
    if (rowLimit[i] < Infinity) mayGiveUp = true;
    columnOfRow[i] = -1;
    entryOfRow[i] = -1;
  }
  for (let j = 0; j < columns; j++) {
    rowOfColumn[j] = -1;
    v[j] = columnLimit[j];
    previousRow[j] = -1;
    if (v[j] === Infinity) mustAssign = true;
  }
  if (mustAssign) {
    // Column reduction: the largest feasible v_j and the row that sets it. Rows start so far below their limits that they
    // take columns before they give up; otherwise nearly all would give up at once, and the columns would be served one by one.
    const spread = mayGiveUp ? costSpread(problem) : 0;
    for (let i = 0; i < rows; i++) {
      const u = rowLimit[i] === Infinity ? 0 : rowLimit[i] - spread;
      for (let k = rowStart[i], end = rowStart[i + 1]; k < end; k++) {
        const j = column[k];
        const h = cost[k] - u;
        if (h < v[j]) {
          v[j] = h;
          previousRow[j] = i;
          previousEntry[j] = k;
        }
      }
    }
    for (let j = columns - 1; j >= 0; j--) {
      const i = previousRow[j];
      if (v[j] === Infinity) v[j] = 0;
      if (i < 0 || columnOfRow[i] >= 0) continue;
      columnOfRow[i] = j;
      entryOfRow[i] = previousEntry[j];
      rowOfColumn[j] = i;
    }
  }
  let free = 0;
  for (let i = 0; i < rows; i++) if (columnOfRow[i] < 0) freeRows[free++] = i;
  return free;
}

function costSpread({ rows, rowStart, cost }: LapProblem): number {
  let least = Infinity;
  let most = -Infinity;
  for (let k = rowStart[0], end = rowStart[rows]; k < end; k++) {
    if (cost[k] < least) least = cost[k];
    if (cost[k] > most) most = cost[k];
  }
  return most >= least ? most - least : 0;
}

/**
 * Warm start: keeps the column duals and every assigned entry that is still tight. Returns the number of free rows, or −1 if
 * so many entries were lost that a cold start is faster.
 */
function resume(
  problem: LapProblem,
  solution: LapSolution,
  workspace: JvWorkspace,
  touched: Uint8Array | null,
): number {
  const { rows, columns, rowStart, column, cost } = problem;
  const { columnOfRow, entryOfRow, rowOfColumn, columnDual: v } = solution;
  const { rowLimit, columnLimit, freeRows } = workspace;
  for (let j = 0; j < columns; j++) {
    const limit = columnLimit[j];
    if (!(v[j] <= limit) || (rowOfColumn[j] < 0 && limit < Infinity)) v[j] = limit;
    if (!Number.isFinite(v[j])) v[j] = 0;
    rowOfColumn[j] = -1;
  }
  let free = 0;
  let lost = 0;
  for (let i = 0; i < rows; i++) {
    if (touched !== null && touched[i] === 0) {
      const k = entryOfRow[i];
      columnOfRow[i] = k < 0 ? -1 : column[k];
      if (k >= 0) rowOfColumn[column[k]] = i;
      continue;
    }
    const begin = rowStart[i];
    const end = rowStart[i + 1];
    let u = rowLimit[i];
    let best = -1;
    for (let k = begin; ; k++) {
      k = nextBelow(u, k, end, cost, column, v);
      if (k === end) break;
      u = cost[k] - v[column[k]];
      best = k;
    }
    const k = entryOfRow[i];
    if (k >= begin && k < end) {
      const j = column[k];
      if (rowOfColumn[j] < 0 && cost[k] - v[j] - u <= TIGHT * (Math.abs(cost[k]) + Math.abs(v[j]))) {
        columnOfRow[i] = j;
        rowOfColumn[j] = i;
        continue;
      }
      lost++;
    }
    columnOfRow[i] = -1;
    entryOfRow[i] = -1;
    if (rowLimit[i] - u <= TIGHT * Math.abs(u)) continue;
    freeRows[free++] = i;
    entryOfRow[i] = best;
  }
  if (lost > TOO_MANY_LOST * rows) return -1;
  // A free row takes its best column where that is free too.
  let left = 0;
  for (let f = 0; f < free; f++) {
    const i = freeRows[f];
    const k = entryOfRow[i];
    if (k >= 0 && rowOfColumn[column[k]] < 0) {
      columnOfRow[i] = column[k];
      rowOfColumn[column[k]] = i;
    } else {
      entryOfRow[i] = -1;
      freeRows[left++] = i;
    }
  }
  return left;
}

/**
 * Augmenting row reduction: each free row takes its cheapest column and lowers its v_j until the second best is as good,
 * which frees the row that held it. Rows it does not settle are left for the shortest paths; returns their number.
 */
function reduceRows(free: number, problem: LapProblem, solution: LapSolution, workspace: JvWorkspace): number {
  const { rowStart, column, cost } = problem;
  const { columnOfRow, entryOfRow, rowOfColumn, columnDual: v } = solution;
  const { rowLimit, freeRows } = workspace;
  let budget = 2 * free;
  let left = 0;
  for (let f = 0; f < free; ) {
    const i = freeRows[f++];
    let first = Infinity;
    let second = Infinity;
    let firstEntry = -1;
    let secondEntry = -1;
    for (let k = rowStart[i], end = rowStart[i + 1]; k < end; k++) {
      const h = cost[k] - v[column[k]];
      if (h >= second) continue;
      if (h < first) {
        second = first;
        secondEntry = firstEntry;
        first = h;
        firstEntry = k;
      } else {
        second = h;
        secondEntry = k;
      }
    }
    const limit = rowLimit[i];
    if (!(limit > first)) {
      if (limit === Infinity) freeRows[left++] = i;
      continue;
    }
    if (limit < second) {
      second = limit;
      secondEntry = -1;
    }
    let entry = firstEntry;
    const reduced = v[column[entry]] - (second - first);
    const gain = reduced < v[column[entry]];
    if (!gain && rowOfColumn[column[entry]] >= 0 && secondEntry >= 0) entry = secondEntry;
    const j = column[entry];
    const displaced = rowOfColumn[j];
    if (displaced >= 0 && (reduced === -Infinity || (!gain && secondEntry < 0))) {
      freeRows[left++] = i;
      continue;
    }
    if (gain && reduced > -Infinity) v[j] = reduced;
    columnOfRow[i] = j;
    entryOfRow[i] = entry;
    rowOfColumn[j] = i;
    if (displaced < 0) continue;
    columnOfRow[displaced] = -1;
    entryOfRow[displaced] = -1;
    if (gain && budget-- > 0) freeRows[--f] = displaced;
    else freeRows[left++] = displaced;
  }
  return left;
}

/** Row duals from the assigned entries and the cost of the assignment. */
function finish(problem: LapProblem, solution: LapSolution, workspace: JvWorkspace): number {
  const { rows, columns, cost } = problem;
  const { columnOfRow, entryOfRow, rowOfColumn, rowDual, columnDual } = solution;
  let total = 0;
  for (let i = 0; i < rows; i++) {
    const k = entryOfRow[i];
    if (k < 0) {
      rowDual[i] = workspace.rowLimit[i];
      total += rowDual[i];
    } else {
      rowDual[i] = cost[k] - columnDual[columnOfRow[i]];
      total += cost[k];
    }
  }
  for (let j = 0; j < columns; j++) if (rowOfColumn[j] < 0) total += columnDual[j];
  return total;
}
