import { completeTracks } from "../primal/complete.js";
import type { Tracks } from "../primal/feasible.js";
import type { Seeds } from "../primal/seeds.js";
import type { SolveRun } from "./solve-run.js";

/** Iterations between two searches for better tracks: at least these, and this share of the iterations so far. */
const SEARCH_EVERY = 10;
const SEARCH_SHARE = 0.1;

/** Sweeps over even and odd pairs with which a device repairs tracks: nearly all improvement is in the first few. */
const REPAIR_SWEEPS = 6;

/** Searches for tracks while an ascent runs. */
export class TracksFinder {
  /** Iterations at the last search, and at the last one of all kinds. */
  #searched = Number.NEGATIVE_INFINITY;
  #searchedAll = 0;
  #inDepth = false;

  /** @param cutShort ends a search that would outlast the time */
  constructor(
    private readonly run: SolveRun,
    private readonly seeds: Seeds,
    private readonly cutShort: () => void,
  ) {}

  /** Whether it is time for the next search. Close to the last iteration it is not: the last search is made in any case. */
  isDue(): boolean {
    const { iterations, history, options } = this.run;
    const isLastNear = history.length > 0 && iterations + SEARCH_EVERY > options.iterations;
    return !isLastNear && iterations - this.#searched >= Math.max(SEARCH_EVERY, SEARCH_SHARE * iterations);
  }

  /** A device that repairs tracks by itself does so, and the search of all kinds comes seldom. */
  async search(): Promise<void> {
    const { steps, best, iterations } = this.run;
    if (steps.repairTracks === undefined || iterations >= 2 * this.#searchedAll) await this.searchAll();
    else best.offer(await steps.repairTracks(REPAIR_SWEEPS));
    this.#searched = iterations;
  }

  /** Offers tracks built from the present assignment, and from the multipliers front to back and back to front. */
  async searchAll(): Promise<void> {
    const { steps, best, clock, options, iterations } = this.run;
    const from = options.now();
    const candidates = await this.seeds.from(await steps.read());
    for (const candidate of candidates) best.offer(candidate);
    this.#searchedAll = iterations;
    clock.reserve = 1.5 * (options.now() - from);
    clock.onLate(this.cutShort);
    if (best.tracks === null && !this.#inDepth) this.#searchInDepth(candidates[0]);
  }

  /** Once, where each of the candidates uses a forbidden triplet. */
  #searchInDepth(candidate: Tracks): void {
    const { graph, best, search } = this.run;
    this.#inDepth = true;
    const tracks = completeTracks(graph, candidate);
    if (tracks === null) return;
    best.offer(tracks);
    const improved = Int32Array.from(tracks);
    search.improve(improved);
    best.offer(improved);
  }
}
