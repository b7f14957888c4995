/** Tracking a stream of measurements frame by frame: from rows to rows, with its times and errors. */
import { InputError } from "../core/errors.js";
import { IdentityCounter, type IdentityErrors } from "../scores/identity-errors.js";
import type { Associator } from "../track/associate.js";
import { type Crossing, type Line, LineWatch } from "../track/line.js";
import { type ClosedFrame, FrameOrder, type StreamCounts, type StreamRow } from "../track/stream.js";
import { type ScoreRule, Tracker, type TrackerSettings, type TrackerState, type View } from "../track/tracker.js";
import { AGREEING, type Voted, voteDisplacement } from "../track/vote.js";

export interface TrackOptions {
  readonly associator: Associator;
  /** d_max, or null: three quarters of the median nearest-neighbour distance in the first frames. */
  readonly reach: number | null;
  /** Of new tracks, length a frame, or null: voted over the first frames. */
  readonly displacement: readonly [number, number] | null;
  /** The number of first frames with measurements that are held back to estimate from. */
  readonly voteFrames: number;
  /** q and r, or null: estimated from the tracks. */
  readonly noise: { readonly q: number; readonly r: number } | null;
  readonly score: ScoreRule;
  /** Measurements outside are hidden from the tracker and only serve as truth. "auto": the box of all seen so far, none hidden. */
  readonly view: View | "auto" | null;
  readonly line: Line | null;
  /** Frames held back to put late ones in order. */
  readonly held: number;
  readonly state: TrackState | null;
  /** The clock of a frame: the value that begin() returned is passed to end(). */
  readonly clock: { begin(): void; end(): void } | null;
  /** In order; what is due is handed over once a frame. */
  readonly onRows: (text: string) => void;
  /** With the true object of the track's last measurement, null where unknown. */
  readonly onCrossing: ((crossing: Crossing, target: string | null) => void) | null;
  /** Where and when a true object was at the line: its label, time in frames and position. */
  readonly onPassage: ((target: string, time: number, position: number) => void) | null;
}

/** The state at which a run stopped, from which the next one goes on. */
export interface TrackState {
  readonly closed: number;
  readonly reach: number;
  readonly displacement: readonly [number, number];
  readonly nearest: number | null;
  readonly view: View | null;
  readonly tracker: TrackerState;
  readonly decided: readonly number[];
}

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

export const TRACK_DEFAULTS = { voteFrames: 5, reachShare: 0.75 } as const;

/** Fewest measurements that can vote, and most frames waited for them. */
const FEWEST_TO_VOTE = 24;
const MOST_VOTE_FRAMES = 200;

/** Share of the measurements that must agree on a displacement for it to be taken for that of all. */
const FEWEST_AGREEING = 0.5;

/**
 * Of the common displacement: how far from its prediction a new track is looked for. Chosen on belts of odd seeds with misses, where 0.5 to 0.6 leave a sixth of the
 * errors; below 0.6 the slowest cylinders of SIMULATED_dem break. It is no less than the distance within which displacements agree in the vote: what moves slower
 * than that may go any way, and a displacement near 0 would leave no reach at all.
 */
const FIRST_REACH = 0.6;

/** Kalman noise before it can be estimated, the least noise afterwards, and the spread of new tracks' velocities, as shares of the displacement; and the shares of d_max that none of them is below. */
const NOISE = {
  q: 0.01,
  r: 0.003,
  leastQ: 0.002,
  leastR: 0.0015,
  spread: 0.1,
  ofReach: 0.001,
  spreadOfReach: 0.1,
  spreadAtRest: 0.5,
} as const;

export class TrackRun {
  /** What was assumed, a sentence each. */
  readonly notes: string[] = [];
  readonly #order: FrameOrder;
  readonly #identities = new IdentityCounter();
  #waiting: ClosedFrame[] = [];
  #tracker: Tracker | null = null;
  #watch: LineWatch | null = null;
  #voted: Voted | null = null;
  #displacement: readonly [number, number] | null = null;
  #reach: number | null = null;
  #nearest: number | null = null;
  /** Box of all measurements so far, for view "auto". */
  #box: [number, number, number, number] = [Infinity, -Infinity, Infinity, -Infinity];
  #last = -1;
  #hasTargets = false;
  #rounds = { sum: 0, frames: 0, most: 0 };
  #capped = 0;
  #hidden = 0;
  #largest = { tracks: 0, measurements: 0 };
  /** Last measurement of each object in sight, for the passage of the line. */
  readonly #sighted = new Map<string, { frame: number; x: number; y: number }>();
  readonly #due: ClosedFrame[] = [];
  /** Tracks that ended in this frame; what was decided on them is told first. */
  readonly #ended: number[] = [];
  #late = "";
  #isReplay = false;

