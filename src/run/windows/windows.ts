import { invariant } from "../../core/errors.js";
import { addPairBounds, addPairCosts } from "../../map/certificate/certificate.js";
import { CompensatedSum } from "../../map/certificate/compensated-sum.js";
import { type Piece, requireSamePrices, usedMultipliers } from "../../map/window/piece.js";
import { fillSeam, solveSeam } from "../../map/window/seam.js";
import type { InputFrame } from "./frames.js";
import type { WindowAnswer } from "./job.js";
import { type ReadyWindow, WindowJobs, type WindowSettings } from "./jobs.js";
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

export interface WindowEvents {
  /** The track of each detection of a frame, in order of the frames, and whether it has no other detection. */
  onTracks(frame: number, input: InputFrame, track: readonly number[], single: readonly boolean[]): void;
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

/**
 * Solves a recording window by window as its frames come (docs/explanation/mathematics.md §4.1). Windows are solved independently, each with its overlaps;
 * where two meet, a seam is solved between what both have decided. Multipliers agree at all borders, so that the bounds of the frame
 * pairs add up to one of the whole, recomputed here from the prices by the certificate.
 */
export class WindowRun {
  readonly #jobs: WindowJobs;
  readonly #bound = new CompensatedSum();
  readonly #cost = new CompensatedSum();
  /** Answers in order; each link of the chain closes the window before. */
  #chain: Promise<void> = Promise.resolve();
  readonly #waiting: Promise<void>[] = [];
  #failure: unknown = null;
  #open: { readonly answer: WindowAnswer; readonly k: number } | null = null;
  #written = 0;
  readonly #numbers = new TrackNumbers();
  readonly #totals = { windows: 0, detections: 0, edges: 0, triplets: 0, iterations: 0, delay: 0 };
  #ended = false;

  constructor(
    private readonly settings: WindowSettings,
    private readonly events: WindowEvents,
  ) {
    this.#jobs = new WindowJobs(settings);
  }

  /** Hands over the next frame; waits while there is more to solve than threads. */
  async add(frame: InputFrame): Promise<void> {
    this.#jobs.store.add(frame);
    await this.#advance();
  }

  /** There are no more frames. */
  async end(): Promise<void> {
    this.#jobs.end();
    await this.#advance();
    await this.#chain;
    this.#rethrow();
    if (this.#open !== null) this.#close(this.#open.answer, this.#open.k);
    this.#ended = true;
  }

  totals(): WindowTotals {
    return {
      ...this.#totals,
      tracks: this.#numbers.count,
      plan: this.#jobs.plan,
      learned: this.#jobs.learnedFrames,
      frames: this.#jobs.store.end,
      lowerBound: this.#bound.lower,
      upperBound: this.#cost.upper,
      ended: this.#ended,
    };
  }

  async #advance(): Promise<void> {
    for (;;) {
      this.#rethrow();
      const ready = await this.#jobs.next();
      if (ready === null) return;
      while (this.#waiting.length > this.settings.caller.ahead) await this.#waiting.shift();
      this.#dispatch(ready);
      // On one thread nothing is gained by reading ahead, and decisions would wait.
      if (this.settings.caller.ahead === 1) await this.#chain;
    }
  }

  #dispatch({ k, frames: { seam } }: ReadyWindow): void {
    const answer = this.#jobs.job(k).then((job) => this.settings.caller.call(job));
    const settled = answer.then(
      () => {},
      () => {},
    );
    this.#waiting.push(settled);
    this.#chain = this.#chain.then(async () => {
      if (this.#failure !== null) return settled;
      try {
        await this.#join(await answer, k, seam);
      } catch (error) {
        this.#failure = error;
      }
    });
    this.#forget();
  }

  #rethrow(): void {
    if (this.#failure !== null) throw this.#failure;
  }

  /** Frames that no later window prices and that are written. */
  #forget(): void {
    this.#jobs.store.forgetBefore(Math.min(this.#written, this.#jobs.neededFrom()));
  }

  /** Joins a window to the one before, which is decided with that. */
  async #join(answer: WindowAnswer, k: number, range: readonly [from: number, to: number] | null): Promise<void> {
    const before = this.#open;
    if (before !== null && range !== null) {
      const [from, to] = range;
      requireSamePrices(before.answer.piece, answer.piece, from, to);
      const seam = { from, to, left: before.answer.piece, right: answer.piece };
      const found = await solveSeam(seam, this.settings.options, this.settings.pause);
      this.#totals.iterations += found.iterations;
      fillSeam(before.answer.piece, found, seam);
      fillSeam(answer.piece, found, seam);
      this.#close(before.answer, before.k);
    }
    this.#open = { answer, k };
    this.#totals.iterations += answer.piece.iterations;
  }

  /** Certifies, prices and writes a window both of whose borders are decided. */
  #close({ piece, place }: WindowAnswer, k: number): void {
    const { border, next } = this.#jobs.frames(k);
    const { graph, first, v, columnDual, tracks, iterations } = piece;
    const range = [border - first, next - first] as const;
    const [bound, cost] = [new CompensatedSum(), new CompensatedSum()];
    const given = addPairBounds(graph, v, columnDual, range, [bound, this.#bound]);
    // A sum over numbers that prove nothing is no bound either.
    if (typeof given !== "number") this.#bound.add(Number.NaN);
    const forbidden = addPairCosts(graph, tracks, range, [cost, this.#cost]);
    invariant(forbidden === null, () => `window ${k}: its tracks use a triplet that is not there`);
    const { edgeStart, triplets } = graph;
    const edges = range.map((pair) => edgeStart[pair]);
    this.#totals.edges += edges[1] - edges[0];
    if (triplets.kind === "csr") this.#totals.triplets += triplets.rowStart[edges[1]] - triplets.rowStart[edges[0]];
    const to = next === this.#jobs.last ? next : next - 1;
    const detections = this.#write(piece, place, border, to);
    this.#totals.windows++;
    const received = border === 0 ? 0 : usedMultipliers(piece, range[0]);
    const passed = next === this.#jobs.last ? 0 : usedMultipliers(piece, range[1]);
    this.events.onWindow({
      window: k,
      frames: [border, to],
      detections,
      lowerBound: typeof given === "number" ? bound.lower : Number.NEGATIVE_INFINITY,
      cost: cost.upper + received - passed,
      iterations,
    });
    this.#forget();
  }

  /** Hands the tracks of frames `from` … `to` out. */
  #write(piece: Piece, place: Int32Array, from: number, to: number): number {
    let detections = 0;
    for (let frame = from; frame <= to; frame++) {
      const input = this.#jobs.store.at(frame);
      const { track, single } = this.#numbers.next(piece, place, frame, input.x.length);
      if (frame >= this.#jobs.learnedFrames) {
        this.#totals.delay = Math.max(this.#totals.delay, this.#jobs.store.end - 1 - frame);
      }
      this.events.onTracks(frame, input, track, single);
      detections += track.length;
    }
    this.#written = to + 1;
    this.#totals.detections += detections;
    return detections;
  }
}
