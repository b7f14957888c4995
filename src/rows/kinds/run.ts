import { z } from "zod";
import type { RowKind } from "../kind.js";
import { resultRow } from "../results.js";

/** A run's row (results.ts) with any further fields that its writer added. */
export const runRow = z.looseObject(resultRow.shape);

export type RunRow = z.infer<typeof runRow>;

export const runKind: RowKind<RunRow> = {
  name: null,
  title: "Runs",
  schema: runRow,
  recognises: (row) => !("benchmark" in row || "bench" in row),
  columns: [
    { title: "name", of: ({ name }) => name },
    { title: "ascent", of: ({ ascent }) => ascent },
    { title: "device", of: ({ device }) => device.actual },
    { title: "status", of: ({ status }) => status },
    { title: "lower bound", of: ({ lowerBound }) => lowerBound },
    { title: "upper bound", of: ({ upperBound }) => upperBound },
    { title: "gap, %", of: ({ gapPercent }) => gapPercent },
    { title: "seconds", of: ({ times }) => times.total ?? null },
  ],
};
