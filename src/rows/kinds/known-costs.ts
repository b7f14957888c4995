import { z } from "zod";
import { made, type RowKind } from "../kind.js";

const KNOWN_COSTS = ["default", "consecutive", "true tracks"] as const;

/** Written by lab/costs/known-costs.mjs: what `rmap solve` makes of a recording, with `--max-gap 0`, and with costs that were estimated from the true tracks. */
export const knownCostsRow = z.looseObject({
  bench: z.literal("known-costs"),
  input: z.string(),
  /** Shares of the detections that were dropped, and of false ones that were added. */
  dropped: z.number(),
  false: z.number(),
  seed: z.int(),
  costs: z.enum(KNOWN_COSTS),
  detections: z.int().min(1),
  /** In percent. */
  idf1: z.number(),
  linkErrors: z.number(),
  gapPercent: z.number().nullable(),
  gapNats: z.number().nullable(),
  cpuSeconds: z.number(),
  ...made,
});

export const knownCostsKind: RowKind<z.output<typeof knownCostsRow>> = {
  name: "known-costs",
  title: "Recordings solved with estimated costs and with those of the true tracks",
  schema: knownCostsRow,
  recognises: (row) => "bench" in row && row.bench === "known-costs",
  columns: [
    { title: "input", of: ({ input }) => input },
    { title: "dropped, false", of: ({ dropped, false: added }) => `${dropped}, ${added}` },
    { title: "seed", of: ({ seed }) => seed },
    { title: "costs", of: ({ costs }) => costs },
    { title: "IDF1 %", of: ({ idf1 }) => idf1 },
    { title: "link errors %", of: ({ linkErrors }) => linkErrors },
    { title: "gap %", of: ({ gapPercent }) => gapPercent },
  ],
};
