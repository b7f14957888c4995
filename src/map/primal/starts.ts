import { createRequire } from "node:module";
import { type Executor, inlineExecutor, poolExecutor } from "../../core/executor.js";
import { sharedFloat64, sharedInt32 } from "../../core/shared-arrays.js";
import type { ReadState } from "../dual/steps.js";
import type { Graph } from "../instance/instance.js";
import { type AscentPoint, createTracksSearch, type Tracks } from "./feasible.js";

/**
 * Sets of tracks from one state of an ascent: from its assignment, and from its multipliers front to back and back to front, each
 * improved. They know nothing of each other, so each is a task of its own.
 */
const STARTS = ["assignment", "forward", "backward"] as const;

export type Start = (typeof STARTS)[number];

/** The data that every thread needs, all in shared memory. */
export interface StartsMemory {
  readonly graph: Graph;
  readonly multipliers: AscentPoint;
  /** Where the tracks of each start come from, and where they go. */
  readonly tracks: Record<Start, Tracks>;
  /** Not 0 in its one place: leave the rest as it is. */
  readonly stop: Int32Array;
}

/** Makes the starts on one thread. The result depends on the memory alone, so any thread may take any start. */
export function bindStarts(
  { graph, multipliers, tracks, stop }: StartsMemory,
  late: () => boolean = () => false,
): (start: Start) => void {
  const search = createTracksSearch(graph, () => Atomics.load(stop, 0) !== 0 || late());
  return (start) => {
    if (start !== "assignment") search.construct(multipliers, start, tracks[start]);
    search.improve(tracks[start], { multipliers });
  };
}

export interface Starts {
  /** The tracks of all starts, in order. */
  from(state: ReadState): Promise<Tracks[]>;
  /** Ends the search where it is, while other threads are at work; the tracks so far are as good as any. */
  cut(): void;
  close(): Promise<void>;
}

export interface StartsOptions {
  /** Worker threads at most; with one all is done on the calling one. */
  readonly threads: number;
  /** Seconds on the calling thread before worker threads are started. */
  readonly threadsAfter: number;
  /** Seconds since some fixed time. */
  readonly now: () => number;
  /** Whether the search is to end where it is [never]. */
  readonly late?: () => boolean;
}

/** Uses worker threads, at most one per start, once the work is worth starting them. */
export function createStarts(graph: Graph, { threads, threadsAfter, now, late }: StartsOptions): Starts {
  const detections = graph.frameStart[graph.frames];
  const memory: StartsMemory = {
    graph,
    multipliers: {
      v: sharedFloat64(graph.edges),
      delta: sharedFloat64(graph.edges),
      columnDual: sharedFloat64(detections),
    },
    tracks: {
      assignment: sharedInt32(detections),
      forward: sharedInt32(detections),
      backward: sharedInt32(detections),
    },
    stop: sharedInt32(1),
  };
  let inline: Executor<Start> | null = null;
  let pool: Executor<Start> | null = null;
  let spent = 0;
  const run = async (): Promise<void> => {
    if (threads > 1 && spent >= threadsAfter) {
      pool ??= poolExecutor<Start>(workerFile(), Math.min(threads, STARTS.length), memory);
      await pool.run(STARTS);
      return;
    }
    inline ??= inlineExecutor(bindStarts(memory, late));
    const begin = now();
    await inline.run(STARTS);
    spent += now() - begin;
  };
  return {
    async from({ v, delta, columnDual, linkOfRow }) {
      memory.multipliers.v.set(v);
      memory.multipliers.delta.set(delta);
      memory.multipliers.columnDual.set(columnDual);
      for (const start of STARTS) memory.tracks[start].set(linkOfRow);
      await run();
      return STARTS.map((start) => Int32Array.from(memory.tracks[start]));
    },
    cut: () => Atomics.store(memory.stop, 0, 1),
    close: async () => pool?.close(),
  };
}

function workerFile(): string {
  return createRequire(import.meta.url).resolve("#starts-worker");
}
