import { InputError } from "../../core/errors.js";
import { CompensatedSum } from "../../map/certificate/compensated-sum.js";
import { type Decision, Decisions } from "./decisions.js";
import type { InputFrame } from "./frames.js";
import type { WindowSettings } from "./jobs.js";
import type { WindowPlan } from "./plan.js";
import { TrackNumbers } from "./track-numbers.js";

/** A window that is decided. */
export interface ClosedWindow {
  readonly window: number;
  /** First and last frame. */
  readonly frames: readonly [number, number];
  readonly detections: number;
  /** Certified bound of its frame pairs, the multipliers at both borders given. */
  readonly lowerBound: number;
  /** Cost of the tracks in its frame pairs, with the same multipliers counted; never below the bound but for rounding. */
  readonly cost: number;
  readonly iterations: number;
}

/** By detection its track, its mother's, −1 where it has none, and whether the track has no other detection. */
export type FrameTracks = ReturnType<TrackNumbers["next"]>;

export interface WindowEvents {
  /** The track of each detection of a frame, in order of the frames. */
  onTracks(frame: number, input: InputFrame, tracks: FrameTracks): void;
  onWindow(window: ClosedWindow): void;
}

/** Sums over all windows that are closed. */
export interface WindowTotals {
  readonly plan: WindowPlan | null;
  /** Frames that the costs were learned from. */
  readonly learned: number;
  readonly frames: number;
  readonly windows: number;
  readonly detections: number;
  readonly tracks: number;
  readonly divisions: number;
  readonly edges: number;
  readonly triplets: number;
  readonly iterations: number;
  /** Of the whole recording, once it has ended; until then of its closed frame pairs. */
  readonly lowerBound: number;
  readonly upperBound: number;
  readonly ended: boolean;
  /** Most frames that were read beyond a frame when its tracks were written, after the frames that the costs were learned from. */
  readonly delay: number;
}

/** Solves a recording window by window as its frames come, and hands on its tracks in order. */
export class WindowRun {
  readonly #decisions: Decisions;
  readonly #bound = new CompensatedSum();
  readonly #cost = new CompensatedSum();
  readonly #numbers = new TrackNumbers();
  readonly #totals = { windows: 0, detections: 0, edges: 0, triplets: 0, iterations: 0, delay: 0 };
  /** Of the last window's end. */
  #border: string | null = null;
  #ended = false;

  constructor(
    settings: WindowSettings,
    private readonly events: WindowEvents,
  ) {
    this.#decisions = new Decisions(settings, (...decided) => this.#close(...decided));
  }

  add(frame: InputFrame): Promise<void> {
    return this.#decisions.add(frame);
  }

  /** There are no more frames. */
  async end(): Promise<void> {
    await this.#decisions.end();
    this.#ended = true;
  }

  /** Windows that had been found before, and all that are found. */
  get found(): { readonly taken: number; readonly held: number } {
    const { taken, held } = this.#decisions;
    return { taken: taken.size, held: held.size };
  }

  totals(): WindowTotals {
    const { plan, learnedFrames, store } = this.#decisions.jobs;
    return {
      ...this.#totals,
      tracks: this.#numbers.count,
      divisions: this.#numbers.divisions,
      plan,
      learned: learnedFrames,
      frames: store.end,
      lowerBound: this.#bound.lower,
      upperBound: this.#cost.upper,
      ended: this.#ended,
    };
  }

  #close(window: number, decision: Decision): void {
    const { border, next } = this.#decisions.jobs.frames(window);
    const [begin, end] = decision.borders;
    if (begin !== this.#border) {
      const problem = "what is kept of them differs where they meet, so that it makes no bound of the whole";
      throw new InputError(
        `windows ${window - 1} and ${window}: ${problem}; remove the folder unfinished and begin anew`,
      );
    }
    this.#border = end;
    const { bound, cost, lowerBound, upperBound, edges, triplets, iterations, seamIterations } = decision;
    this.#bound.addSum(bound);
    this.#cost.addSum(cost);
    this.#totals.edges += edges;
    this.#totals.triplets += triplets;
    this.#totals.iterations += iterations + seamIterations;
    const to = next === this.#decisions.jobs.last ? next : next - 1;
    const detections = this.#write(decision, border, to);
    this.#totals.windows++;
    this.events.onWindow({ window, frames: [border, to], detections, lowerBound, cost: upperBound, iterations });
  }

  /** Hands the tracks of frames `from` … `to` out. */
  #write(decision: Decision, from: number, to: number): number {
    const { store, learnedFrames } = this.#decisions.jobs;
    let detections = 0;
    for (let frame = from; frame <= to; frame++) {
      const input = store.at(frame);
      const tracks = this.#numbers.next(decision, frame - from, input.x.length);
      if (frame >= learnedFrames) this.#totals.delay = Math.max(this.#totals.delay, store.end - 1 - frame);
      this.events.onTracks(frame, input, tracks);
      detections += input.x.length;
    }
    this.#totals.detections += detections;
    return detections;
  }
}
