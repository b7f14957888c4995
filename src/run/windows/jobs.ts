import type { Detections } from "../../core/detections.js";
import { InputError } from "../../core/errors.js";
import { type Odds, oddsAround } from "../../costs/motion/odds.js";
import { contextOf, type StatedCosts } from "../../costs/motion/stated-costs.js";
import type { PieceOptions } from "../../map/window/piece.js";
import { roughSolves } from "../estimate-costs.js";
import type { WindowCaller } from "./caller.js";
import { ChosenLinks, type RecordingLinks } from "./chosen-links.js";
import { FrameStore } from "./frames.js";
import type { Priceable, WindowJob } from "./job.js";
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
  /** Awaited after each iteration between two windows; an error of it ends the run. */
  readonly pause?: () => Promise<void>;
}

/** Detections that the costs are learned from. */
const LEARN_DETECTIONS = 20_000;

/** A window whose frames have been read. */
export interface ReadyWindow {
  readonly k: number;
  readonly frames: ReturnType<typeof windowFrames>;
}

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
  #next = 0;
  readonly #chosen = new ChosenLinks((k) => this.#choose(k));

  constructor(private readonly settings: Omit<WindowSettings, "pause">) {}

  /** There are no more frames. */
  end(): void {
    if (this.store.end < 2)
      throw new InputError(`frames: ${this.store.end} given, but a link needs two; give at least 2 frames`);
    this.last = this.store.end - 1;
  }

  /** The next window, until `job` or `skip` is called for it; null where more frames are wanted, or none is left. Learns the costs once there are enough frames. */
  async next(): Promise<ReadyWindow | null> {
    if (this.plan === null) {
      const { learnFrames } = this.settings;
      const enough = learnFrames === null ? this.store.held >= LEARN_DETECTIONS : this.store.end >= learnFrames;
      if (this.last === null && (!enough || this.store.end < 3)) return null;
      this.plan = await this.#learn();
    }
    const frames = this.frames(this.#next);
    if (this.last === null ? this.store.end <= frames.read : frames.border >= this.last) return null;
    return { k: this.#next, frames };
  }

  frames(k: number): ReturnType<typeof windowFrames> {
    return windowFrames(this.plan as WindowPlan, k, this.last);
  }

  /** The first frame on which a window that comes next depends, where the links over missed detections of those before it have been chosen. */
  neededFrom(): number {
    return windowFrames(this.plan as WindowPlan, this.#next, null).priced[0];
  }

  /** The first frame on which a window depends, choices of links over missed detections included. */
  chosenFrom(k: number): number {
    const { priced, choices } = windowFrames(this.plan as WindowPlan, k, null);
    return Math.min(priced[0], choiceFrames(this.plan as WindowPlan, choices[0], null).stretch[0]);
  }

  /** Leaves a window to others. */
  skip(k: number): void {
    this.#next = k + 1;
  }

  /** The frames are looked up at once; those of later windows may be forgotten after the call. */
  async job(k: number): Promise<WindowJob> {
    const { priced, choices, from, to } = this.frames(k);
    const stretch = this.#priceable(...priced);
    const { options } = this.settings;
    const chosen = this.#chosen.among(choices, this.store.before(priced[0]), stretch.detections.x.length);
    this.#next = k + 1;
    const over = await chosen;
    return { ...stretch, over, from, to, options };
  }

  async #learn(): Promise<WindowPlan> {
    const { timeStep } = this.settings;
    const end = this.store.end;
    this.store.settleDepths();
    const sample = this.store.detections(0, end, timeStep, this.settings.velocities);
    this.#velocities = sample.vx?.some((value) => !Number.isNaN(value)) ?? false;
    const used = this.#velocities ? sample : { ...sample, vx: null, vy: null };
    this.#learned = await this.settings.learn({ ...used, target: null });
    this.learnedFrames = end;
    const { statement } = this.#learned;
    const spans = statement.model.prior.length;
    const { size, overlap } = this.settings;
    return planWindows(size, overlap, this.store.held / end, contextOf(statement), spans);
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
    const inRecording = (detections: Int32Array) => Float64Array.from(detections, (d) => d + before);
    const { tail, head } = await this.settings.caller.choose({ ...this.#priceable(...stretch), choose, options });
    return { tail: inRecording(tail), head: inRecording(head) };
  }
}
