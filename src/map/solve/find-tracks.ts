import { relativeGap } from "../certificate/gap.js";
import type { DeviceTracks } from "../dual/steps.js";
import { isRestricted } from "../instance/exclusions.js";
import type { Blocks } from "../primal/blocks.js";
import { completeTracks } from "../primal/complete.js";
import type { Tracks } from "../primal/feasible.js";
import { SEEDS, type Seeds } from "../primal/seeds.js";
import type { SolveRun } from "./solve-run.js";

/** Iterations between two searches for better tracks: at least these, and this share of the iterations so far. */
const SEARCH_EVERY = 10;
const SEARCH_SHARE = 0.1;
/** The share where tracks are restricted: a search takes as long as ten iterations there, and two fifths of it are on one thread. */
const RESTRICTED_SHARE = 0.3;

/** Relative gap from which restricted tracks are laid anew in blocks. */
const BLOCKS_FROM = 0.01;

/** Relative rise of the bound since the last search would have been, above which there is none where there are blocks: they have the prices to come, and make most of the tracks. */
const RISES = 0.001;

/**
 * Edges a frame pair from which tracks are made on a device: it solves one pair after the other, in some 60 µs however few its edges. On an H200 three searches
 * over 670 edges a pair took it as long as 16 cores, over 2,060 edges four fifths, over 84,000 a third (lab/results/device-tracks.jsonl).
 */
const DEVICE_FROM = 1000;

/** Searches for tracks while an ascent runs. */
export class TracksFinder {
  /** Repairs assignments on the device, which knows no restrictions; null where there is none. */
  readonly #repairs: DeviceTracks | null;
  /** null where the host makes tracks. */
  readonly #device: DeviceTracks | null;
  /** Iterations at the last search, and at the last one of all kinds. */
  #searched = Number.NEGATIVE_INFINITY;
  #searchedAll = 0;
  #inDepth = false;

  /** @param cutShort ends a search that would outlast the time */
  constructor(
    private readonly run: SolveRun,
    private readonly seeds: Seeds,
    private readonly blocks: Blocks | null,
    private readonly cutShort: () => void,
  ) {
    const { graph, steps } = run;
    this.#repairs = isRestricted(graph) ? null : (steps.tracks ?? null);
    this.#device = graph.edges >= DEVICE_FROM * (graph.frames - 1) ? this.#repairs : null;
  }

  /** Whether it is time for the next search. Close to the last iteration it is not: the last search is made in any case. */
  isDue(): boolean {
    const { graph, iterations, history, options } = this.run;
    const isLastNear = history.length > 0 && iterations + SEARCH_EVERY > options.iterations;
    const share = isRestricted(graph) ? RESTRICTED_SHARE : SEARCH_SHARE;
    const every = Math.max(SEARCH_EVERY, share * iterations);
    return !isLastNear && iterations - this.#searched >= every && !(this.blocks !== null && this.#rises(every));
  }

  #rises(over: number): boolean {
    const { bounds, history, iterations } = this.run;
    const before = history.findLast(({ iteration }) => iteration <= iterations - over);
    return before !== undefined && relativeGap(before.lowerBound, bounds.ascent) > RISES;
  }

  /** Where a device repairs tracks it does so, and the search of all kinds comes seldom. */
  async search(): Promise<void> {
    const { iterations } = this.run;
    if (this.#repairs === null || iterations >= 2 * this.#searchedAll) await this.searchAll();
    else await this.#offer(await this.#repairs.from("assignment"));
    this.#searched = iterations;
  }

  /** Offers tracks built from the present assignment, and from the multipliers front to back and back to front; the last search of a solve looks into larger blocks. */
  async searchAll(isLast = false): Promise<void> {
    const { steps, best, bounds, clock, options, iterations } = this.run;
    const from = options.now();
    let first: Tracks | null = null;
    if (this.#device !== null) {
      for (const seed of SEEDS) await this.#offer(await this.#device.from(seed));
    } else {
      const state = await steps.read();
      const candidates = await this.seeds.from(state, best.closedBy(state.exclusions ?? null));
      best.offerAll(candidates);
      first = candidates[0];
    }
    this.#searchedAll = iterations;
    clock.reserve = 1.5 * (options.now() - from);
    clock.onLate(this.cutShort);
    // It ends where time does, so none is kept for it.
    if (this.blocks !== null && best.tracks !== null && relativeGap(bounds.ascent, best.upperBound) <= BLOCKS_FROM)
      best.offer(await this.blocks.improve(best.tracks, await steps.read(), isLast));
    if (best.tracks === null && !this.#inDepth && first !== null) this.#searchInDepth(first);
  }

  async #offer(tracks: Tracks): Promise<void> {
    if (this.#device === null) this.run.best.offer(tracks);
    else await this.run.best.offerRepaired(tracks, this.#device);
  }

  /** Once, where each of the candidates uses a forbidden triplet. */
  #searchInDepth(candidate: Tracks): void {
    const { graph, best, search } = this.run;
    this.#inDepth = true;
    const tracks = completeTracks(graph, candidate);
    if (tracks === null) return;
    best.offer(best.allowed(tracks));
    const improved = Int32Array.from(tracks);
    search.improve(improved);
    best.offer(best.allowed(improved));
  }
}
