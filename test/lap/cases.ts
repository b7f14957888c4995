import { denseLap } from "../../src/lap/dense.js";
import type { LapProblem } from "../../src/lap/lap.js";

/** One LAP with its known answer: the table every solver of this folder is tested on. */
export interface LapCase {
  readonly name: string;
  readonly rows: number;
  readonly columns: number;
  /** One array per row; null is a forbidden entry. */
  readonly costs: readonly (readonly (number | null)[])[];
  readonly rowUnassigned: readonly number[] | null;
  readonly columnUnassigned: readonly number[] | null;
  readonly expected: number | "infeasible";
}

type Extras = Partial<Pick<LapCase, "columns" | "rowUnassigned" | "columnUnassigned">>;

function lapCase(name: string, expected: LapCase["expected"], costs: LapCase["costs"], extras: Extras = {}): LapCase {
  const { columns = costs[0]?.length ?? 0, rowUnassigned = null, columnUnassigned = null } = extras;
  return { name, rows: costs.length, columns, costs, rowUnassigned, columnUnassigned, expected };
}

/** The case as the solvers take it. */
export function problemOf({ rows, columns, costs, rowUnassigned, columnUnassigned }: LapCase): LapProblem {
  const flat = costs.flat();
  return denseLap(
    rows,
    columns,
    flat.map((cost) => cost ?? 0),
    {
      forbidden: flat.map((cost) => (cost === null ? 1 : 0)),
      rowUnassigned: rowUnassigned && Float64Array.from(rowUnassigned),
      columnUnassigned: columnUnassigned && Float64Array.from(columnUnassigned),
    },
  );
}

const X = null;
const MUST = Infinity;
const square = [
  [7, 2, 9, 4],
  [3, 8, 1, 6],
  [5, 3, 6, 8],
  [9, 4, 2, 7],
];
const scaled = (factor: number) => square.map((row) => row.map((cost) => cost * factor));

