import { createRequire } from "node:module";
import type { Detections } from "../../core/detections.js";
import { InputError, invariant } from "../../core/errors.js";
import { openCaller } from "../../core/executor.js";
import { type Odds, oddsAround } from "../../costs/motion/odds.js";
import { contextOf, type OverLinks, type StatedCosts } from "../../costs/motion/stated-costs.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { addPairBounds, addPairCosts } from "../../map/certificate/certificate.js";
import { CompensatedSum } from "../../map/certificate/compensated-sum.js";
import { type Found, type Piece, type PieceOptions, requireSamePrices } from "../../map/window/piece.js";
import { fillSeam, solveSeam } from "../../map/window/seam.js";
import { roughSolves } from "../estimate-costs.js";
import { FrameStore, type InputFrame } from "./frames.js";
import { type ChoiceJob, type Priceable, runTask, type WindowAnswer, type WindowJob, type WindowTask } from "./job.js";
import { choiceFrames, planWindows, type WindowPlan, windowFrames } from "./plan.js";

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
  /** Awaited after each iteration between two windows; what it throws ends the run. */
  readonly pause?: () => Promise<void>;
}

/** Prices and solves windows; a call that is made later may be answered earlier. */
export interface WindowCaller {
  readonly ahead: number;
  /** Chooses links over missed detections: on this machine always, since the certificate is about the problem that they make. */
  choose(job: ChoiceJob): Promise<OverLinks>;
  /** @param known what was found in the window before, which is checked and taken */
  call(job: WindowJob, known?: Found | null): Promise<WindowAnswer>;
  close(): Promise<void>;
}

/**
 * Windows solved on so many threads of this machine.
 * @param pause awaited after each iteration where the calling thread is the only one; what it throws ends the window
 */
export function solveHere(threads: number, pause?: () => Promise<void>): WindowCaller {
  const { call, ...rest } = localCaller(threads, pause);
  return { ahead: threads, call: (job, found = null) => call({ job, found }), ...rest };
}

/** On so many threads of this machine. */
export function localCaller(threads: number, pause?: () => Promise<void>) {
  const worker = () => createRequire(import.meta.url).resolve("#window-worker");
  const { call, close } = openCaller(worker, threads, (task: WindowTask | ChoiceJob) => runTask(task, pause));
  return {
    call: (task: WindowTask) => call(task) as Promise<WindowAnswer>,
    choose: (job: ChoiceJob) => call(job) as Promise<OverLinks>,
    close,
  };
}

/** A window that is decided. */
export interface ClosedWindow {
  readonly window: number;
  /** First and last frame. */
  readonly frames: readonly [number, number];
  readonly detections: number;
  /** Certified bound of its frame pairs, the multipliers at both borders given. */
  readonly lowerBound: number;
  /** What the tracks cost in its frame pairs, with the same multipliers counted; never below the bound but for rounding. */
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
  readonly #caller: WindowCaller;
  readonly #bound = new CompensatedSum();
  readonly #cost = new CompensatedSum();
  #learned: Learned | null = null;
  #velocities = false;
  #learnedFrames = 0;
  #plan: WindowPlan | null = null;
  /** Links over missed detections that were chosen for each window, by the detections of the recording. */
  readonly #chosen = new Map<number, Promise<{ readonly tail: Float64Array; readonly head: Float64Array }>>();
  #last: number | null = null;
  #next = 0;
  /** Answers in order; each link of the chain closes the window before. */
  #chain: Promise<void> = Promise.resolve();
  readonly #waiting: Promise<unknown>[] = [];
  #failure: unknown = null;
  #open: { readonly answer: WindowAnswer; readonly k: number } | null = null;
  #written = 0;
  #carry: Int32Array = new Int32Array(0);
  readonly #totals = { windows: 0, detections: 0, tracks: 0, edges: 0, triplets: 0, iterations: 0, delay: 0 };
  #ended = false;

  constructor(
    private readonly settings: WindowSettings,
    private readonly events: WindowEvents,
  ) {
    this.#caller = settings.caller;
  }

  /** Takes the next frame; waits while there is more to solve than threads. */
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
      while (this.#waiting.length > this.#caller.ahead) await this.#waiting.shift();
      this.#dispatch(this.#next++, frames);
      // On one thread nothing is gained by reading ahead, and decisions would wait.
      if (this.#caller.ahead === 1) await this.#chain;
    }
  }

  async #learn(): Promise<WindowPlan> {
    const { timeStep } = this.settings;
    const end = this.#store.end;
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

