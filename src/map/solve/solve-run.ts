import { relativeGap } from "../certificate/gap.js";
import { certifySurcharge } from "../certificate/surcharge.js";
import type { Clock } from "../clock.js";
import type { AscentSteps } from "../dual/steps.js";
import type { Graph } from "../instance/instance.js";
import { BestTracks } from "../primal/best-tracks.js";
import { createTracksSearch, type Tracks, type TracksSearch } from "../primal/feasible.js";
import type { HistoryRow, SolveOptions, SolveTimes } from "../solution.js";
import { Bounds } from "./bounds.js";

/** The state of one solve, which its phases share. */
export class SolveRun {
  readonly search: TracksSearch;
  readonly best: BestTracks;
  readonly bounds: Bounds;
  readonly history: HistoryRow[] = [];
  readonly times: SolveTimes = { feasibleTracks: 0, certificate: 0, elimination: 0, exact: 0 };
  iterations = 0;
  /** Whether iterations, time or an interruption ended it. */
  stopped = false;
  /** Whether so little fits between the bounds that linear programs are to begin. */
  isSmall = false;
  /** Whether time or an interruption had a part in that. */
  hurried = false;
  /** The process of the ascent that was lost, and so ended it; null where none was. */
  loss: string | null = null;
  /** All bounds are in the costs that are computed with; the surcharge of every set of tracks is added to those that are reported (docs/explanation/mathematics.md §1.1). */
  readonly #surcharge: number;
  #told: Tracks | null = null;

  constructor(
    readonly graph: Graph,
    readonly steps: AscentSteps,
    readonly clock: Clock,
    readonly options: SolveOptions,
  ) {
    this.search = createTracksSearch(graph, clock.late);
    this.best = new BestTracks(graph, this.search);
    this.bounds = new Bounds(graph, steps, this.best, options, () => this.seconds());
    this.#surcharge = certifySurcharge(graph).least;
  }

  /** Since the solve began. */
  seconds(): number {
    return this.options.now() - this.clock.begin;
  }

  /** To be called where the best tracks may be the last ones. */
  tellLikely(): void {
    const { tracks } = this.best;
    if (tracks !== null && tracks !== this.#told) this.options.likely?.(this.graph, tracks);
    this.#told = tracks;
  }

  /** Adds the host's seconds to a phase; the time it waits for the device counts with the device's steps. */
  async timed<T>(phase: keyof SolveTimes, work: () => Promise<T>): Promise<T> {
    const ofHost = () =>
      this.options.now() - Object.values(this.steps.times).reduce((sum, seconds) => sum + seconds, 0);
    const from = ofHost();
    const result = await work();
    this.times[phase] += ofHost() - from;
    return result;
  }

  /** Adds the present bounds to the history. */
  record(): void {
    const lowerBound = this.bounds.highest() + this.#surcharge;
    const upperBound = this.best.cost;
    const gap = relativeGap(lowerBound, upperBound);
    const row = { iteration: this.iterations, lowerBound, upperBound, gap, seconds: this.seconds() };
    this.history.push(row);
    this.options.progress?.(row);
  }
}
