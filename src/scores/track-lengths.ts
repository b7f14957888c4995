import { GrowingArray } from "../core/growing-array.js";
import { select } from "../core/select.js";

/** How many tracks there are, how many of them have one detection, and the median of their detections (of an even number the lower middle one; 0 without tracks), of all and of those of two or more. */
export interface TrackCounts {
  readonly count: number;
  readonly singles: number;
  readonly medianLength: number;
  readonly medianLinked: number;
}

/** The lengths of tracks whose detections come one after another: four bytes a track. */
export class TrackLengths {
  readonly #lengths = new GrowingArray(Uint32Array);

  /** Tracks of some detections, numbered from 0; negative: in no track. */
  add(track: ArrayLike<number>): void {
    for (let d = 0; d < track.length; d++) while (this.#lengths.length <= track[d]) this.#lengths.push(0);
    const { values } = this.#lengths;
    for (let d = 0; d < track.length; d++) if (track[d] >= 0) values[track[d]]++;
  }

  counts(): TrackCounts {
    const lengths = Float64Array.from(this.#lengths.values);
    const count = lengths.length;
    const singles = lengths.reduce((sum, length) => sum + (length === 1 ? 1 : 0), 0);
    const median = (of: Float64Array) => (of.length === 0 ? 0 : select(of, (of.length - 1) >> 1));
    const medianLinked = median(lengths.filter((length) => length > 1));
    return { count, singles, medianLength: median(lengths), medianLinked };
  }
}
