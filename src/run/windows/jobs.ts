import type { Detections } from "../../core/detections.js";
import { InputError } from "../../core/errors.js";
import { type Odds, oddsAround } from "../../costs/motion/odds.js";
import type { PieceOptions } from "../../map/window/piece.js";
import { roughSolves } from "../estimate-costs.js";
import type { WindowCaller } from "./caller.js";
import { ChosenLinks, type RecordingLinks } from "./chosen-links.js";
import { FrameStore } from "./frames.js";
import type { Priceable, WindowJob } from "./job.js";
import type { Keeper } from "./kept.js";
import { choiceFrames, planWindows, type WindowPlan, windowFrames } from "./plan.js";
import { contextOf, type StatedCosts } from "./stated-costs.js";

/** Costs for the whole recording, made from its first frames. */
export interface Learned {
  readonly statement: StatedCosts;
  /** Of each detection of the frames that it was learned from, and by place for all others. */
  readonly odds: Odds;
  /** A name for all that they depend on. */
  readonly name: string;
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
  /** What works on windows; whoever opened it closes it. */
  readonly caller: WindowCaller;
  readonly keeper: Keeper;
}

/** What is learned from the first frames of a recording, for those who do not read them. Plain data. */
export interface Beginning {
  readonly learned: Learned;
  readonly plan: WindowPlan;
  readonly learnedFrames: number;
  readonly velocities: boolean;
  readonly plane: number | null;
}

/** Detections that the costs are learned from. */
const LEARN_DETECTIONS = 20_000;

/** What is to be solved of a recording, window by window as its frames come. */
export class WindowJobs {
  readonly store = new FrameStore();
  /** null until the costs are learned. */
  plan: WindowPlan | null = null;
  /** The recording's last frame, null while it goes on. */
  last: number | null = null;
  learnedFrames = 0;
  #learned: Learned | null = null;
  #velocities = false;
  readonly #chosen = new ChosenLinks((k) => this.#choose(k));

  constructor(private readonly settings: WindowSettings) {}

  /** There are no more frames. */
  end(): void {
    if (this.store.end < 2)
      throw new InputError(`frames: ${this.store.end} given, but a link needs two; give at least 2 frames`);
    this.last = this.store.end - 1;
  }

  /** Learns the costs once there are enough frames; resolves with whether they are learned. */
  async learn(): Promise<boolean> {
    if (this.plan !== null) return true;
    const { learnFrames } = this.settings;
    const enough = learnFrames === null ? this.store.held >= LEARN_DETECTIONS : this.store.end >= learnFrames;
    if (this.last === null && (!enough || this.store.end < 3)) return false;
    this.plan = await this.#learn();
    return true;
  }

  /** What has been learned. */
  get beginning(): Beginning {
    const [learned, plan] = [this.#learned as Learned, this.plan as WindowPlan];
    return { learned, plan, learnedFrames: this.learnedFrames, velocities: this.#velocities, plane: this.store.plane };
  }

  /** Goes on at a frame with what was learned before; `held` detections are before those that come. */
  resume({ learned, plan, learnedFrames, velocities, plane }: Beginning, frame: number, held: number): void {
    this.#learned = learned;
    this.plan = plan;
    this.learnedFrames = learnedFrames;
    this.#velocities = velocities;
    this.store.resume(frame, held, plane);
  }

  frames(k: number): ReturnType<typeof windowFrames> {
    return windowFrames(this.plan as WindowPlan, k, this.last);
  }

  /** Whether there is such a window, as far as is known. */
  has(k: number): boolean {
    return this.last === null || this.frames(k).border < this.last;
  }

  /** Whether all frames on which a window depends have been read. */
  isRead(k: number): boolean {
    return this.last !== null || this.store.end > this.frames(k).read;
  }

  /** The first frame on which a window depends, choices of links over missed detections included. */
  neededFrom(k: number): number {
    const { priced, choices } = windowFrames(this.plan as WindowPlan, k, null);
    return Math.min(priced[0], choiceFrames(this.plan as WindowPlan, choices[0], null).stretch[0]);
  }

  /** Window k, and all that a finding in it depends on, if that looks at windows `first` … `last` [itself]. */
  name(k: number, first = k, last = k): string {
    return this.#name(this.neededFrom(first), this.frames(last).read, [k, first, last]);
  }

  /** The frames are looked up at once; those of later windows may be forgotten after the call. */
  async job(k: number): Promise<WindowJob> {
    const { priced, choices, from, to } = this.frames(k);
    const stretch = this.#priceable(...priced);
    const { options } = this.settings;
    const over = await this.#chosen.among(choices, this.store.before(priced[0]), stretch.detections.x.length);
    return { ...stretch, over, from, to, options };
  }

  async #learn(): Promise<WindowPlan> {
    const { timeStep } = this.settings;
    const end = this.store.end;
    this.store.settleDepths();
    const sample = this.store.detections(0, end, timeStep, this.settings.velocities);
    this.#velocities = sample.vx?.some((value) => !Number.isNaN(value)) ?? false;
    // As a whole recording that has no more is refused.
    if (sample.frameStart.filter((begin, p) => begin > (sample.frameStart[p - 1] ?? begin)).length < 2)
      throw new InputError(
        `the first ${end} frames, from which costs are learned, have detections in fewer than two; give more of them, or a greater --learn`,
      );
    const used = this.#velocities ? sample : { ...sample, vx: null, vy: null };
    this.#learned = await this.settings.learn({ ...used, target: null });
    this.learnedFrames = end;
    const { statement } = this.#learned;
    const spans = statement.model.prior.length;
    const { size, overlap } = this.settings;
    return planWindows(size, overlap, this.store.held / end, contextOf(statement), spans);
  }

  #name(from: number, to: number, of: readonly number[]): string {
    const { options } = this.settings;
    const { name } = this.#learned as Learned;
    const ends = to === this.last;
    return JSON.stringify({ name, plan: this.plan, options, of, from, to, ends, frames: this.store.digest(from, to) });
  }

  /** Frames `from` … `to` as they are priced. */
  #priceable(from: number, to: number): Priceable {
    const { statement, odds } = this.#learned as Learned;
    const detections = this.store.detections(from, to + 1, this.settings.timeStep, this.#velocities);
    return {
      first: from,
      detections,
      odds: oddsAround(detections, -this.store.before(from), odds),
      extent: { begins: from === 0, ends: to === this.last },
      statement,
    };
  }

  /** Chooses the links over missed detections of window k. */
  async #choose(k: number): Promise<RecordingLinks> {
    const { choose, stretch } = choiceFrames(this.plan as WindowPlan, k, this.last);
    const before = this.store.before(stretch[0]);
    const { ascent, iterations, gap } = this.settings.options;
    const rough = roughSolves(null, ascent, { iterations, gapPercent: 100 * gap });
    const options = { ...rough, differencePerDetection: 0 };
    const { keeper, caller } = this.settings;
    const { value } = await keeper.keep(
      "links",
      () => this.#name(...stretch, choose),
      () => caller.choose({ ...this.#priceable(...stretch), choose, options }),
    );
    const inRecording = (detections: Int32Array) => Float64Array.from(detections, (d) => d + before);
    return { tail: inRecording(value.tail), head: inRecording(value.head) };
  }
}
