/** How far the decisions at a separation line are from the truth, in constant memory. */
import { createHistogram, type RecordableHistogram } from "node:perf_hooks";
import type { Crossing } from "../track/line.js";

export interface ErrorSpread {
  readonly median: number;
  readonly p99: number;
  readonly worst: number;
}

export interface LineErrors {
  /** Decisions compared with a true passage. */
  readonly compared: number;
  /** Of tracks with fewer measurements than FEWEST, which are not compared. */
  readonly short: number;
  /** |error| of the time, in frames, and of the position, in the detections' unit: by the filter, and by the last measurement with the common displacement. */
  readonly time: ErrorSpread;
  readonly position: ErrorSpread;
  readonly plainTime: ErrorSpread;
  readonly plainPosition: ErrorSpread;
}

/** Measurements a track must have to be compared: those of the first frames start in the middle of the view. */
export const FEWEST = 10;

/** Frames that one of decision and passage waits for the other. */
const WAIT = 256;

/** Steps of a frame, and of the unit of length that `scale` gives. */
const STEPS = 1e6;

export class LineComparison {
  readonly #decided = new Map<string, Crossing>();
  readonly #passed = new Map<string, { time: number; position: number }>();
  readonly #histograms = [0, 1, 2, 3].map(() => createHistogram());
  #short = 0;

  /** @param scale a length much larger than the errors, which sets their resolution: d_max */
  constructor(readonly scale: () => number) {}

  /** A decision on a track whose measurements are those of `target`. */
  decided(target: string, crossing: Crossing): void {
    if (crossing.measured < FEWEST) {
      this.#short++;
      return;
    }
    this.#decided.set(target, crossing);
    this.#compare(target, crossing.decided);
  }

  passed(target: string, time: number, position: number): void {
    this.#passed.set(target, { time, position });
    this.#compare(target, time);
  }

  #compare(target: string, now: number): void {
    const crossing = this.#decided.get(target);
    const passage = this.#passed.get(target);
    if (crossing !== undefined && passage !== undefined) {
      this.#decided.delete(target);
      this.#passed.delete(target);
      const [time, position, plainTime, plainPosition] = this.#histograms;
      this.#record(time, crossing.time - passage.time, 1);
      this.#record(position, crossing.position - passage.position, this.scale());
      this.#record(plainTime, crossing.plainTime - passage.time, 1);
      this.#record(plainPosition, crossing.plainPosition - passage.position, this.scale());
    }
    for (const [old, { decided }] of this.#decided) {
      if (now - decided <= WAIT) break;
      this.#decided.delete(old);
    }
    for (const [old, { time }] of this.#passed) {
      if (now - time <= WAIT) break;
      this.#passed.delete(old);
    }
  }

  #record(histogram: RecordableHistogram, error: number, unit: number): void {
    if (Number.isFinite(error))
      histogram.record(Math.min(2 ** 50, Math.max(1, Math.round((Math.abs(error) / unit) * STEPS))));
  }

  errors(): LineErrors {
    const [time, position, plainTime, plainPosition] = this.#histograms.map((histogram, k) => {
      const unit = (k % 2 === 1 ? this.scale() : 1) / STEPS;
      if (Number(histogram.count) === 0) return { median: 0, p99: 0, worst: 0 };
      return {
        median: histogram.percentile(50) * unit,
        p99: histogram.percentile(99) * unit,
        worst: histogram.max * unit,
      };
    });
    return {
      compared: Number(this.#histograms[0].count),
      short: this.#short,
      time,
      position,
      plainTime,
      plainPosition,
    };
  }
}
