import { UNASSIGNED } from "../../lap/lap.js";
import type { Piece } from "../../map/window/piece.js";

/** Numbers the tracks of a recording in the order of their first detections, frame by frame. */
export class TrackNumbers {
  /** Tracks so far. */
  count = 0;
  /** The track that enters each detection of the next frame, −1 where none does. */
  #entering: Int32Array = new Int32Array(0);

  /**
   * The track of each of the input's `detections` in the next frame, and whether it has no other detection.
   * @param place as in PricedWindow
   */
  next({ graph, first, tracks }: Piece, place: Int32Array, frame: number, detections: number) {
    const { frames, frameStart, head } = graph;
    const [begin, end] = [frameStart[frame - first], frameStart[frame - first + 1]];
    const number = frame === 0 ? new Int32Array(end - begin).fill(-1) : this.#entering;
    const track = new Array<number>(detections);
    const single = new Array<boolean>(detections);
    const isLast = frame - first === frames - 1;
    const entering = new Int32Array(isLast ? 0 : frameStart[frame - first + 2] - end).fill(-1);
    for (let d = begin; d < end; d++) {
      if (place[d] >= 0) {
        single[place[d]] = number[d - begin] < 0 && tracks[d] === UNASSIGNED;
        if (number[d - begin] < 0) number[d - begin] = this.count++;
        track[place[d]] = number[d - begin];
      }
      if (!isLast && tracks[d] !== UNASSIGNED) entering[head[tracks[d]] - end] = number[d - begin];
    }
    this.#entering = entering;
    return { track, single };
  }
}
