import { createRequire } from "node:module";
import { type Executor, inlineExecutor, poolExecutor } from "../../core/executor.js";
import { sharedFloat64, sharedInt32 } from "../../core/shared-arrays.js";
import type { AscentState } from "../dual/state.js";
import type { Instance } from "../instance/instance.js";
import { createTracksSearch, type Multipliers, type Tracks } from "./feasible.js";

/**
 * Sets of tracks from one state of an ascent: from its assignment, and from its multipliers front to back and back to front, each
 * improved. They know nothing of each other, so each is a task of its own.
 */
export const STARTS = ["assignment", "forward", "backward"] as const;

export type Start = (typeof STARTS)[number];

/** What every thread needs: all in shared memory. */
export interface StartsMemory {
  readonly instance: Instance;
  readonly multipliers: Multipliers;
  /** Where the tracks of each start come from, and where they go. */
  readonly tracks: Record<Start, Tracks>;
}

/** The starts on one thread. What comes out depends on the memory alone, so it does not matter which thread takes which. */
export function bindStarts({ instance, multipliers, tracks }: StartsMemory): (start: Start) => void {
  const search = createTracksSearch(instance);
  return (start) => {
    if (start !== "assignment") search.construct(multipliers, start, tracks[start]);
    search.improve(tracks[start], { multipliers });
  };
}

export interface Starts {
  /** The tracks of all starts, in order. */
  from(state: AscentState): Promise<Tracks[]>;
  close(): Promise<void>;
}

/** On worker threads, one a start at most, or with one thread on the calling one. */
export function createStarts(instance: Instance, threads: number): Starts {
  const detections = instance.frameStart[instance.frames];
  const memory: StartsMemory = {
    instance,
    multipliers: {
      v: sharedFloat64(instance.edges),
      delta: sharedFloat64(instance.edges),
      columnDual: sharedFloat64(detections),
    },
    tracks: {
      assignment: sharedInt32(detections),
      forward: sharedInt32(detections),
      backward: sharedInt32(detections),
    },
  };
  const executor: Executor<Start> =
    threads > 1
      ? poolExecutor<Start>(workerFile(), Math.min(threads, STARTS.length), memory)
      : inlineExecutor(bindStarts(memory));
  return {
    async from({ v, delta, columnDual, linkOfRow }) {
      memory.multipliers.v.set(v);
      memory.multipliers.delta.set(delta);
      memory.multipliers.columnDual.set(columnDual);
      for (const start of STARTS) memory.tracks[start].set(linkOfRow);
      await executor.run(STARTS);
      return STARTS.map((start) => Int32Array.from(memory.tracks[start]));
    },
    close: () => executor.close(),
  };
}

function workerFile(): string {
  return createRequire(import.meta.url).resolve("#starts-worker");
}
