/** Solves LAPs of any kind on the GPU: brings each into the form that the kernels solve, and its solution back. */
import { startsOf } from "../../core/rows.js";
import { uploadStorage } from "../../gpu/buffers.js";
import type { GpuSession } from "../../gpu/session.js";
import { GpuLapBatch, type LapBatchOutcome, type LapBatchResult } from "../gpu-batch.js";
import { type LapProblem, type LapSolution, UNASSIGNED } from "../lap.js";
import type { KernelChoice } from "./gpu-plan.js";

export interface GpuLapAnswer {
  readonly status: "optimal" | "infeasible";
  /** As in LapOutcome; 0 when optimal. */
  readonly row: number;
  /** Duals are f32 values; no answer when infeasible. */
  readonly solution: LapSolution;
  readonly outcome: LapBatchOutcome;
}

/**
 * How a LAP is posed to the kernels. These serve all rows and then stop, so every column must be free to stay
 * unassigned, or there must be as many columns as rows.
 *
 *     direct      as it is
 *     transposed  rows and columns exchanged
 *     doubled     a square LAP of rows + columns: an extra column takes a row that stays unassigned, an extra row a column
 */
type Form = "direct" | "transposed" | "doubled";

interface Posed {
  readonly problem: LapProblem;
  readonly form: Form;
  readonly rows: number;
  readonly columns: number;
  readonly rowLimit: Float64Array;
  readonly columnLimit: Float64Array;
  /** One list of [column, cost] per row. */
  readonly entries: readonly (readonly [number, number])[][];
}

/** Solves all problems in one submission; the costs are rounded to f32, so certify against the problem itself. */
export async function solveLapsOnGpu(
  session: GpuSession,
  problems: readonly LapProblem[],
  choice: KernelChoice = {},
): Promise<GpuLapAnswer[]> {
  const posed = problems.map(pose);
  const rowEntries = posed.flatMap((one) => one.entries);
  const rowStart = startsOf(rowEntries.map(({ length }) => length));
  const flat = rowEntries.flat();
  const shape = {
    rows: Uint32Array.from(posed, (one) => one.rows),
    columns: Uint32Array.from(posed, (one) => one.columns),
    rowLimit: Float32Array.from(posed.flatMap((one) => [...one.rowLimit])),
    columnLimit: Float32Array.from(posed.flatMap((one) => [...one.columnLimit])),
    entries: {
      rowStart: rowStart.subarray(0, -1),
      rowEnd: rowStart.subarray(1),
      column: Uint32Array.from(flat, ([column]) => column),
    },
  };
  const batch = await GpuLapBatch.create(session, shape, choice);
  const values = Float32Array.from(flat, ([, value]) => value);
  const cost = uploadStorage(session, "LAP entry costs", values);
  const result = await session.scoped("LAP solve", async () => {
    const encoder = session.device.createCommandEncoder({ label: "LAP solve" });
    const pass = encoder.beginComputePass({ label: "LAP solve" });
    batch.encodeCosts(pass, cost);
    batch.encodeSolve(pass, { warm: false });
    pass.end();
    session.device.queue.submit([encoder.finish()]);
    return await batch.read();
  });
  cost.destroy();
  batch.destroy();
  let row = 0;
  let column = 0;
  return posed.map((one, lap) => {
    const answer = answerOf(one, result, lap, row, column);
    row += one.rows;
    column += one.columns;
    return answer;
  });
}

