import { sharedFloat64, sharedInt32, sharedUint8 } from "../../core/shared-arrays.js";
import { openCrew, type Patience } from "../../core/team.js";
import type { Work } from "../../core/team-work.js";
import { addCharges } from "../dual/cliques.js";
import { slackOf } from "../dual/slack.js";
import type { ReadState } from "../dual/steps.js";
import { type Conflicts, conflictsOf, isRestricted } from "../instance/exclusions.js";
import type { Graph } from "../instance/instance.js";
import type { Prices } from "./block.js";
import { Blocks, mayLayAnew } from "./blocks.js";
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
  /** What blocks of tracks are laid anew by, and those tracks before and after; null where they cannot be. */
  readonly blocks: {
    readonly prices: Prices;
    readonly given: Tracks;
    readonly improved: Tracks;
  } | null;
  /** 1 in its one place ends the search where it is. */
  readonly stop: Int32Array;
}

/** Frames of a window, whose blocks are searched one after the other. */
const WINDOW = 6;

const FROM_SEEDS = 0;
const IN_BLOCKS = 1;

/** Searches from a seed, or in the blocks of a window, on one thread. The result depends on the memory alone, so any thread may do any. */
export function bindSeeds(
  { graph, multipliers, tracks, conflicts, blocks, stop }: SeedsMemory,
  late: () => boolean = () => false,
): Work {
  const isLate = () => Atomics.load(stop, 0) !== 0 || late();
  const search = createTracksSearch(graph, isLate);
  const exclusive = conflicts === null ? null : new ExclusiveTracks(graph, search, conflicts);
  let made: Blocks | null = null;
  return (task, item, offset) => {
    if (task === IN_BLOCKS && conflicts !== null && blocks !== null) {
      const first = Math.max(0, WINDOW * item - offset);
      const last = Math.min(graph.frames, WINDOW * (item + 1) - offset) - 1;
      made ??= new Blocks(graph, conflicts, isLate);
      if (first < last) made.improve(blocks.given, blocks.prices, first, last, blocks.improved);
      return;
    }
    const seed = SEEDS[item];
    if (seed !== "assignment") search.construct(multipliers, seed, tracks[seed]);
    search.improve(tracks[seed], { multipliers });
    if (exclusive !== null) tracks[seed].set(exclusive.from(tracks[seed]));
  };
}

function setPrices(graph: Graph, state: ReadState, { v, slack, charge, combined }: Prices): void {
  v.set(state.v);
  const costOf = slackOf(graph, state);
  for (let e = 0; e < graph.edges; e++) slack[e] = costOf(e);
  if (!state.exclusions) return;
  charge.set(state.exclusions.charge);
  combined.set(state.exclusions.combined);
}

export interface Seeds {
  /** The tracks of all seeds, in order; 1 in `closed` for detections that none uses. */
  from(state: ReadState, closed?: Uint8Array | null): Promise<Tracks[]>;
  /** Allowed tracks that cost no more than given ones, laid anew in blocks by a state of an ascent. */
  inBlocks(tracks: Tracks, state: ReadState): Promise<Tracks>;
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

function blocksMemory({ edges, birthOf: { length } }: Graph): SeedsMemory["blocks"] {
  const [slack, charge, combined] = [edges, length, length].map(sharedFloat64);
  const prices = { v: sharedFloat64(edges), slack, charge, combined };
  return { prices, given: sharedInt32(length), improved: sharedInt32(length) };
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
    blocks: mayLayAnew(graph) ? blocksMemory(graph) : null,
    stop: sharedInt32(1),
  };
  const cut = () => Atomics.store(memory.stop, 0, 1);
  const crew = openCrew(
    mayLayAnew(graph) ? threads : Math.min(threads, SEEDS.length),
    "#seeds-worker",
    memory,
    bindSeeds(memory, late),
    patience,
  );
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
      await crew.run(FROM_SEEDS, SEEDS.length, 0, { waiting });
      return SEEDS.map((seed) => Int32Array.from(memory.tracks[seed]));
    },
    async inBlocks(tracks, state) {
      if (memory.blocks === null) return tracks;
      const { prices, given, improved } = memory.blocks;
      setPrices(graph, state, prices);
      improved.set(tracks);
      for (const offset of [0, WINDOW / 2]) {
        given.set(improved);
        await crew.run(IN_BLOCKS, Math.ceil((graph.frames + offset) / WINDOW), offset, { waiting });
      }
      return Int32Array.from(improved);
    },
    cut,
    close: async () => crew.close(),
  };
}
