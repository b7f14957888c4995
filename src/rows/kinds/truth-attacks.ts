import { z } from "zod";
import { made, type RowKind } from "../kind.js";

/** Written by lab/truth/attack.ts: attacked instances, each claim of the solver judged in exact arithmetic. The oldest are of scales alone. */
export const truthAttackRow = z.looseObject({
  bench: z.enum(["truth-attack", "truth-scales"]),
  attack: z.string().default("scales"),
  instances: z.int().min(0),
  violations: z.int().min(0),
  ...made,
});

export const truthAttackKind: RowKind<z.output<typeof truthAttackRow>> = {
  name: "truth-attack",
  title: "Claims judged in exact arithmetic on extreme, wrong and damaged input",
  schema: truthAttackRow,
  recognises: (row) => "bench" in row && (row.bench === "truth-attack" || row.bench === "truth-scales"),
  columns: [
    { title: "attack", of: ({ attack }) => attack },
    { title: "instances", of: ({ instances }) => instances },
    { title: "false claims", of: ({ violations }) => violations },
  ],
};