  constructor(readonly options: TrackOptions) {
    const { state } = options;
    this.#order = new FrameOrder(options.held, state?.closed ?? -1);
    if (state !== null) {
      this.#nearest = state.nearest;
      this.#begin(state.reach, state.displacement, state.view);
      this.#last = state.closed;
      this.#tracker?.restore(state.tracker);
      this.#watch?.restore(state.decided);
    }
  }

  /** Accepts a row. flush() tracks the frames that it closes. */
  add(row: StreamRow): void {
    const { closed, late } = this.#order.add(row);
    if (late !== null && late >= 0) this.#late += `${row.frame},${late},,${row.x},${row.y}\n`;
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
    for (const frame of this.#due.splice(0)) await this.#take(frame);
    if (this.#late !== "") this.options.onRows(this.#late);
    this.#late = "";
  }

  /** Ends the stream and closes the frames still pending. */
  async end(): Promise<void> {
    for (const frame of this.#order.end()) this.#due.push(frame);
    await this.flush();
    if (this.#tracker === null && this.#waiting.length > 0) await this.#startWithVotes();
  }

  /** Null before the first frame was tracked. */
  state(): TrackState | null {
    if (this.#tracker === null || this.#reach === null || this.#displacement === null) return null;
    return {
      closed: this.#last,
      reach: this.#reach,
      displacement: this.#displacement,
      nearest: this.#nearest,
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
      reach: this.#reach,
      displacement: this.#displacement,
      nearest: this.#nearest,
      votes: this.#voted?.votes ?? null,
      noise: this.#tracker?.noise ?? null,
      largest: { ...this.#largest },
      rounds: frames === 0 ? null : { mean: sum / frames, most },
      capped: this.#capped,
      hidden: this.#hidden,
      errors: this.#hasTargets ? this.#identities.errors() : null,
    };
  }

  async #take(frame: ClosedFrame): Promise<void> {
    if (this.#tracker !== null) return await this.#track(frame);
    this.#waiting.push(frame);
    const measurements = this.#waiting.reduce((sum, { rows }) => sum + rows.length, 0);
    const { voteFrames } = this.options;
    const enough = this.#waiting.length >= voteFrames && measurements >= FEWEST_TO_VOTE;
    if (enough || this.#waiting.length >= Math.max(voteFrames, MOST_VOTE_FRAMES)) await this.#startWithVotes();
  }

  /** Estimates the settings from the frames held back, and tracks them. */
  async #startWithVotes(): Promise<void> {
    const { options } = this;
    const frames = this.#waiting;
    this.#waiting = [];
    const voted = voteDisplacement(
      frames.flatMap((frame, k) => {
        const apart = k > 0 && frame.frame > frames[k - 1].frame + 1;
        return apart ? [{ x: NONE, y: NONE }, shown(frame, options.view)] : [shown(frame, options.view)];
      }),
    );
    this.#nearest = voted.nearest;
    if (options.displacement === null) this.#voted = voted;
    const reach = options.reach ?? (voted.nearest === null ? null : TRACK_DEFAULTS.reachShare * voted.nearest);
    if (reach === null || !(reach > 0)) {
      throw new InputError(
        `the first ${frames.length} frames have no two measurements apart from each other, so that d_max cannot be told; give --d-max`,
      );
    }
    const common = options.displacement !== null || voted.votes >= FEWEST_AGREEING * voted.possible;
    if (!common) {
      const share = `${voted.votes} of ${voted.possible} measurements`;
      this.notes.push(
        `No common displacement (${share} agree on one): new tracks start at rest; --displacement states one.`,
      );
    }
    const displacement = options.displacement ?? (common ? voted.displacement : [0, 0]);
    this.#begin(reach, displacement, options.view === "auto" ? null : options.view);
    for (const frame of frames) await this.#track(frame);
  }

  #begin(reach: number, displacement: readonly [number, number], view: View | null): void {
    const { noise, score, line } = this.options;
    this.#reach = reach;
    this.#displacement = displacement;
    const step = Math.hypot(...displacement);
    const least = (share: number) => Math.max(share * step, NOISE.ofReach * reach);
    if (this.options.view === "auto" && view !== null) this.#box = [...view];
    const settings: TrackerSettings = {
      reach,
      firstReach: step === 0 ? Infinity : Math.max(FIRST_REACH * step, AGREEING * (this.#nearest ?? 0)),
      velocity: displacement,
      velocitySpread:
        step === 0 ? NOISE.spreadAtRest * reach : Math.max(NOISE.spread * step, NOISE.spreadOfReach * reach),
      noise: noise ?? { q: least(NOISE.q), r: least(NOISE.r) },
      estimateNoise: noise === null,
      leastNoise: { q: least(NOISE.leastQ), r: least(NOISE.leastR) },
      score,
      view: this.options.view === "auto" ? this.#box : view,
    };
    this.#tracker = new Tracker(settings);
    if (line !== null) this.#watch = new LineWatch(line, this.#tracker);
    const tracker = this.#tracker;
    const { onEnd } = tracker;
    tracker.onEnd = (index, why) => {
      onEnd?.(index, why);
      this.#ended.push(tracker.track[index]);
    };
  }

  async #track(frame: ClosedFrame): Promise<void> {
    const tracker = this.#tracker as Tracker;
    const { associator, view } = this.options;
    const clock = this.#isReplay ? null : this.options.clock;
    // Frames without rows: tracks go on without measurements, until none is left.
    for (let empty = this.#last + 1; this.#last >= 0 && empty < frame.frame && tracker.count > 0; empty++) {
      this.#watch?.begin(empty);
      tracker.predict(NONE, NONE);
      tracker.update(NONE, NONE, new Int32Array(tracker.count).fill(-1));
      this.#tellCrossings();
    }
    this.#last = frame.frame;
    const { x, y, place } = shown(frame, view);
    if (view === "auto") this.#stretch(x, y);
    clock?.begin();
    this.#watch?.begin(frame.frame);
    const gated = tracker.predict(x, y);
    const answer = associator.associate(gated);
    const { measurementOfTrack, rounds, capped } = answer instanceof Promise ? await answer : answer;
    const track = tracker.update(x, y, measurementOfTrack);
    clock?.end();
    if (this.#isReplay) return this.#tellCrossings();
    this.#largest.tracks = Math.max(this.#largest.tracks, gated.tracks);
    this.#largest.measurements = Math.max(this.#largest.measurements, gated.measurements);
    if (rounds !== undefined) {
      this.#rounds.sum += rounds;
      this.#rounds.frames++;
      this.#rounds.most = Math.max(this.#rounds.most, rounds);
    }
    if (capped === true) this.#capped++;
    this.#tell(frame, place, track);
    this.#tellCrossings();
  }

  #tell({ frame, rows, repeats }: ClosedFrame, place: Int32Array, track: Float64Array): void {
    let text = "";
    for (let n = 0; n < rows.length; n++) {
      const { x, y, target } = rows[n];
      const mine = place[n] < 0 ? -1 : track[place[n]];
      text += `${frame},${n},${mine < 0 ? "" : mine},${x},${y}\n`;
      if (place[n] < 0 && !repeats[n]) this.#hidden++;
      if (target === null) continue;
      this.#hasTargets = true;
      if (place[n] >= 0) this.#identities.add(target, mine);
      this.#sight(target, frame, x, y);
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

  /** Finds out when objects pass the line, between two sightings of them. */
  #sight(target: string, frame: number, x: number, y: number): void {
    const { line, onPassage } = this.options;
    if (line === null || onPassage === null) return;
    const before = this.#sighted.get(target);
    this.#sighted.delete(target);
    this.#sighted.set(target, { frame, x, y });
    for (const [old, { frame: seen }] of this.#sighted) {
      if (frame - seen <= LONGEST_GAP) break;
      this.#sighted.delete(old);
    }
    if (before === undefined || frame - before.frame > LONGEST_GAP) return;
    const [was, is] = line.axis === "x" ? [before.x, x] : [before.y, y];
    if (was === is || was < line.at === is < line.at) return;
    const share = (line.at - was) / (is - was);
    const position = line.axis === "x" ? before.y + share * (y - before.y) : before.x + share * (x - before.x);
    onPassage(target, before.frame + share * (frame - before.frame), position);
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
}

const NONE = new Float64Array(0);
/** Frames an object may be unseen and still be interpolated. */
const LONGEST_GAP = 3;

/** The measurements of a frame that the tracker sees, and the place of each row among them, −1 where hidden or repeated. */
function shown({ rows, repeats }: ClosedFrame, view: View | "auto" | null) {
  const place = new Int32Array(rows.length).fill(-1);
  const [left, right, bottom, top] =
    view === null || view === "auto" ? [-Infinity, Infinity, -Infinity, Infinity] : view;
  let count = 0;
  rows.forEach(({ x, y }, n) => {
    if (!repeats[n] && x >= left && x <= right && y >= bottom && y <= top) place[n] = count++;
  });
  const x = new Float64Array(count);
  const y = new Float64Array(count);
  rows.forEach((row, n) => {
    if (place[n] < 0) return;
    x[place[n]] = row.x;
    y[place[n]] = row.y;
  });
  return { x, y, place };
}
