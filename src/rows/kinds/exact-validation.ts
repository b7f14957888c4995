import { z } from "zod";
import { made, type RowKind } from "../kind.js";

const count = z.int().min(0);

/** Written by lab/exact/validate.mjs: what is proved about small random instances against an exact dynamic program. */
export const exactValidationRow = z.looseObject({
  benchmark: z.literal("exact-validation"),
  /** First seed. */
  from: count,
  instances: count,
  withBirths: count,
  openGaps: count,
  eliminated: count,
  margins: count,
  positiveMargins: count,
  raisedByCuts: count,
  proofs: count,
  violations: count,
  ...made,
});

export const exactValidationKind: RowKind<z.output<typeof exactValidationRow>> = {
  name: "exact-validation",
  title: "Proofs against an exact dynamic program",
  schema: exactValidationRow,
  columns: [
    { title: "first seed", of: ({ from }) => from },
    { title: "instances", of: ({ instances }) => instances },
    { title: "with births", of: ({ withBirths }) => withBirths },
    { title: "open gaps", of: ({ openGaps }) => openGaps },
    { title: "closed by elimination alone", of: ({ eliminated }) => eliminated },
    { title: "margins", of: ({ margins }) => margins },
    { title: "raised by cuts", of: ({ raisedByCuts }) => raisedByCuts },
    { title: "violations", of: ({ violations }) => violations },
  ],
};
