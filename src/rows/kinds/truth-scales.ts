import { z } from "zod";
import { made, type RowKind } from "../kind.js";

/** Written by bench/truth/scales.ts: problems of every scale, each claim of the solver judged in exact arithmetic. */
export const truthScalesRow = z.looseObject({
  bench: z.literal("truth-scales"),
  instances: z.int().min(0),
  violations: z.int().min(0),
  ...made,
});

export const truthScalesKind: RowKind<z.output<typeof truthScalesRow>> = {
  name: "truth-scales",
  title: "Claims judged in exact arithmetic over cost scales from 1e-12 to 1e30",
  schema: truthScalesRow,
  recognises: (row) => "bench" in row && row.bench === "truth-scales",
  columns: [
    { title: "instances", of: ({ instances }) => instances },
    { title: "false claims", of: ({ violations }) => violations },
  ],
};
