/**
 * Multitarget tracking frame by frame (Maier et al. 2019, §4): predict every track, gate, let an association link tracks and measurements, update,
 * keep the score of each track, and start new tracks from the measurements that are left over.
 */
import { InputError } from "../core/errors.js";
import { longer } from "../core/growing-array.js";
import { Gate, type GatedFrame } from "./gate.js";
import { Filters, type MotionNoise } from "./kalman.js";
import { NoiseEstimate, rowOf } from "./noise.js";

/** When a track ends (§4): its score has a first value, rises with a measurement up to the greatest one, falls without one, and ends the track below the least. */
export interface ScoreRule {
  readonly initialScore: number;
  readonly up: number;
  readonly down: number;
  readonly max: number;
  readonly min: number;
}

/** Those of the paper (§6.1). */
export const SCORE_RULE: ScoreRule = { initialScore: 5, up: 2, down: 1, max: 10, min: 0 };

/** xMin, xMax, yMin, yMax; sides may be infinite. */
export type View = readonly [number, number, number, number];

export interface TrackerSettings {
  /** d_max > 0. */
  readonly reach: number;
  /**
   * Largest distance from the prediction, a frame, of a track's second measurement; Infinity: d_max. Where an object is missed in its second frame, the next one
   * to come into view lies up to a displacement away from its prediction, and would be taken for it.
   */
  readonly firstReach: number;
  /** Velocity of a new track, length a frame, and its standard deviation per axis. */
  readonly velocity: readonly [number, number];
  readonly velocitySigma: number;
  /** Noise until the tracks give an estimate, and throughout if `estimateNoise` is false. */
  readonly noise: MotionNoise;
  readonly estimateNoise: boolean;
  /** Of estimates: medians do not see collisions, which the filter must be able to follow. */
  readonly leastNoise: MotionNoise;
  readonly score: ScoreRule;
  /** A track that is predicted more than d_max outside ends, as no measurement can be linked to it; null: it goes on until its score is used up. */
  readonly view: View | null;
}

/** Why a track ended: it left the view, or its score was used up. */
export type Ending = "view" | "score";

/** Frames of the differences that noise is estimated from; the shorter ones serve until there are enough of the longer, which objects that are soon out of view never give. */
const LAG = 4;
const SHORTER_LAG = 2;
const ROW = rowOf(LAG);

/** Tracks, and up to twice as many, that give samples of the noise once its estimate is settled: the last measurements of all of a thousand would not stay in a core's cache. */
const SAMPLED = 128;

/** Tracks there is room for at first: enough for most belts, as no frame should wait for arrays to grow. */
const FIRST = 2048;

export class Tracker {
  /** Tracks alive. */
  count = 0;
  readonly filters = new Filters();
  /** Number of each track, from 0 in the order they start. */
  track = new Float64Array(0);
  score = new Float64Array(0);
  /** Last measurement of each track, and frames since then. */
  lastX = new Float64Array(0);
  lastY = new Float64Array(0);
  since = new Float64Array(0);
  /** Measurements of each track. */
  measured = new Float64Array(0);
  nextTrack = 0;
  noise: MotionNoise;
  /** Called with the index of a track that is about to end, while its state is still there. */
  onEnd: ((index: number, why: Ending) => void) | null = null;

  #history = new Float64Array(0);
  #inRow: Float64Array = new Float64Array(0);
  readonly #estimate = new NoiseEstimate(LAG);
  readonly #shorter = new NoiseEstimate(SHORTER_LAG);
  #reach = new Float64Array(0);
  #answer = new Float64Array(0);
  /** Tracks whose number has any of these bits give no samples of the noise. */
  #unsampled = 0;
  readonly #gate = new Gate();

  constructor(readonly settings: TrackerSettings) {
    this.noise = settings.noise;
  }

