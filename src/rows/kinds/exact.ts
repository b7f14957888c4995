import { z } from "zod";
import { made, type RowKind } from "../kind.js";

const count = z.int().min(0);

/** Written by lab/exact/instances.mjs and seeds.mjs: how far a method comes on an instance of instances/, or on another seed of one. */
export const exactRow = z.looseObject({
  benchmark: z.literal("exact"),
  name: z.string(),
  /** Of the instance, as in proof.json. */
  sha256: z.string(),
  detections: count,
  edges: count,
  triplets: count,
  /** An ascent, "bundle with cuts", "exact" or "HiGHS alone", whose bound is its own word. */
  method: z.string(),
  lowerBound: z.number().nullable(),
  upperBound: z.number().nullable(),
  gapPercent: z.number().nullable(),
  status: z.string(),
  cuts: count,
  leaves: count,
  /** Of one thread. */
  cpuSeconds: z.number().min(0),
  ...made,
});

export const exactKind: RowKind<z.output<typeof exactRow>> = {
  name: "exact",
  title: "Exact solves",
  schema: exactRow,
  columns: [
    { title: "instance", of: ({ name }) => name },
    { title: "method", of: ({ method }) => method },
    { title: "gap, %", of: ({ gapPercent }) => gapPercent },
    { title: "status", of: ({ status }) => status },
    { title: "cuts", of: ({ cuts }) => cuts },
    { title: "leaves", of: ({ leaves }) => leaves },
    { title: "CPU, s", of: ({ cpuSeconds }) => cpuSeconds },
  ],
};
