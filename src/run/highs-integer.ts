import type { Highs } from "highs";
import type { Cut, IntegerProgram, SolveInteger } from "../map/primal/integer-program.js";

/** Nodes of a search at most; most searches end before. A limit of time would make tracks depend on the machine. */
const MOST_NODES = 50;

/** Rounds of cuts at a node at most. */
const MOST_ROUNDS = 30;

/** So far from a whole number a value of a relaxation may be. */
const WHOLE = 1e-6;

/** A saving of less is rounding. */
const ROUNDING = 1e-9;

const isWhole = (z: number): boolean => z < WHOLE || z > 1 - WHOLE;

/**
 * The solver of integer programs: branch and cut by linear programs of HiGHS. HiGHS's own comes to the same solutions after four times the time, as it searches for rows of any kind.
 */
export function solveInteger(highs: Highs, ...[program, known, cuts, late]: [...Parameters<SolveInteger>]) {
  if (program.cost.length === 0) return null;
  const search = new Search(highs, program, known, cuts, late);
  try {
    search.enter();
  } catch (error) {
    if (!(error instanceof Error && /^run failed/.test(error.message))) throw error;
  } finally {
    search.close();
  }
  return search.best;
}

/** A depth-first search; all its linear programs are one, which goes on from the last basis. */
class Search {
  best: Float64Array | null = null;
  readonly #model: ReturnType<Highs["createModel"]>;
  /** Columns that are not fixed at 0 or 1. */
  readonly #open: Set<number>;
  /** The cost below which a solution is better than the best so far. */
  #most: number;
  #nodes = 0;

  constructor(
    private readonly highs: Highs,
    { cost, lower, upper, rowStart, index, value }: IntegerProgram,
    known: Float64Array,
    private readonly cuts: (point: Float64Array) => readonly Cut[],
    private readonly late: () => boolean,
  ) {
    const [numCols, numRows] = [cost.length, lower.length];
    this.#open = new Set(cost.keys());
    this.#most = cost.reduce((sum, one, n) => sum + one * known[n], -ROUNDING);
    this.#model = highs.createModel({
      ...{ numCols, numRows, colCost: cost, rowUpper: upper },
      colLower: new Float64Array(numCols),
      colUpper: new Float64Array(numCols).fill(1),
      rowLower: lower.map((bound) => Math.max(bound, -highs.infinity)),
      matrix: { format: "csr", numRows, numCols, starts: rowStart, indices: index, values: value },
    });
    // Presolve takes longer than it saves, and so do the exact weights of the steepest edge, which is made anew for each row that is added.
    this.#model.options.set({ output_flag: false, presolve: "off", solver: "simplex" });
    this.#model.options.set({ simplex_dual_edge_weight_strategy: 1 });
  }

  /** Searches below the present node. */
  enter(): void {
    if (this.late() || ++this.#nodes > MOST_NODES) return;
    const relaxed = this.#relax();
    if (relaxed === null) return;
    const { colValue, colDual } = relaxed;
    const spare = this.#most - this.#model.getObjectiveValue();
    const open = [...this.#open];
    let branch = open[0];
    for (const n of open) {
      if (Math.abs(colValue[n] - 0.5) < Math.abs(colValue[branch] - 0.5)) branch = n;
      // Whatever has it otherwise is no better than the best so far.
      if (Math.abs(colDual[n]) > spare && isWhole(colValue[n])) this.#fix(n, Math.round(colValue[n]));
    }
    for (const value of [1, 0]) {
      this.#fix(branch, value);
      this.enter();
    }
    for (const n of open) {
      if (this.#open.has(n)) continue;
      this.#open.add(n);
      this.#model.changeColBounds(n, 0, 1);
    }
  }

  close(): void {
    this.#model.dispose();
  }

  #fix(column: number, value: number): void {
    this.#open.delete(column);
    this.#model.changeColBounds(column, value, value);
  }

  /** A fractional point of the present node that no cut is known for; null where nothing better than the best so far is left there. */
  #relax() {
    const { optimal } = this.highs.constants.modelStatus;
    for (let round = 0; ; round++) {
      if (this.#model.run().modelStatus !== optimal || this.#model.getObjectiveValue() >= this.#most) return null;
      const solution = this.#model.getSolution();
      const { colValue } = solution;
      if (colValue.every(isWhole)) {
        this.best = colValue;
        this.#most = this.#model.getObjectiveValue() - ROUNDING;
        return null;
      }
      const found = round < MOST_ROUNDS && !this.late() ? this.cuts(colValue) : [];
      if (found.length === 0) return solution;
      for (const { upper, index, value } of found)
        this.#model.addRow(-this.highs.infinity, upper, { indices: index, values: value });
    }
  }
}
