import { createRequire } from "node:module";
import type { Highs } from "highs";
import { invariant } from "../core/errors.js";
import { ifInstalled } from "../core/optional-package.js";
import type {
  LinearProgram,
  LinearProgramData,
  LinearProgramSolution,
  OpenLinearProgram,
} from "../map/exact/linear-program.js";
import type { SolveInteger } from "../map/primal/integer-program.js";
import { solveInteger } from "./highs-integer.js";

/** Of HiGHS's option simplex_dual_edge_weight_strategy. */
const DEVEX = 1;

/** No limit of simplex iterations. */
const ALL = 2 ** 31 - 1;

/** A program without columns, which HiGHS does not solve: all sets of tracks of the core use the same. */
function nothingToChoose(right: Float64Array, rows: number): LinearProgramSolution {
  invariant(
    right.every((value) => value === 0),
    () => `a linear program without columns asks for ${right.find((value) => value !== 0)}`,
  );
  return {
    status: "optimal",
    objective: 0,
    iterations: 0,
    value: new Float64Array(0),
    rowDual: new Float64Array(rows),
  };
}

/** HiGHS's tolerances are absolute, 1e-7, so costs that are all smaller than this are raised; large costs are lowered only where it fails on them. */
const SMALL = 2 ** -10;

/** A power of two that brings half of the costs, of those that are not 0, below 1. */
function scaleOf(cost: Float64Array): number {
  const sizes = cost
    .map(Math.abs)
    .filter((size) => size > 0)
    .sort();
  const middle = sizes[sizes.length >> 1] ?? 1;
  return 2 ** -Math.max(-1000, Math.min(1000, Math.ceil(Math.log2(middle))));
}

/** Whether the package is installed. It is not loaded: that takes as long as a small solve. */
export async function hasHighs(): Promise<boolean> {
  const path = await ifInstalled(["highs"], async () => createRequire(import.meta.url).resolve("highs"));
  return path !== null;
}

interface LoadedHighs {
  readonly name: string;
  readonly open: OpenLinearProgram;
  readonly solveInteger: SolveInteger;
}

/**
 * HiGHS (https://highs.dev) in WebAssembly, an optional dependency, loaded when an exact solve asks for it.
 * @returns null where the package is not installed
 */
export async function loadHighs(): Promise<LoadedHighs | null> {
  const module = await ifInstalled(["highs"], () => import("highs"));
  if (module === null) return null;
  // The package's types describe its CommonJS form.
  const { default: load } = module as unknown as { default: () => Promise<Highs> };
  const highs = await load();
  return {
    name: `HiGHS ${highs.version.string} in WebAssembly`,
    open: (data) => openProgram(highs, data),
    solveInteger: (...task) => solveInteger(highs, ...task),
  };
}

function openProgram(highs: Highs, data: LinearProgramData): LinearProgram {
  const { optimal, infeasible } = highs.constants.modelStatus;
  const rows = data.right.length;
  /** Factor of the costs. */
  let scale = data.cost.every((value) => Math.abs(value) < SMALL) ? scaleOf(data.cost) : 1;
  const model = modelOf(highs, data, scale);
  /** Runs without presolve and from a basis of its own; with smaller costs where that gives no answer either. */
  const runAnew = () => {
    model.clearSolver();
    model.options.set({ presolve: "off" });
    let status = run(highs, model);
    if (status === null && scale === 1) {
      scale = scaleOf(data.cost);
      model.clearSolver();
      const costs = data.cost.map((value) => value * scale);
      model.changeColsCost({ kind: "set", indices: [...data.cost.keys()] }, costs);
      status = run(highs, model);
    }
    model.options.set({ presolve: "choose" });
    return status;
  };
  return {
    addRow(index, value, right) {
      model.addRow(-highs.infinity, right, { indices: index, values: value });
    },
    dropRows(added) {
      if (added.length > 0) model.deleteRows({ kind: "set", indices: added.map((row) => rows + row) });
    },
    hold(columns, atZero) {
      const held = [...columns].sort((a, b) => a - b);
      if (held.length === 0) return;
      const upper = new Float64Array(held.length).fill(atZero ? 0 : highs.infinity);
      model.changeColsBounds({ kind: "set", indices: held }, new Float64Array(held.length), upper);
    },
    solve({ seconds, iterations = ALL }) {
      if (data.cost.length === 0) return nothingToChoose(data.right, model.getDimensions().numRows);
      model.options.set({
        time_limit: model.getRunTime() + Math.min(1e9, Math.max(0.01, seconds)),
        simplex_iteration_limit: iterations,
      });
      let status = run(highs, model);
      // From a given basis a solve may end without an answer, and presolve may find no ray: simplex from a basis of its own has both.
      const unproved = status === infeasible && iterations === ALL && model.getDualRay() === undefined;
      if (unproved || status === null) status = runAnew();
      if (status === null) throw new Error("HiGHS ended without an answer");
      const { colValue, rowDual } = model.getSolution();
      if (!rowDual.every(Number.isFinite)) throw new Error("HiGHS ended with duals that are no numbers");
      return {
        status: status === optimal ? "optimal" : status === infeasible ? "infeasible" : "limit",
        objective: model.getObjectiveValue() / scale,
        iterations: Number(model.info.get("simplex_iteration_count")),
        value: colValue,
        rowDual: scale === 1 ? rowDual : rowDual.map((value) => value / scale),
      };
    },
    save: () => basisOf(model),
    restore(basis) {
      if (basis === null) return;
      const { colStatus, rowStatus } = basis as ReturnType<Model["getBasis"]>;
      // Rows added since are basic: their slacks.
      const grown = new Int32Array(model.getDimensions().numRows).fill(1);
      grown.set(rowStatus);
      model.setBasis({ colStatus, rowStatus: grown });
    },
    ray: () => model.getDualRay()?.values ?? null,
    close: () => model.dispose(),
  };
}

type Model = ReturnType<Highs["createModel"]>;

function modelOf(highs: Highs, { cost, right, rowStart, index, value }: LinearProgramData, scale: number): Model {
  const [columns, rows] = [cost.length, right.length];
  const model = highs.createModel({
    numCols: columns,
    numRows: rows,
    colCost: cost.map((one) => one * scale),
    colLower: new Float64Array(columns),
    colUpper: new Float64Array(columns).fill(highs.infinity),
    rowLower: right,
    rowUpper: right,
    matrix: { format: "csr", numRows: rows, numCols: columns, starts: rowStart, indices: index, values: value },
  });
  // Devex weights: the exact ones of the steepest edge are made anew, row by row, after every new basis and every dropped row.
  model.options.set({ output_flag: false, solver: "simplex", simplex_dual_edge_weight_strategy: DEVEX });
  return model;
}

/** The status of a solve, null where it is no answer. */
function run({ constants }: Highs, model: Model): number | null {
  const { optimal, infeasible, timeLimit, iterationLimit } = constants.modelStatus;
  const answers: readonly number[] = [optimal, infeasible, timeLimit, iterationLimit];
  try {
    const { modelStatus: status } = model.run();
    return answers.includes(status) ? status : null;
  } catch (error) {
    // Large costs may end in "run failed with HiGHS status -1".
    if (error instanceof Error && /^run failed/.test(error.message)) return null;
    throw error;
  }
}

/** null for a program that has changed since it was last solved: the next solve starts without a basis. */
function basisOf(model: Model): ReturnType<Model["getBasis"]> | null {
  try {
    return model.getBasis();
  } catch (error) {
    if (error instanceof Error && /has not been solved/.test(error.message)) return null;
    throw error;
  }
}
