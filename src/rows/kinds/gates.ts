import { z } from "zod";
import { made, type RowKind } from "../kind.js";

/** Written by lab/gates/gates.mjs: true links of consecutive frames, and those that the gate `auto` of the last pass leaves out. */
export const gatesRow = z.looseObject({
  bench: z.literal("gates"),
  input: z.string(),
  velocities: z.enum(["measured", "none"]),
  fault: z.string(),
  level: z.number(),
  detections: z.int().min(1),
  links: z.int().min(0),
  lost: z.int().min(0),
  /** Of the lost ones, those that could be in a best set of tracks if all pairs took part (docs/motion.md §3). */
  needed: z.int().min(0),
  ...made,
});

export const gatesKind: RowKind<z.output<typeof gatesRow>> = {
  name: "gates",
  title: "True links that the gate of a recording leaves out",
  schema: gatesRow,
  recognises: (row) => "bench" in row && row.bench === "gates",
  columns: [
    { title: "input", of: ({ input }) => input },
    { title: "velocities", of: ({ velocities }) => velocities },
    { title: "fault", of: ({ fault, level }) => (fault === "none" ? "–" : `${fault} ${level}`) },
    { title: "true links", of: ({ links }) => links },
    { title: "left out", of: ({ lost }) => lost },
    { title: "left out though they could pay", of: ({ needed }) => needed },
  ],
};
