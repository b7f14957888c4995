/** Predicts when and where tracks reach a separation line (Maier et al. 2019, §1 and §3.1), which controls the nozzles. */
import { select } from "../core/select.js";
import type { Ending, Tracker } from "./tracker.js";

/** The line x = at, or y = at. */
export interface Line {
  readonly axis: "x" | "y";
  readonly at: number;
}

/** The prediction for one track. Times are in frames, counted from frame 0; positions are in the detections' unit, along the line. */
export interface Crossing {
  readonly track: number;
  /** Frame after whose measurements it was decided. */
  readonly decided: number;
  /** From the track's state. */
  readonly time: number;
  readonly position: number;
  /** From its last measurement and the median displacement of all tracks, as systems that know the usual speed but not the object's have it. */
  readonly plainTime: number;
  readonly plainPosition: number;
  /** Measurements of the track. */
  readonly measured: number;
}

/** Frames after which the median displacement is taken anew. */
const MEDIAN_EVERY = 16;

/** Decides each track once: in the last frame before it is expected at the line, or when it leaves the view. */
export class LineWatch {
  readonly #decided = new Set<number>();
  #frame = 0;
  #found: Crossing[] = [];
  /** Median velocity of all tracks, length a frame. */
  #displacement: readonly [number, number];
  #speeds = new Float64Array(0);
  #begun = 0;

  constructor(
    readonly line: Line,
    readonly tracker: Tracker,
  ) {
    this.#displacement = tracker.settings.velocity;
    tracker.onEnd = (index, why) => this.#ended(index, why);
  }

  /** Tracks that are decided and not ended, for the state of a run. */
  decided(): number[] {
    return [...this.#decided];
  }

  restore(decided: readonly number[]): void {
    for (const track of decided) this.#decided.add(track);
  }

  /** Must be called before the tracker predicts `frame`. */
  begin(frame: number): void {
    this.#frame = frame;
    if (this.#begun++ % MEDIAN_EVERY > 0) return;
    const { count, filters } = this.tracker;
    if (this.#speeds.length < count) this.#speeds = new Float64Array(2 * count);
    const [dx, dy] = this.#displacement;
    this.#displacement = [this.#medianOf(filters.vx) ?? dx, this.#medianOf(filters.vy) ?? dy];
  }

  /** Of the tracks with a second measurement. */
  #medianOf(velocity: Float64Array): number | null {
    const { count, measured } = this.tracker;
    let n = 0;
    for (let i = 0; i < count; i++) if (measured[i] > 1) this.#speeds[n++] = velocity[i];
    return n === 0 ? null : select(this.#speeds.subarray(0, n), n >> 1);
  }

  /** The decisions after the measurements of `frame`. */
  decide(): Crossing[] {
    for (let i = 0; i < this.tracker.count; i++) {
      const left = this.#framesLeft(i);
      if (left >= 0 && left <= 1) this.#add(i, left);
    }
    const found = this.#found;
    this.#found = [];
    return found;
  }

  #ended(i: number, why: Ending): void {
    const left = this.#framesLeft(i);
    if (why === "view" && left >= 0) this.#add(i, left);
    this.#decided.delete(this.tracker.track[i]);
  }

  /** Time until the track is at the line; below 0 where it is beyond it, moves away from it or does not move. */
  #framesLeft(i: number): number {
    const { filters } = this.tracker;
    const [at, speed] = this.line.axis === "x" ? [filters.x[i], filters.vx[i]] : [filters.y[i], filters.vy[i]];
    const left = (this.line.at - at) / speed;
    return Number.isFinite(left) ? left : -1;
  }

  #add(i: number, left: number): void {
    const { filters, track, lastX, lastY, since, measured } = this.tracker;
    if (this.#decided.has(track[i])) return;
    this.#decided.add(track[i]);
    const along = this.line.axis === "x";
    const [dx, dy] = this.#displacement;
    const plain = along ? (this.line.at - lastX[i]) / dx : (this.line.at - lastY[i]) / dy;
    this.#found.push({
      track: track[i],
      decided: this.#frame,
      time: this.#frame + left,
      position: along ? filters.y[i] + left * filters.vy[i] : filters.x[i] + left * filters.vx[i],
      plainTime: this.#frame - since[i] + plain,
      plainPosition: along ? lastY[i] + plain * dy : lastX[i] + plain * dx,
      measured: measured[i],
    });
  }
}