  /** Predicts all tracks one frame ahead and ends those out of view. Returns the allowed links, valid until the next call. */
  predict(x: Float64Array, y: Float64Array): GatedFrame {
    const { reach, view } = this.settings;
    this.filters.predict(this.count, this.noise.q);
    for (let i = 0; i < this.count; i++) this.since[i]++;
    if (view !== null) {
      const [left, right, bottom, top] = view;
      const { filters } = this;
      this.#keep(
        "view",
        (i) =>
          filters.x[i] >= left - reach &&
          filters.x[i] <= right + reach &&
          filters.y[i] >= bottom - reach &&
          filters.y[i] <= top + reach,
      );
    }
    return this.#gate.frame(this.count, this.filters.x, this.filters.y, x, y, reach, this.#reaches());
  }

  /** How far from its prediction each track is looked for: one whose velocity is not measured yet no farther than `firstReach` a frame. */
  #reaches(): Float64Array | null {
    const { reach, firstReach } = this.settings;
    if (firstReach >= reach) return null;
    if (this.#reach.length < this.count) this.#reach = new Float64Array(this.track.length);
    const reaches = this.#reach;
    for (let i = 0; i < this.count; i++) {
      reaches[i] = this.measured[i] > 1 ? reach : Math.min(reach, firstReach * this.since[i]);
    }
    return reaches;
  }

  /**
   * Takes in the association of the frame that predict was given: the measurement of each track, −1 where it has none. Returns the track of each
   * measurement, valid until the next call.
   */
  update(x: Float64Array, y: Float64Array, measurementOfTrack: Int32Array): Float64Array {
    const { score: rule, velocity, velocitySigma } = this.settings;
    const { r } = this.noise;
    const { score, filters, count } = this;
    const track = this.#trackOfMeasurement(x.length);
    this.#unsampled = this.#estimate.isSettled ? 2 ** Math.max(0, Math.floor(Math.log2(count / SAMPLED))) - 1 : 0;
    for (let i = 0; i < count; i++) {
      const j = measurementOfTrack[i];
      if (j < 0) {
        score[i] -= rule.down;
        this.#inRow[i] = 0;
        continue;
      }
      filters.update(i, x[j], y[j], r);
      score[i] = Math.min(rule.max, score[i] + rule.up);
      track[j] = this.track[i];
      this.#record(i, x[j], y[j]);
    }
    this.#keep("score", (i) => this.score[i] >= rule.min);
    for (let j = 0; j < x.length; j++) {
      if (track[j] >= 0) continue;
      if (this.count === this.track.length) this.#grow();
      const i = this.count++;
      this.filters.begin(i, x[j], y[j], velocity, velocitySigma, r);
      this.track[i] = this.nextTrack;
      this.score[i] = rule.initialScore;
      this.#inRow[i] = 0;
      this.measured[i] = 0;
      this.#record(i, x[j], y[j]);
      track[j] = this.nextTrack++;
    }
    return track;
  }

  /** −1 for each measurement of a frame. */
  #trackOfMeasurement(measurements: number): Float64Array {
    if (this.#answer.length < measurements) this.#answer = new Float64Array(Math.max(FIRST, 2 * measurements));
    return this.#answer.subarray(0, measurements).fill(-1);
  }

  #record(i: number, x: number, y: number): void {
    this.lastX[i] = x;
    this.lastY[i] = y;
    this.since[i] = 0;
    this.measured[i]++;
    if (!this.settings.estimateNoise) return;
    if ((this.track[i] & this.#unsampled) !== 0) {
      this.#inRow[i] = 0;
      return;
    }
    const history = this.#history;
    const at = 2 * (ROW * i + (this.#inRow[i]++ % ROW));
    history[at] = x;
    history[at + 1] = y;
    const inRow = this.#inRow[i];
    if (inRow >= rowOf(SHORTER_LAG) && !this.#estimate.isMade) this.#sample(this.#shorter, i, inRow);
    // Rows overlap until the estimate is settled: it is needed soon, and the more of them the better.
    if (inRow >= ROW && (!this.#estimate.isSettled || inRow % ROW === 0)) this.#sample(this.#estimate, i, inRow);
  }

  /** Takes the last row of measurements of track i as a sample of the noise along either axis. */
  #sample(estimate: NoiseEstimate, i: number, inRow: number): void {
    const { leastNoise } = this.settings;
    const { lag } = estimate;
    const history = this.#history;
    const at = (back: number) => 2 * (ROW * i + ((inRow - 1 - back) % ROW));
    for (let axis = 0; axis < 2; axis++) {
      const middle = history[at(lag) + axis];
      const found = estimate.add(
        history[at(lag + 1) + axis] - 2 * middle + history[at(lag - 1) + axis],
        history[at(2 * lag) + axis] - 2 * middle + history[at(0) + axis],
      );
      if (found !== null) this.noise = { q: Math.max(found.q, leastNoise.q), r: Math.max(found.r, leastNoise.r) };
    }
  }

  /** Ends the tracks that do not stay; the last one takes the place of each, as moving all behind it would cost as much as the filters. */
  #keep(why: Ending, stays: (i: number) => boolean): void {
    let i = 0;
    while (i < this.count) {
      if (stays(i)) {
        i++;
        continue;
      }
      this.onEnd?.(i, why);
      const last = --this.count;
      if (i === last) return;
      this.filters.move(last, i);
      for (const array of this.#arrays()) array[i] = array[last];
      this.#history.copyWithin(2 * ROW * i, 2 * ROW * last, 2 * ROW * (last + 1));
    }
  }

  #arrays(): Float64Array[] {
    return [this.track, this.score, this.lastX, this.lastY, this.since, this.measured, this.#inRow];
  }

  #grow(): void {
    const capacity = Math.max(FIRST, 2 * this.track.length);
    this.filters.grow(capacity);
    const [track, score, lastX, lastY, since, measured, inRow] = this.#arrays().map((array) => longer(array, capacity));
    Object.assign(this, { track, score, lastX, lastY, since, measured });
    this.#inRow = inRow;
    this.#history = longer(this.#history, 2 * ROW * capacity);
  }

  /** Everything that the next frame depends on, for JSON, except samples of the noise, which are collected anew. */
  state(): TrackerState {
    const { count } = this;
    const columns = [...this.filters.arrays(), ...this.#arrays()].map((array) => Array.from(array.subarray(0, count)));
    return {
      nextTrack: this.nextTrack,
      noise: { ...this.noise },
      columns,
      history: Array.from(this.#history.subarray(0, 2 * ROW * count)),
    };
  }

  /** Continues from a state that state() returned under the same settings. */
  restore({ nextTrack, noise, columns, history }: TrackerState): void {
    const count = columns[0]?.length ?? 0;
    while (this.track.length < count) this.#grow();
    const arrays = [...this.filters.arrays(), ...this.#arrays()];
    if (columns.length !== arrays.length || columns.some(({ length }) => length !== count)) {
      throw new InputError(
        `state: ${columns.length} columns of tracks where ${arrays.length} of one length belong; start without it`,
      );
    }
    if (history.length !== 2 * ROW * count) {
      throw new InputError(
        `state: ${history.length} numbers of the history of ${count} tracks where ${2 * ROW} each belong; start without it`,
      );
    }
    arrays.forEach((array, k) => {
      array.set(columns[k]);
    });
    this.#history.set(history);
    this.count = count;
    this.nextTrack = nextTrack;
    this.noise = noise;
  }
}

export interface TrackerState {
  readonly nextTrack: number;
  readonly noise: MotionNoise;
  readonly columns: readonly (readonly number[])[];
  readonly history: readonly number[];
}
