import { sharedFloat64, sharedInt32, sharedUint8 } from "../../core/shared-arrays.js";
import { openCrew, type Patience } from "../../core/team.js";
import type { Work } from "../../core/team-work.js";
import { addCharges } from "../dual/cliques.js";
import type { ReadState } from "../dual/steps.js";
import { type Conflicts, conflictsOf, isRestricted } from "../instance/exclusions.js";
import type { Graph } from "../instance/instance.js";
import { ExclusiveTracks } from "./exclusions.js";
import { type AscentPoint, createTracksSearch, type Tracks } from "./feasible.js";

/**
 * The sets of tracks that a search begins from in one state of an ascent: its assignment, and what its multipliers make front to back and back
 * to front. Each is improved by itself, so each is a task.
 */
export const SEEDS = ["assignment", "forward", "backward"] as const;

export type Seed = (typeof SEEDS)[number];

/** The data that every thread needs, all in shared memory. */
export interface SeedsMemory {
  readonly graph: Graph;
  readonly multipliers: AscentPoint;
  /** Each seed, which its tracks replace. */
  readonly tracks: Record<Seed, Tracks>;
  /** null where any detections may be used together, and none is a twin. */
  readonly conflicts: Conflicts | null;
  /** 1 in its one place ends the search where it is. */
  readonly stop: Int32Array;
}

/** Searches from a seed on one thread. The result depends on the memory alone, so any thread may search from any. */
export function bindSeeds(
  { graph, multipliers, tracks, conflicts, stop }: SeedsMemory,
  late: () => boolean = () => false,
): Work {
  const search = createTracksSearch(graph, () => Atomics.load(stop, 0) !== 0 || late());
  const exclusive = conflicts === null ? null : new ExclusiveTracks(graph, search, conflicts);
  return (_, item) => {
    const seed = SEEDS[item];
    if (seed !== "assignment") search.construct(multipliers, seed, tracks[seed]);
    search.improve(tracks[seed], { multipliers });
    if (exclusive !== null) tracks[seed].set(exclusive.from(tracks[seed]));
  };
}

export interface Seeds {
  /** The tracks of all seeds, in order; 1 in `closed` for detections that none uses. */
  from(state: ReadState, closed?: Uint8Array | null): Promise<Tracks[]>;
  /** Ends the search where it is, while other threads are at work; the tracks so far are as good as any. */
  cut(): void;
  close(): Promise<void>;
}

export interface SeedsOptions extends Patience {
  /** Threads at most; with one the calling thread does everything. */
  readonly threads: number;
  /** Whether the search is to end where it is [never]. */
  readonly late?: () => boolean;
}

export function createSeeds(graph: Graph, { threads, late = () => false, ...patience }: SeedsOptions): Seeds {
  const detections = graph.frameStart[graph.frames];
  const memory: SeedsMemory = {
    graph,
    multipliers: {
      v: sharedFloat64(graph.edges),
      delta: sharedFloat64(graph.edges),
      columnDual: sharedFloat64(detections),
      closed: isRestricted(graph) ? sharedUint8(detections) : null,
      charge: isRestricted(graph) ? sharedFloat64(graph.edges) : null,
    },
    tracks: {
      assignment: sharedInt32(detections),
      forward: sharedInt32(detections),
      backward: sharedInt32(detections),
    },
    conflicts: isRestricted(graph) ? conflictsOf(graph) : null,
    stop: sharedInt32(1),
  };
  const cut = () => Atomics.store(memory.stop, 0, 1);
  const crew = openCrew(Math.min(threads, SEEDS.length), "#seeds-worker", memory, bindSeeds(memory, late), patience);
  const waiting = () => {
    if (late()) cut();
  };
  return {
    async from({ v, delta, columnDual, linkOfRow, cliques }, closed) {
      memory.multipliers.v.set(v);
      memory.multipliers.delta.set(delta);
      memory.multipliers.columnDual.set(columnDual);
      if (cliques) {
        const charge = memory.multipliers.charge as Float64Array;
        addCharges(graph, cliques, charge.fill(0));
      }
      if (closed) memory.multipliers.closed?.set(closed);
      for (const seed of SEEDS) memory.tracks[seed].set(linkOfRow);
      await crew.run(0, SEEDS.length, 0, { waiting });
      return SEEDS.map((seed) => Int32Array.from(memory.tracks[seed]));
    },
    cut,
    close: async () => crew.close(),
  };
}
