import type { DecidedWindow } from "./decided.js";

/** Numbers the tracks of a recording in the order of their first detections, frame by frame. */
export class TrackNumbers {
  /** Tracks so far. */
  count = 0;
  /** The track that enters each detection of the next frame, −1 where none does. */
  #entering: Int32Array | null = null;

  /**
   * The track of each of the input's `detections` in the next frame, and whether it has no other detection.
   * @param p of the frame, counted in the window
   */
  next({ frameStart, linked, place }: DecidedWindow, p: number, detections: number) {
    const [begin, end] = [frameStart[p], frameStart[p + 1]];
    const isLast = p === frameStart.length - 2;
    const number = this.#entering ?? new Int32Array(end - begin).fill(-1);
    const track = new Array<number>(detections);
    const single = new Array<boolean>(detections);
    const entering = new Int32Array(isLast ? 0 : frameStart[p + 2] - end).fill(-1);
    for (let d = begin; d < end; d++) {
      if (place[d] >= 0) {
        single[place[d]] = number[d - begin] < 0 && linked[d] < 0;
        if (number[d - begin] < 0) number[d - begin] = this.count++;
        track[place[d]] = number[d - begin];
      }
      if (linked[d] >= 0) entering[linked[d]] = number[d - begin];
    }
    this.#entering = entering;
    return { track, single };
  }
}
