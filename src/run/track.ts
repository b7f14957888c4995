/** Tracking a stream of measurements frame by frame: from rows to rows, with its times and errors. */
import { IdentityCounter, type IdentityErrors } from "../scores/identity-errors.js";
import type { Association } from "../track/associate.js";
import type { GatedFrame } from "../track/gate.js";
import { LineWatch } from "../track/line.js";
import { type ClosedFrame, FrameOrder, type StreamCounts, type StreamRow } from "../track/stream.js";
import { Tracker, type View } from "../track/tracker.js";
import { Passages } from "./passages.js";
import type { CommonMotion, TrackOptions, TrackState } from "./track-options.js";
import { commonMotion, trackerSettings } from "./track-settings.js";
import { NONE, visible } from "./visible.js";

export interface TrackSummary {
  readonly counts: StreamCounts;
  readonly tracks: number;
  readonly reach: number | null;
  readonly displacement: readonly [number, number] | null;
  readonly nearest: number | null;
  /** Pairs of measurements that agreed on the displacement; null where it was given. */
  readonly votes: number | null;
  readonly noise: { readonly q: number; readonly r: number } | null;
  /** Largest number of tracks and of measurements in a frame, and mean and most rounds of the auction. */
  readonly largest: { readonly tracks: number; readonly measurements: number };
  readonly rounds: { readonly mean: number; readonly most: number } | null;
  /** Frames whose auction reached its limit of rounds, so that the exact solver on the CPU decided them. */
  readonly capped: number;
  /** Measurements outside the view. */
  readonly hidden: number;
  readonly errors: IdentityErrors | null;
}

/** Fewest measurements that can vote, and most frames waited for them. */
const FEWEST_TO_VOTE = 24;
const MOST_VOTE_FRAMES = 200;

export class TrackRun {
  /** Assumptions, a sentence each. */
  readonly notes: string[] = [];
  readonly #order: FrameOrder;
  /** Closed frames that flush() has not tracked yet, and the rows that came after their frame had closed. */
  readonly #due: ClosedFrame[] = [];
  #lateRows = "";
  /** First frames, held back until there are enough of them to vote. */
  #voters: ClosedFrame[] = [];
  #motion: CommonMotion | null = null;
  #votes: number | null = null;
  #tracker: Tracker | null = null;
  #watch: LineWatch | null = null;
  /** The last frame tracked. */
  #last = -1;
  /** Box of all measurements so far, for view "auto". */
  #box: [number, number, number, number] = [Infinity, -Infinity, Infinity, -Infinity];
  /** Tracks that ended in this frame; the decisions on them are told first. */
  readonly #ended: number[] = [];
  readonly #identities = new IdentityCounter();
  readonly #passages: Passages | null;
  #isReplay = false;
  #hasTargets = false;
  #rounds = { sum: 0, frames: 0, most: 0 };
  #capped = 0;
  #hidden = 0;
  #largest = { tracks: 0, measurements: 0 };

  constructor(readonly options: TrackOptions) {
    const { state, held, line, onPassage } = options;
    this.#order = new FrameOrder(held, state?.closed ?? -1);
    this.#passages = line === null || onPassage === null ? null : new Passages(line, onPassage);
    if (state === null) return;
    const { reach, displacement, nearest } = state;
    const { tracker, watch } = this.#begin({ reach, displacement, nearest }, state.view);
    this.#last = state.closed;
    tracker.restore(state.tracker);
    watch?.restore(state.decided);
  }

  /** Accepts a row. flush() tracks the frames that it closes. */
  add(row: StreamRow): void {
    const { closed, late } = this.#order.add(row);
    if (late !== null && late >= 0) this.#lateRows += `${row.frame},${late},,${row.x},${row.y}\n`;
    for (const frame of closed) this.#due.push(frame);
  }

  /** The last frame tracked, −1 before the first. */
  get closed(): number {
    return this.#last;
  }

