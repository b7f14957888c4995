import { z } from "zod";
import { made, type RowKind } from "../kind.js";

const batches = z.looseObject({ most: z.number(), slowest: z.looseObject({ chain: z.number() }) });

/** Written by lab/lap/chains.mjs: how long the serial chains of the block Hungarian are in an ascent's X-LAPs. */
export const lapChainsRow = z.looseObject({
  benchmark: z.literal("lap-chains"),
  problem: z.string(),
  ascent: z.string(),
  iterations: z.int().min(0),
  cold: batches,
  warm: batches,
  ...made,
});

export const lapChainsKind: RowKind<z.output<typeof lapChainsRow>> = {
  name: "lap-chains",
  title: "Serial chains of the block Hungarian in X-LAPs",
  schema: lapChainsRow,
  columns: [
    { title: "problem", of: ({ problem }) => problem },
    { title: "ascent", of: ({ ascent }) => ascent },
    { title: "cold, steps of the slowest LAP", of: ({ cold }) => cold.slowest.chain },
    { title: "warm, mean of the batches", of: ({ warm }) => warm.slowest.chain },
    { title: "warm, most", of: ({ warm }) => warm.most },
  ],
};