function pose(problem: LapProblem): Posed {
  const { rows, columns, rowUnassigned, columnUnassigned } = problem;
  const rowLimit = rowUnassigned ?? new Float64Array(rows).fill(rows > columns ? 0 : Infinity);
  const columnLimit = columnUnassigned ?? new Float64Array(columns).fill(columns > rows ? 0 : Infinity);
  const entries = entriesByRow(problem);
  const mayStay = (limits: Float64Array) => limits.every((limit) => limit < Infinity);
  const must = (limits: Float64Array) => limits.every((limit) => limit === Infinity);
  if (mayStay(columnLimit) || (must(columnLimit) && must(rowLimit))) {
    return { problem, form: "direct", rows, columns, rowLimit, columnLimit, entries };
  }
  if (mayStay(rowLimit)) {
    const byColumn = transpose(entries, columns);
    const limits = { rowLimit: columnLimit, columnLimit: rowLimit };
    return { problem, form: "transposed", rows: columns, columns: rows, ...limits, entries: byColumn };
  }
  const size = rows + columns;
  const free = Array.from({ length: rows }, (_, i): [number, number] => [columns + i, 0]);
  const doubled = [
    ...entries.map((row, i) => (rowLimit[i] < Infinity ? [...row, [columns + i, rowLimit[i]] as const] : row)),
    ...Array.from(columnLimit, (limit, j) => (limit < Infinity ? [[j, limit] as const, ...free] : free)),
  ];
  const none = new Float64Array(size).fill(Infinity);
  return {
    problem,
    form: "doubled",
    rows: size,
    columns: size,
    rowLimit: none,
    columnLimit: none,
    entries: doubled as [number, number][][],
  };
}

function entriesByRow({ rows, rowStart, column, cost }: LapProblem): [number, number][][] {
  return Array.from({ length: rows }, (_, i) =>
    Array.from({ length: rowStart[i + 1] - rowStart[i] }, (_, k): [number, number] => {
      const entry = rowStart[i] + k;
      return [column[entry], cost[entry]];
    }),
  );
}

function transpose(entries: readonly (readonly [number, number])[][], columns: number): [number, number][][] {
  const byColumn = Array.from({ length: columns }, (): [number, number][] => []);
  for (const [i, row] of entries.entries()) for (const [j, value] of row) byColumn[j].push([i, value]);
  return byColumn;
}

function answerOf(posed: Posed, result: LapBatchResult, lap: number, row: number, column: number): GpuLapAnswer {
  const { problem, form } = posed;
  const { rows, columns, rowStart } = problem;
  const outcome = result.outcomes[lap] as LapBatchOutcome;
  const partners = result.columnOfRow.subarray(row, row + posed.rows);
  const u = Float64Array.from(result.rowDual.subarray(row, row + posed.rows));
  const v = Float64Array.from(result.columnDual.subarray(column, column + posed.columns));
  const columnOfRow = new Int32Array(rows).fill(UNASSIGNED);
  const rowOfColumn = new Int32Array(columns).fill(UNASSIGNED);
  const entryOfRow = new Int32Array(rows).fill(UNASSIGNED);
  for (const [i, j] of partners.entries()) {
    const [r, c] = form === "transposed" ? [j, i] : [i, j];
    if (r < 0 || c < 0 || r >= rows || c >= columns) continue;
    columnOfRow[r] = c;
    rowOfColumn[c] = r;
    for (let k = rowStart[r]; k < rowStart[r + 1]; k++) if (problem.column[k] === c) entryOfRow[r] = k;
  }
  // Only differences of the doubled LAP's duals matter: when they are shifted so that no extra column's dual is above 0, they respect the limits.
  const shift = form === "doubled" ? v.subarray(columns).reduce((most, dual) => Math.max(most, dual), -Infinity) : 0;
  const [rowDual, columnDual] = form === "transposed" ? [v, u] : [u.subarray(0, rows), v.subarray(0, columns)];
  for (let i = 0; i < rows; i++) rowDual[i] = Math.min(rowDual[i] + shift, problem.rowUnassigned?.[i] ?? Infinity);
  for (let j = 0; j < columns; j++) {
    columnDual[j] = Math.min(columnDual[j] - shift, problem.columnUnassigned?.[j] ?? Infinity);
  }
  const solution = { columnOfRow, entryOfRow, rowOfColumn, rowDual, columnDual };
  return { status: outcome.status, row: culprit(posed, outcome), solution, outcome };
}

function culprit({ form, problem }: Posed, { status, index }: LapBatchOutcome): number {
  if (status === "optimal") return 0;
  if (form === "transposed") return -1 - index;
  if (index >= problem.rows) return -1 - (index - problem.rows);
  const column = -1 - index;
  return column >= problem.columns ? column - problem.columns : index;
}