  /**
   * Tracks rows again that an earlier run wrote after it had last left its state. Nothing is written, counted or timed, and the frames are closed: the same rows
   * are late when they come again.
   */
  async replay(rows: readonly StreamRow[]): Promise<void> {
    this.#isReplay = true;
    for (const row of rows) if (row.frame > this.#order.closed) this.add(row);
    await this.end();
    this.#isReplay = false;
    this.#order.forget();
  }

  /** Tracks all closed frames. */
  async flush(): Promise<void> {
    for (const frame of this.#due.splice(0)) {
      if (this.#tracker !== null) await this.#track(this.#tracker, frame);
      else {
        this.#voters.push(frame);
        if (this.#canVote()) await this.#trackVoters();
      }
    }
    if (this.#lateRows !== "") this.options.onRows(this.#lateRows);
    this.#lateRows = "";
  }

  /** Ends the stream and closes the frames still pending. */
  async end(): Promise<void> {
    for (const frame of this.#order.end()) this.#due.push(frame);
    await this.flush();
    if (this.#tracker === null && this.#voters.length > 0) await this.#trackVoters();
  }

  #canVote(): boolean {
    const { voteFrames } = this.options;
    const frames = this.#voters.length;
    const measurements = this.#voters.reduce((sum, { rows }) => sum + rows.length, 0);
    return (frames >= voteFrames && measurements >= FEWEST_TO_VOTE) || frames >= Math.max(voteFrames, MOST_VOTE_FRAMES);
  }

  /** Estimates the settings from the frames held back, and tracks them. */
  async #trackVoters(): Promise<void> {
    const { view } = this.options;
    const frames = this.#voters;
    this.#voters = [];
    const { motion, votes, notes } = commonMotion(frames, this.options);
    this.#votes = votes;
    this.notes.push(...notes);
    const { tracker } = this.#begin(motion, view === "auto" ? null : view);
    for (const frame of frames) await this.#track(tracker, frame);
  }

  #begin(motion: CommonMotion, view: View | null): { tracker: Tracker; watch: LineWatch | null } {
    const { options } = this;
    this.#motion = motion;
    if (options.view === "auto" && view !== null) this.#box = [...view];
    const tracker = new Tracker(trackerSettings(motion, options, options.view === "auto" ? this.#box : view));
    const watch = options.line === null ? null : new LineWatch(options.line, tracker);
    const { onEnd } = tracker;
    tracker.onEnd = (index, why) => {
      onEnd?.(index, why);
      this.#ended.push(tracker.track[index]);
    };
    this.#tracker = tracker;
    this.#watch = watch;
    return { tracker, watch };
  }

  async #track(tracker: Tracker, frame: ClosedFrame): Promise<void> {
    const { associator, view } = this.options;
    const clock = this.#isReplay ? null : this.options.clock;
    this.#skipTo(tracker, frame.frame);
    this.#last = frame.frame;
    const { x, y, place } = visible(frame, view);
    if (view === "auto") this.#stretch(x, y);
    clock?.begin();
    this.#watch?.begin(frame.frame);
    const gated = tracker.predict(x, y);
    const answer = associator.associate(gated);
    const association = answer instanceof Promise ? await answer : answer;
    const track = tracker.update(x, y, association.measurementOfTrack);
    clock?.end();
    if (!this.#isReplay) {
      this.#count(gated, association);
      this.#tell(frame, place, track);
    }
    this.#tellCrossings();
  }

  /** Over frames without rows the tracks go on without measurements, until none is left. */
  #skipTo(tracker: Tracker, frame: number): void {
    if (this.#last < 0) return;
    for (let empty = this.#last + 1; empty < frame && tracker.count > 0; empty++) {
      this.#watch?.begin(empty);
      tracker.predict(NONE, NONE);
      tracker.update(NONE, NONE, new Int32Array(tracker.count).fill(-1));
      this.#tellCrossings();
    }
  }

  #count({ tracks, measurements }: GatedFrame, { rounds, capped }: Association): void {
    this.#largest.tracks = Math.max(this.#largest.tracks, tracks);
    this.#largest.measurements = Math.max(this.#largest.measurements, measurements);
    if (capped === true) this.#capped++;
    if (rounds === undefined) return;
    this.#rounds.sum += rounds;
    this.#rounds.frames++;
    this.#rounds.most = Math.max(this.#rounds.most, rounds);
  }

  #tell({ frame, rows, repeats }: ClosedFrame, place: Int32Array, track: Float64Array): void {
    let text = "";
    for (let n = 0; n < rows.length; n++) {
      const { x, y, target } = rows[n];
      const ofRow = place[n] < 0 ? -1 : track[place[n]];
      text += `${frame},${n},${ofRow < 0 ? "" : ofRow},${x},${y}\n`;
      if (place[n] < 0 && !repeats[n]) this.#hidden++;
      if (target === null) continue;
      this.#hasTargets = true;
      if (place[n] >= 0) this.#identities.add(target, ofRow);
      this.#passages?.sight(target, frame, x, y);
    }
    this.options.onRows(text);
  }

  #tellCrossings(): void {
    const crossings = this.#watch?.decide() ?? [];
    if (this.#isReplay) this.#ended.length = 0;
    for (const crossing of this.#isReplay ? [] : crossings) {
      this.options.onCrossing?.(crossing, this.#identities.targetOf(crossing.track));
    }
    for (const track of this.#ended.splice(0)) this.#identities.end(track);
  }

  #stretch(x: Float64Array, y: Float64Array): void {
    const box = this.#box;
    for (let j = 0; j < x.length; j++) {
      box[0] = Math.min(box[0], x[j]);
      box[1] = Math.max(box[1], x[j]);
      box[2] = Math.min(box[2], y[j]);
      box[3] = Math.max(box[3], y[j]);
    }
  }

  /** Null before the first frame was tracked. */
  state(): TrackState | null {
    if (this.#tracker === null || this.#motion === null) return null;
    return {
      closed: this.#last,
      ...this.#motion,
      view: this.options.view === "auto" ? this.#box : this.options.view,
      tracker: this.#tracker.state(),
      decided: this.#watch?.decided() ?? [],
    };
  }

  summary(): TrackSummary {
    const { sum, frames, most } = this.#rounds;
    return {
      counts: { ...this.#order.counts },
      tracks: this.#tracker?.nextTrack ?? 0,
      reach: this.#motion?.reach ?? null,
      displacement: this.#motion?.displacement ?? null,
      nearest: this.#motion?.nearest ?? null,
      votes: this.#votes,
      noise: this.#tracker?.noise ?? null,
      largest: { ...this.#largest },
      rounds: frames === 0 ? null : { mean: sum / frames, most },
      capped: this.#capped,
      hidden: this.#hidden,
      errors: this.#hasTargets ? this.#identities.errors() : null,
    };
  }
}
