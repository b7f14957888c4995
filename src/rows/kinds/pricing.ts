import { z } from "zod";
import { made, type RowKind, spread } from "../kind.js";

/** Written by lab/pricing/pricing.mjs: pricing links on one thread, on all of them and by gpu.js on the CPU, milliseconds. */
export const pricingRow = z.looseObject({
  bench: z.literal("pricing"),
  name: z.string(),
  links: z.int().min(0),
  one: spread,
  workers: spread,
  certified: z.literal(true),
  ...made,
});

export const pricingKind: RowKind<z.output<typeof pricingRow>> = {
  name: "pricing",
  title: "Pricing links on the CPU",
  schema: pricingRow,
  recognises: (row) => "bench" in row && row.bench === "pricing",
  columns: [
    { title: "problem", of: ({ name }) => name },
    { title: "links", of: ({ links }) => links },
    { title: "one thread, ms", of: ({ one }) => one.median },
    { title: "worker threads, ms", of: ({ workers }) => workers.median },
  ],
};
