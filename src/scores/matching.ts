import { rowStarts } from "../core/rows.js";
import { createLapSolution } from "../lap/dense.js";
import { createJvWorkspace, solveJv } from "../lap/jv/jv.js";
import { type Comparison, onceEach } from "./comparison.js";

/** An entry of a matching problem: row and column from 0, and the worth of the match, more than 0. */
export interface Worth {
  readonly row: number;
  readonly column: number;
  readonly worth: number;
}

/**
 * The matching of largest total worth: each row and each column at most once, exact (a LAP whose rows and columns may stay unassigned at
 * no cost). Returns the entries chosen. Entries worth nothing are never chosen.
 */
export function largestMatching<T extends Worth>(entries: readonly T[]): T[] {
  const worthy = entries.filter(({ worth }) => worth > 0);
  const rowOf = numbered(worthy.map(({ row }) => row));
  const columnOf = numbered(worthy.map(({ column }) => column));
  // Each row and each column once: nothing competes.
  if (rowOf.size === worthy.length && columnOf.size === worthy.length) return worthy;
  const place = ({ row, column }: Worth) => (rowOf.get(row) ?? 0) * columnOf.size + (columnOf.get(column) ?? 0);
  const sorted = [...worthy].sort((a, b) => place(a) - place(b));
  const rowStart = rowStarts(
    sorted.map(({ row }) => rowOf.get(row) ?? 0),
    rowOf.size,
  );
  const problem = {
    rows: rowOf.size,
    columns: columnOf.size,
    rowStart,
    column: Uint32Array.from(sorted, ({ column }) => columnOf.get(column) ?? 0),
    cost: Float64Array.from(sorted, ({ worth }) => -worth),
    rowUnassigned: new Float64Array(rowOf.size),
    columnUnassigned: new Float64Array(columnOf.size),
  };
  const solution = createLapSolution(problem.rows, problem.columns);
  solveJv(problem, solution, createJvWorkspace(problem.rows, problem.columns));
  return [...solution.entryOfRow].filter((entry) => entry >= 0).map((entry) => sorted[entry]);
}

function numbered(values: readonly number[]): Map<number, number> {
  const numbers = new Map<number, number>();
  for (const value of values) if (!numbers.has(value)) numbers.set(value, numbers.size);
  return numbers;
}

/** Whether no point may be the same as two others, as where tracks are numbers on the detections of the truth: then nothing competes. */
export const isOneToOne: (comparison: Comparison) => boolean = onceEach(({ truth, answer, pairs }) => {
  const [ofTruth, ofAnswer] = [new Uint8Array(truth.frame.length), new Uint8Array(answer.frame.length)];
  for (let pair = 0; pair < pairs.distance.length; pair++) {
    if (++ofTruth[pairs.truth[pair]] > 1 || ++ofAnswer[pairs.answer[pair]] > 1) return false;
  }
  return true;
});

/** Visits the pairs of frame p that make the matching of largest total worth. */
export function matchFrame(
  comparison: Comparison,
  p: number,
  worthOf: (pair: number) => number,
  visit: (pair: number) => void,
): void {
  const { pairs } = comparison;
  const entries: (Worth & { readonly pair: number })[] = [];
  const alone = isOneToOne(comparison);
  for (let pair = pairs.frameStart[p]; pair < pairs.frameStart[p + 1]; pair++) {
    const worth = worthOf(pair);
    if (!alone) entries.push({ row: pairs.truth[pair], column: pairs.answer[pair], worth, pair });
    else if (worth > 0) visit(pair);
  }
  for (const { pair } of largestMatching(entries)) visit(pair);
}

/** Identities of truth and answer that points of one pair or more have, in the order in which they come, and the number of pairs. */
export interface Together {
  readonly truth: readonly number[];
  readonly answer: readonly number[];
  readonly count: readonly number[];
}

/** Of all candidate pairs that are `wanted`. */
export function countTogether({ truth, answer, pairs }: Comparison, wanted: (pair: number) => boolean): Together {
  const together = { truth: [] as number[], answer: [] as number[], count: [] as number[] };
  const numbers = new Map<number, number>();
  /** By identity of the truth: most pairs have the one of the answer that the pair before had. */
  const last = new Int32Array(truth.identities).fill(-1);
  for (let pair = 0; pair < pairs.distance.length; pair++) {
    if (!wanted(pair)) continue;
    const [target, track] = [truth.identity[pairs.truth[pair]], answer.identity[pairs.answer[pair]]];
    let n = last[target];
    if (n < 0 || together.answer[n] !== track) {
      const key = target * answer.identities + track;
      n = numbers.get(key) ?? together.count.length;
      if (n === together.count.length) {
        numbers.set(key, n);
        together.truth.push(target);
        together.answer.push(track);
        together.count.push(0);
      }
      last[target] = n;
    }
    together.count[n]++;
  }
  return together;
}
