import type { Detections } from "../../core/detections.js";
import { InputError, invariant } from "../../core/errors.js";
import { type Odds, oddsAround } from "../../costs/motion/odds.js";
import { contextOf, type StatedCosts } from "../../costs/motion/stated-costs.js";
import { addPairBounds, addPairCosts } from "../../map/certificate/certificate.js";
import { CompensatedSum } from "../../map/certificate/compensated-sum.js";
import { type Piece, type PieceOptions, requireSamePrices, usedMultipliers } from "../../map/window/piece.js";
import { fillSeam, solveSeam } from "../../map/window/seam.js";
import { roughSolves } from "../estimate-costs.js";
import type { WindowCaller } from "./caller.js";
import { ChosenLinks, type RecordingLinks } from "./chosen-links.js";
import { FrameStore, type InputFrame } from "./frames.js";
import type { Priceable, WindowAnswer } from "./job.js";
import { choiceFrames, planWindows, type WindowPlan, windowFrames } from "./plan.js";
import { TrackNumbers } from "./track-numbers.js";

/** Costs for the whole recording, made from its first frames. */
export interface Learned {
  readonly statement: StatedCosts;
  /** Of each detection of the frames that it was learned from, and by place for all others. */
  readonly odds: Odds;
}

export interface WindowSettings {
  /** Frames of a window, and beyond it on either side; null for what suits the recording. */
  readonly size: number | null;
  readonly overlap: number | null;
  /** Frames to learn from; null for as many as hold 20,000 detections. */
  readonly learnFrames: number | null;
  readonly timeStep: number;
  /** Whether velocities are to be read where there are any. */
  readonly velocities: boolean;
  readonly options: PieceOptions;
  learn(sample: Omit<Detections, "attributes">): Promise<Learned>;
  /** Where windows are solved, and how many of them at a time; whoever opened it closes it. */
  readonly caller: WindowCaller;
  /** Awaited after each iteration between two windows; an error of it ends the run. */
  readonly pause?: () => Promise<void>;
}

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

/** Detections that the costs are learned from. */
const LEARN_DETECTIONS = 20_000;

/**
 * Solves a recording window by window as its frames come (docs/explanation/mathematics.md §4.1). Windows are solved independently, each with its overlaps;
 * where two meet, a seam is solved between what both have decided. Multipliers agree at all borders, so that the bounds of the frame
 * pairs add up to one of the whole, recomputed here from the prices by the certificate.
 */
export class WindowRun {
  readonly #store = new FrameStore();
  readonly #bound = new CompensatedSum();
  readonly #cost = new CompensatedSum();
  #learned: Learned | null = null;
  #velocities = false;
  #learnedFrames = 0;
  #plan: WindowPlan | null = null;
  readonly #chosen = new ChosenLinks((k) => this.#choose(k));
  #last: number | null = null;
  #next = 0;
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
  ) {}

  /** Hands over the next frame; waits while there is more to solve than threads. */
  async add(frame: InputFrame): Promise<void> {
    this.#store.add(frame);
    await this.#advance();
  }

  /** There are no more frames. */
  async end(): Promise<void> {
    if (this.#store.end < 2)
      throw new InputError(`frames: ${this.#store.end} given, but a link needs two; give at least 2 frames`);
    this.#last = this.#store.end - 1;
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
      plan: this.#plan,
      learned: this.#learnedFrames,
      frames: this.#store.end,
      lowerBound: this.#bound.lower,
      upperBound: this.#cost.upper,
      ended: this.#ended,
    };
  }

  async #advance(): Promise<void> {
    if (this.#plan === null) {
      const { learnFrames } = this.settings;
      const enough = learnFrames === null ? this.#store.held >= LEARN_DETECTIONS : this.#store.end >= learnFrames;
      if (this.#last === null && (!enough || this.#store.end < 3)) return;
      this.#plan = await this.#learn();
    }
    const plan = this.#plan;
    for (;;) {
      this.#rethrow();
      const frames = windowFrames(plan, this.#next, this.#last);
      if (this.#last === null ? this.#store.end <= frames.read : frames.border >= this.#last) return;
      while (this.#waiting.length > this.settings.caller.ahead) await this.#waiting.shift();
      this.#dispatch(this.#next++, frames);
      // On one thread nothing is gained by reading ahead, and decisions would wait.
      if (this.settings.caller.ahead === 1) await this.#chain;
    }
  }

  async #learn(): Promise<WindowPlan> {
    const { timeStep } = this.settings;
    const end = this.#store.end;
    this.#store.settleDepths();
    const sample = this.#store.detections(0, end, timeStep, this.settings.velocities);
    this.#velocities = sample.vx?.some((value) => !Number.isNaN(value)) ?? false;
    const used = this.#velocities ? sample : { ...sample, vx: null, vy: null };
    this.#learned = await this.settings.learn({ ...used, target: null });
    this.#learnedFrames = end;
    const { statement } = this.#learned;
    const spans = statement.model.prior.length;
    const { size, overlap } = this.settings;
    return planWindows(size, overlap, this.#store.held / end, contextOf(statement), spans);
  }

  /** Frames `from` … `to` as they are priced. */
  #priceable(from: number, to: number): Priceable {
    const { statement, odds } = this.#learned as Learned;
    const detections = this.#store.detections(from, to + 1, this.settings.timeStep, this.#velocities);
    return {
      first: from,
      detections,
      odds: oddsAround(detections, -this.#store.before(from), odds),
      extent: { begins: from === 0, ends: to === this.#last },
      statement,
    };
  }

  /** Chooses the links over missed detections of window k. */
  async #choose(k: number): Promise<RecordingLinks> {
    const { choose, stretch } = choiceFrames(this.#plan as WindowPlan, k, this.#last);
    const before = this.#store.before(stretch[0]);
    const { ascent, iterations, gap } = this.settings.options;
    const rough = roughSolves(null, ascent, { iterations, gapPercent: 100 * gap });
    const options = { ...rough, differencePerDetection: 0 };
    const inRecording = (detections: Int32Array) => Float64Array.from(detections, (d) => d + before);
    const { tail, head } = await this.settings.caller.choose({ ...this.#priceable(...stretch), choose, options });
    return { tail: inRecording(tail), head: inRecording(head) };
  }

  #dispatch(k: number, frames: ReturnType<typeof windowFrames>): void {
    const { priced, choices, from, to, seam } = frames;
    const stretch = this.#priceable(...priced);
    const chosen = this.#chosen.among(choices, this.#store.before(priced[0]), stretch.detections.x.length);
    const { options } = this.settings;
    const answer = chosen.then((over) => this.settings.caller.call({ ...stretch, over, from, to, options }));
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
    const plan = this.#plan as WindowPlan;
    this.#store.forgetBefore(Math.min(this.#written, windowFrames(plan, this.#next, null).priced[0]));
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
    const { border, next } = windowFrames(this.#plan as WindowPlan, k, this.#last);
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
    const to = next === this.#last ? next : next - 1;
    const detections = this.#write(piece, place, border, to);
    this.#totals.windows++;
    const received = border === 0 ? 0 : usedMultipliers(piece, range[0]);
    const passed = next === this.#last ? 0 : usedMultipliers(piece, range[1]);
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
      const input = this.#store.at(frame);
      const { track, single } = this.#numbers.next(piece, place, frame, input.x.length);
      if (frame >= this.#learnedFrames) {
        this.#totals.delay = Math.max(this.#totals.delay, this.#store.end - 1 - frame);
      }
      this.events.onTracks(frame, input, track, single);
      detections += track.length;
    }
    this.#written = to + 1;
    this.#totals.detections += detections;
    return detections;
  }
}
