/** LAPs that are solved on their entries alone, by the kernels beside this file: one workgroup solves each, and a thread searches for a row. */
import { startsOf } from "../../core/rows.js";
import { writeStorage } from "../../gpu/buffers.js";
import type { GpuSession } from "../../gpu/session.js";
import { type Kernel, loadKernel } from "../../gpu/wgsl/kernel.js";
import type { Step, Workspace } from "../../gpu/workspace.js";
import type { LapBatchShape, LapRun, LapTable } from "../block-hungarian/batch-layout.js";

/** Rows, or columns, to each workgroup of the kernels that are not one workgroup a LAP. */
const CHUNK = 64;
/** Threads that search at once in a LAP, at least and at most: one for every four rows, of which a cold start leaves fewer to search for. */
const SEARCHES = { least: 32, most: 256, rows: 4 } as const;
const LABEL_WORDS = 4;

export interface SparseKernels {
  readonly least: Kernel;
  readonly columns: Kernel;
  readonly resume: Kernel;
  readonly augment: Kernel;
}

/** @param rows of the largest LAP */
export async function loadSparseKernels(session: GpuSession, rows: number): Promise<SparseKernels> {
  const load = (name: string, constants = {}) =>
    loadKernel(session, new URL(`./${name}.wgsl`, import.meta.url), { constants });
  const most = Math.min(SEARCHES.most, session.device.limits.maxComputeInvocationsPerWorkgroup);
  let searches: number = SEARCHES.least;
  while (searches < most && SEARCHES.rows * searches < rows) searches *= 2;
  const chunk = { THREADS: CHUNK };
  // Side by side: the first compilation on a machine takes a second or more.
  const [least, columns, resume, augment] = await Promise.all([
    load("least", chunk),
    load("columns", chunk),
    load("resume", chunk),
    load("augment", { THREADS: searches }),
  ]);
  return { least, columns, resume, augment };
}

/**
 * Makes the buffers of the LAPs that are solved on their entries, beside the duals, limits and matching of the whole batch.
 * @param laps all such LAPs, in the order of the table
 */
export function makeSparse(
  work: Workspace,
  kernels: SparseKernels,
  shape: LapBatchShape,
  laps: readonly number[],
): LapTable {
  const nodes = shape.rowLimit.length + shape.columnLimit.length;
  const { arc, spans } = arcsOf(shape, laps);
  work.upload("arc", arc);
  for (const name of ["link", "claim"]) work.storage(name, nodes);
  work.storage("labels", LABEL_WORDS * nodes);
  return makeTable(work, kernels, shape, laps, spans);
}

function makeTable(
  work: Workspace,
  { least, columns, resume, augment }: SparseKernels,
  shape: LapBatchShape,
  laps: readonly number[],
  spans: number,
): LapTable {
  const [table, chunks, outcome] = ["sparse table", "sparse chunks", "sparse outcome"];
  const firstRow = startsOf(shape.rows);
  const firstColumn = startsOf(shape.columns).map((first) => first + shape.rowLimit.length);
  const record = (lap: number) => ({
    rows: shape.rows[lap],
    columns: shape.columns[lap],
    row: firstRow[lap],
    column: firstColumn[lap],
  });
  const counts = Uint32Array.from(laps, (lap) => Math.ceil(Math.max(shape.rows[lap], shape.columns[lap]) / CHUNK));
  const ofChunks = laps.flatMap((_, lap) => Array.from({ length: counts[lap] }, (_, c) => ({ lap, first: c * CHUNK })));
  work.upload(table, augment.struct("Lap").pack(laps.map(record)));
  // There may be no chunk, but a binding holds one record at least.
  const ofKernel = resume.struct("Chunk");
  const room = work.storage(chunks, Math.max(ofChunks.length, 1) * ofKernel.words);
  writeStorage(work.session, room, ofKernel.pack(ofChunks));
  work.storage(outcome, laps.length * augment.struct("Outcome").words);
  const chunkStart = startsOf(counts);
  const { mostGroups } = work.session;
  const steps = ({ first, count, warm, slack, buffers: { entryCosts, ...state } }: LapRun): Step[] => {
    const [firstChunk, endChunk] = [chunkStart[first], chunkStart[first + count]];
    const range = { firstLap: first, laps: count, firstChunk, chunks: endChunk - firstChunk };
    const limited = shape.mayBeLeft ? 1 : 0;
    const settings = work.constant(augment.struct("Settings"), { ...range, warm, slack, limited, spans });
    const bound = { ...state, settings, laps: table, cost: entryCosts };
    const overChunks = (kernel: Kernel): Step => ({
      kernel,
      groups: [Math.min(range.chunks, mostGroups)],
      bound: { ...bound, chunks },
    });
    const begin = [columns, resume].map(overChunks);
    const solve = { kernel: augment, groups: [Math.min(count, mostGroups)] as const, bound: { ...bound, outcome } };
    return [...(warm === 1 ? [] : [overChunks(least)]), ...begin, solve];
  };
  return { laps, outcome, steps };
}

/**
 * The nodes that arcs lead to, and then, from `spans` on, by node, rows first, where its arcs lie. The arcs of rows lie as the entries do; behind them,
 * where nodes may be left, those of columns, for which a search may begin there. Other LAPs have none.
 */
function arcsOf(shape: LapBatchShape, laps: readonly number[]): { arc: Uint32Array; spans: number } {
  const { rows, columns, rowLimit, columnLimit, entries, mayBeLeft } = shape;
  if (entries === null) throw new Error("a dense batch has no entries");
  const { rowStart, rowEnd, column } = entries;
  const [firstRow, firstColumn] = [startsOf(rows), startsOf(columns)];
  const end = rowEnd.reduce((most, one) => Math.max(most, one), 0);
  const perColumn = new Uint32Array(columnLimit.length);
  const overEntries = (take: (row: number, entry: number, column: number) => void) => {
    for (const lap of laps) {
      for (let row = firstRow[lap]; row < firstRow[lap + 1]; row++) {
        for (let e = rowStart[row]; e < rowEnd[row]; e++) take(row, e, firstColumn[lap] + column[e]);
      }
    }
  };
  let count = 0;
  if (mayBeLeft) {
    overEntries((_row, _e, j) => {
      perColumn[j]++;
      count++;
    });
  }
  const spans = end + count;
  const arc = new Uint32Array(spans + 2 * (rowLimit.length + columnLimit.length));
  const next = startsOf(perColumn).map((first) => first + end);
  for (let row = 0; row < rowLimit.length; row++) {
    arc[spans + 2 * row] = rowStart[row];
    arc[spans + 2 * row + 1] = rowEnd[row];
  }
  for (let j = 0, at = spans + 2 * rowLimit.length; mayBeLeft && j < perColumn.length; j++) {
    arc[at++] = next[j];
    arc[at++] = next[j + 1];
  }
  overEntries((row, e, j) => {
    arc[e] = rowLimit.length + j;
    if (mayBeLeft) arc[next[j]++] = row;
  });
  return { arc, spans };
}
