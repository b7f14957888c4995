import { z } from "zod";
import { made, type RowKind } from "../kind.js";

const overFrames = z.object({ mean: z.number(), median: z.number(), p99: z.number(), max: z.number() });

const schema = z.looseObject({
  benchmark: z.literal("auction"),
  /** Name of the recording. */
  set: z.string().min(1),
  frames: z.int().min(1),
  /** Tracks out of view end. */
  border: z.boolean(),
  tiles: z.int().min(1),
  /** d_max over the default one. */
  crowd: z.number().positive(),
  /** Mean over the frames. */
  persons: z.number(),
  objects: z.number(),
  candidates: z.number(),
  /** ε, of d_max. */
  epsilon: z.number().positive(),
  form: z.enum(["list", "dense"]),
  board: z.enum(["matrix", "lock", "packed", "workgroup"]),
  loop: z.enum(["host", "submit"]),
  milliseconds: overFrames,
  /** The exact solver on one CPU core, the same frames. */
  cpuMilliseconds: overFrames,
  rounds: overFrames,
  words: overFrames,
  capped: z.int().min(0),
  instead: z.record(z.string(), z.number()),
  worstGap: z.number().max(1),
  device: z.string().min(1),
  certified: z.literal(true),
  ...made,
});

export type AuctionRow = z.infer<typeof schema>;

/** One board of the auction on one recording: `rmap bench auction`. A time whose answers were not certified is no row. */
export const auctionKind: RowKind<AuctionRow> = {
  name: "auction",
  title: "Auctions on the frames of a belt",
  schema,
  columns: [
    { title: "set", of: ({ set, tiles }) => (tiles > 1 ? `${set} × ${tiles * tiles}` : set) },
    { title: "d_max", of: ({ crowd }) => crowd },
    { title: "border rule", of: ({ border }) => (border ? "yes" : "no") },
    { title: "persons", of: ({ persons }) => Math.round(persons) },
    { title: "objects", of: ({ objects }) => Math.round(objects) },
    { title: "form", of: ({ form }) => form },
    { title: "board", of: ({ board }) => board },
    { title: "loop", of: ({ loop }) => loop },
    { title: "ms, mean", of: ({ milliseconds }) => milliseconds.mean },
    { title: "ms, worst", of: ({ milliseconds }) => milliseconds.max },
    { title: "% of 5 ms", of: ({ milliseconds }) => 20 * milliseconds.mean },
    { title: "rounds, mean", of: ({ rounds }) => rounds.mean },
    { title: "rounds, worst", of: ({ rounds }) => rounds.max },
    { title: "words", of: ({ words }) => Math.round(words.mean) },
    { title: "one CPU core, ms", of: ({ cpuMilliseconds }) => cpuMilliseconds.mean },
    { title: "device", of: ({ device }) => device },
  ],
};
