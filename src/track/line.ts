/** Predicts when and where tracks reach a separation line (Maier et al. 2019, §1 and §3.1), which controls the nozzles. */
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
  /** From its last measurement and the displacement common to all tracks, as systems without tracking have it. */
  readonly plainTime: number;
  readonly plainPosition: number;
  /** Measurements of the track. */
  readonly measured: number;
}

/** Decides each track once: in the last frame before it is expected at the line, or when it leaves the view. */
export class LineWatch {
  readonly #decided = new Set<number>();
  #frame = 0;
  #found: Crossing[] = [];

  /** @param displacement common to all tracks, a frame */
  constructor(
    readonly line: Line,
    readonly tracker: Tracker,
    readonly displacement: readonly [number, number],
  ) {
    tracker.onEnd = (index, why) => this.#ended(index, why);
  }

  /** Must be called before the tracker predicts `frame`. */
  begin(frame: number): void {
    this.#frame = frame;
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
    const [dx, dy] = this.displacement;
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