export const lapCases: readonly LapCase[] = [
  // SciPy's published cases for linear_sum_assignment.
  lapCase("scipy: square", 850, [
    [400, 150, 400],
    [400, 450, 600],
    [300, 225, 300],
  ]),
  lapCase("scipy: wide", 452, [
    [400, 150, 400, 1],
    [400, 450, 600, 2],
    [300, 225, 300, 3],
  ]),
  lapCase("scipy: small square", 18, [
    [10, 10, 8],
    [9, 8, 1],
    [9, 7, 4],
  ]),
  lapCase("scipy: small wide", 15, [
    [10, 10, 8, 11],
    [9, 8, 1, 1],
    [9, 7, 4, 10],
  ]),
  lapCase("scipy: forbidden, one way left", 18, [
    [10, X, X],
    [X, X, 1],
    [X, 7, X],
  ]),
  lapCase("scipy: no column is allowed twice", "infeasible", [
    [1, X, X],
    [1, X, X],
    [1, X, 3],
  ]),

  lapCase("asymmetric square", 12, square),
  lapCase("tall: the worst row is left over", 3, [
    [5, 9],
    [1, 7],
    [8, 2],
  ]),
  lapCase("wide: the worst column is left over", 3, [
    [5, 1, 8],
    [9, 7, 2],
  ]),
  lapCase("tall: more than one row left over", 1, [[4], [3], [1], [2]]),
  lapCase("wide: more than one column left over", 1, [[4, 3, 1, 2]]),
  lapCase("tall: every column must be served, at a loss too", 9, [
    [5, 9],
    [X, 7],
    [2, X],
  ]),
  lapCase("single entry", 4, [[4]]),
  lapCase("single negative entry", -4, [[-4]]),
  lapCase("a stored zero is a cost, not a hole", 0, [
    [0, 5],
    [5, 0],
  ]),
  lapCase("only stored zeros, others forbidden", 0, [
    [X, 0],
    [0, X],
  ]),

  lapCase("all equal", 12, [
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
  ]),
  lapCase("tied rows", 8, [
    [1, 2, 5],
    [1, 2, 5],
    [1, 2, 5],
  ]),
  lapCase("tied columns", 7, [
    [1, 1, 1],
    [2, 2, 2],
    [4, 4, 4],
  ]),
  lapCase("ties against forbidden entries", 3, [
    [1, 1, X],
    [1, 1, 1],
    [X, 1, X],
  ]),
  lapCase("two optima", 4, [
    [1, 2],
    [2, 3],
  ]),
  lapCase("greedy is wrong", 10, [
    [1, 2, 3],
    [2, 4, 6],
    [3, 6, 20],
  ]),
  lapCase("negative square", -20, [
    [-4, -2, -8],
    [-4, -3, -7],
    [-3, -8, -6],
  ]),
  lapCase("negative, more to gain by leaving the first row", -9, [
    [-1, X],
    [-4, -2],
    [X, -5],
  ]),
  lapCase("mixed signs", -2, [
    [-5, 3],
    [2, 3],
  ]),
  ...[1e-9, 1e-6, 1e6, 1e9].map((factor) => lapCase(`scaled by ${factor}`, 12 * factor, scaled(factor))),
  lapCase("scales side by side", 1e9 + 3e-9, [
    [1e9, X, X],
    [X, 1e-9, 4e-9],
    [X, 4e-9, 2e-9],
  ]),

  lapCase("infeasible: a row without entries", "infeasible", [
    [1, 2],
    [X, X],
  ]),
  lapCase("infeasible: a column without entries", "infeasible", [
    [1, X],
    [2, X],
  ]),
  lapCase("infeasible: two rows share their only column", "infeasible", [
    [1, X, X],
    [2, X, X],
    [1, 2, 3],
  ]),
  lapCase("infeasible: wide, three rows on two columns", "infeasible", [
    [1, 2, X, X],
    [3, 4, X, X],
    [5, 6, X, X],
  ]),
  lapCase("infeasible: tall, two columns on one row", "infeasible", [
    [1, 2],
    [X, X],
    [X, X],
  ]),
  lapCase(
    "infeasible: a row that must, beside rows that need not",
    "infeasible",
    [
      [X, X],
      [1, 2],
    ],
    {
      rowUnassigned: [MUST, 0],
      columnUnassigned: [0, 0],
    },
  ),
  lapCase(
    "infeasible: a column that must, beside columns that need not",
    "infeasible",
    [
      [X, 1],
      [X, 2],
    ],
    {
      rowUnassigned: [0, 0],
      columnUnassigned: [MUST, 0],
    },
  ),
  lapCase("infeasible: rows may stay out, columns must not", "infeasible", [[X], [X]], { rowUnassigned: [1, 1] }),
  lapCase(
    "infeasible: square, rows may stay out, one column cannot be reached",
    "infeasible",
    [
      [1, X],
      [2, X],
    ],
    {
      rowUnassigned: [5, 5],
    },
  ),

  lapCase("nothing", 0, []),
  lapCase("no columns, rows left over", 0, [[], [], []]),
  lapCase("no columns, rows at their costs", 6, [[], [], []], { rowUnassigned: [1, 2, 3] }),
  lapCase("no columns, a row that must be assigned", "infeasible", [[]], { rowUnassigned: [MUST] }),
  lapCase("no rows, columns left over", 0, [], { columns: 2 }),
  lapCase("no rows, columns at their costs", 5, [], { columns: 2, columnUnassigned: [2, 3] }),
  lapCase("no rows, a column that must be assigned", "infeasible", [], { columns: 1, columnUnassigned: [MUST] }),
  lapCase(
    "no entry allowed, all at their costs",
    10,
    [
      [X, X],
      [X, X],
    ],
    {
      rowUnassigned: [1, 2],
      columnUnassigned: [3, 4],
    },
  ),

  // The first three have another optimum if the costs of rows and columns are exchanged.
  lapCase(
    "births and deaths: linking costs less",
    6,
    [
      [9, 2],
      [4, 9],
    ],
    { rowUnassigned: [1, 3], columnUnassigned: [8, 2] },
  ),
  lapCase(
    "births and deaths: one link is dearer than both its ends",
    8,
    [
      [9, 2],
      [7, 9],
    ],
    {
      rowUnassigned: [5, 1],
      columnUnassigned: [5, 5],
    },
  ),
  lapCase(
    "births and deaths: nothing is worth a link",
    4,
    [
      [9, 2],
      [9, 9],
    ],
    {
      rowUnassigned: [0, 3],
      columnUnassigned: [0, 1],
    },
  ),
  lapCase(
    "wide with births and deaths",
    5,
    [
      [4, 1, 6],
      [3, X, 2],
    ],
    {
      rowUnassigned: [9, 1],
      columnUnassigned: [2, 8, 5],
    },
  ),
  lapCase(
    "tall with births and deaths",
    5,
    [
      [4, X],
      [1, 3],
      [6, 2],
    ],
    {
      rowUnassigned: [2, 8, 9],
      columnUnassigned: [9, 1],
    },
  ),
  lapCase(
    "leaving out earns",
    -12,
    [
      [1, 2],
      [3, 1],
    ],
    { rowUnassigned: [-3, -1], columnUnassigned: [-4, -4] },
  ),
  lapCase(
    "only rows have costs, columns must be served",
    7,
    [
      [5, 9],
      [9, 2],
    ],
    { rowUnassigned: [0, 0] },
  ),
  lapCase(
    "only columns have costs, rows must be served",
    7,
    [
      [5, 9],
      [9, 2],
    ],
    { columnUnassigned: [0, 0] },
  ),
  lapCase(
    "wide, rows may stay out, surplus columns are free",
    3,
    [
      [5, 1, 7],
      [9, 9, 9],
    ],
    { rowUnassigned: [9, 2] },
  ),
  lapCase(
    "tall, columns may stay out, surplus rows are free",
    3,
    [
      [5, 9],
      [1, 9],
      [7, 9],
    ],
    { columnUnassigned: [9, 2] },
  ),
  lapCase(
    "a row leaves its cheapest column to serve a dearer one",
    6,
    [
      [1, 4],
      [X, X],
    ],
    {
      rowUnassigned: [MUST, 2],
      columnUnassigned: [0, 9],
    },
  ),
  lapCase(
    "some must, some may, on both sides",
    6,
    [
      [3, 1, X],
      [2, X, X],
      [4, 2, 5],
    ],
    {
      rowUnassigned: [MUST, 1, MUST],
      columnUnassigned: [4, MUST, 0],
    },
  ),
];
