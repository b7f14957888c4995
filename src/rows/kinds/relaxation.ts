import { z } from "zod";
import { made, type RowKind } from "../kind.js";

/** What HiGHS found; its value is null where it found none. */
const optimum = z.looseObject({ status: z.string(), value: z.number().nullable().optional() }).nullable();

/** Written by lab/gap/relaxation.mjs: how tight the linear relaxation of a scenario is. */
export const relaxationRow = z.looseObject({
  name: z.string(),
  lowerBound: z.number(),
  upperBound: z.number(),
  gapPercent: z.number().min(0),
  lp: optimum,
  mip: optimum,
  leastGapPercent: z.number().nullable().optional(),
  ...made,
});

export const relaxationKind: RowKind<z.output<typeof relaxationRow>> = {
  name: "relaxation",
  title: "The linear relaxation by HiGHS",
  schema: relaxationRow,
  recognises: (row) => "lp" in row && "mip" in row,
  columns: [
    { title: "scenario", of: ({ name }) => name },
    { title: "certified gap, %", of: ({ gapPercent }) => gapPercent },
    { title: "least gap of any dual ascent, %", of: ({ leastGapPercent }) => leastGapPercent ?? null },
    { title: "LP optimum", of: ({ lp }) => lp?.value ?? null },
    { title: "integer optimum", of: ({ mip }) => mip?.value ?? null },
  ],
};
