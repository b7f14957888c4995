import { z } from "zod";
import { made, type RowKind } from "../kind.js";

/** Written by lab/costs/warm-starts.mjs: the last solve of a recording, begun in three ways (docs/algorithm.md §3.6). */
export const warmStartsRow = z.looseObject({
  bench: z.literal("warm-starts"),
  input: z.string(),
  /** none: at 0, as it is. fitted: at 0, fitted to the costs. carried: at the multipliers of the pass before, fitted. */
  start: z.enum(["none", "fitted", "carried"]),
  edges: z.int().min(1),
  triplets: z.int().min(0),
  /** Of the first bound and of the last, in percent. */
  firstGapPercent: z.number(),
  lastGapPercent: z.number(),
  status: z.string(),
  iterations: z.int().min(0),
  /** Of the solve alone. */
  seconds: z.number().min(0),
  ...made,
});

const percent = (value: number) => `${value.toPrecision(2)} %`;

export const warmStartsKind: RowKind<z.output<typeof warmStartsRow>> = {
  name: "warm-starts",
  title: "The last solve of a recording, begun in three ways",
  schema: warmStartsRow,
  recognises: (row) => "bench" in row && row.bench === "warm-starts",
  columns: [
    { title: "input", of: ({ input }) => input },
    { title: "start", of: ({ start }) => start },
    { title: "first gap", of: ({ firstGapPercent }) => percent(firstGapPercent) },
    { title: "iterations", of: ({ iterations }) => iterations },
    { title: "seconds", of: ({ seconds }) => seconds.toFixed(1) },
    {
      title: "last gap",
      of: ({ status, lastGapPercent }) => (status === "optimal" ? "optimal" : percent(lastGapPercent)),
    },
  ],
};