  /** The links over missed detections that were chosen for window k. */
  #choiceOf(k: number) {
    const known = this.#chosen.get(k);
    if (known !== undefined) return known;
    const { choose, stretch } = choiceFrames(this.#plan as WindowPlan, k, this.#last);
    const before = this.#store.before(stretch[0]);
    const { ascent, iterations, gap } = this.settings.options;
    const rough = roughSolves(null, ascent, { iterations, gapPercent: 100 * gap });
    const options = { ...rough, differencePerDetection: 0 };
    const inRecording = (detections: Int32Array) => Float64Array.from(detections, (d) => d + before);
    const choice = this.#caller
      .choose({ ...this.#priceable(...stretch), choose, options })
      .then(({ tail, head }) => ({ tail: inRecording(tail), head: inRecording(head) }));
    // Whoever waits for it hears of a failure.
    choice.catch(() => {});
    this.#chosen.set(k, choice);
    return choice;
  }

  /** Those of all windows that the prices of window k depend on, by numbers of its detections. */
  async #overLinks([first, last]: readonly [number, number], before: number, count: number): Promise<OverLinks> {
    const choices = [];
    for (let k = first; k <= last; k++) choices.push(this.#choiceOf(k));
    const all = await Promise.all(choices);
    const joined = (key: "tail" | "head") => all.flatMap((choice) => Array.from(choice[key], (d) => d - before));
    const [tail, head] = [joined("tail"), joined("head")];
    const inside = (_: number, e: number) => tail[e] >= 0 && head[e] < count;
    return { tail: Int32Array.from(tail.filter(inside)), head: Int32Array.from(head.filter(inside)) };
  }

  #dispatch(k: number, frames: ReturnType<typeof windowFrames>): void {
    const { priced, choices, from, to, seam } = frames;
    const stretch = this.#priceable(...priced);
    const chosen = this.#overLinks(choices, this.#store.before(priced[0]), stretch.detections.x.length);
    for (const window of this.#chosen.keys()) if (window < choices[0]) this.#chosen.delete(window);
    const { options } = this.settings;
    const answer = chosen.then((over) => this.#caller.call({ ...stretch, over, from, to, options }));
    this.#waiting.push(answer.catch(() => {}));
    this.#chain = this.#chain.then(async () => {
      if (this.#failure !== null)
        return answer.then(
          () => {},
          () => {},
        );
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
    if (triplets.kind === "csr") this.#totals.triplets += triplets.start[edges[1]] - triplets.start[edges[0]];
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

  /** Numbers the tracks of frames `from` … `to` in the order of their first detections. */
  #write({ graph, first, tracks }: Piece, place: Int32Array, from: number, to: number): number {
    let number = this.#carry;
    let detections = 0;
    for (let frame = from; frame <= to; frame++) {
      const [begin, end] = [graph.frameStart[frame - first], graph.frameStart[frame - first + 1]];
      if (frame === 0) number = new Int32Array(end - begin).fill(-1);
      const input = this.#store.at(frame);
      const written = new Array<number>(input.x.length);
      const single = new Array<boolean>(input.x.length);
      const last = frame - first === graph.frames - 1;
      const after = new Int32Array(last ? 0 : graph.frameStart[frame - first + 2] - end).fill(-1);
      for (let d = begin; d < end; d++) {
        if (place[d] >= 0) {
          single[place[d]] = number[d - begin] < 0 && tracks[d] === UNASSIGNED;
          if (number[d - begin] < 0) number[d - begin] = this.#totals.tracks++;
          written[place[d]] = number[d - begin];
        }
        if (!last && tracks[d] !== UNASSIGNED) after[graph.head[tracks[d]] - end] = number[d - begin];
      }
      if (frame >= this.#learnedFrames) {
        this.#totals.delay = Math.max(this.#totals.delay, this.#store.end - 1 - frame);
      }
      this.events.onTracks(frame, input, written, single);
      detections += written.length;
      number = after;
    }
    this.#carry = number;
    this.#written = to + 1;
    this.#totals.detections += detections;
    return detections;
  }
}

/** Σ v_f over the links and deaths that the tracks use in a frame pair. */
function usedMultipliers({ graph, v, tracks }: Piece, pair: number): number {
  const { frameStart, deathOf } = graph;
  let sum = 0;
  for (let d = frameStart[pair]; d < frameStart[pair + 1]; d++)
    sum += v[tracks[d] === UNASSIGNED ? deathOf[d] : tracks[d]];
  return sum;
}
