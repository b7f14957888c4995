import { z } from "zod";
import { made, type RowKind } from "../kind.js";

/** Written by lab/truth/truth.mjs: an ascent against the integer optima of small instances. */
export const truthRow = z.looseObject({
  bench: z.literal("truth"),
  kind: z.string(),
  ascent: z.string(),
  instances: z.int().min(0),
  violations: z.int().min(0),
  foundPercent: z.number().min(0).max(100),
  provenPercent: z.number().min(0).max(100),
  ...made,
});

export const truthKind: RowKind<z.output<typeof truthRow>> = {
  name: "truth",
  title: "Against integer optima by HiGHS",
  schema: truthRow,
  recognises: (row) => "bench" in row && row.bench === "truth",
  columns: [
    { title: "kind", of: ({ kind }) => kind },
    { title: "ascent", of: ({ ascent }) => ascent },
    { title: "instances", of: ({ instances }) => instances },
    { title: "violations", of: ({ violations }) => violations },
    { title: "optimum found, %", of: ({ foundPercent }) => foundPercent },
    { title: "proved, %", of: ({ provenPercent }) => provenPercent },
  ],
};
