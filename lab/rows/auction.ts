import { z } from "zod";
import { measurement } from "../../dist/rows/measurement.js";

const overFrames = z.object({ mean: z.number(), median: z.number(), p99: z.number(), max: z.number() });

/** One board of the auction on one recording. A time whose answers were not certified is no row. */
export const auctionRow = measurement.extend({
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
  /** Of each frame, where it was asked for. */
  frameMilliseconds: z.array(z.number()).optional(),
  /** The exact solver on one CPU core, the same frames. */
  cpuMilliseconds: overFrames,
  rounds: overFrames,
  words: overFrames,
  capped: z.int().min(0),
  instead: z.record(z.string(), z.number()),
  worstGap: z.number().max(1),
  device: z.string().min(1),
  certified: z.literal(true),
});

export type AuctionRow = z.infer<typeof auctionRow>;
