import type { DecidedWindow } from "./decided.js";

/** The track of a detection and its mother's, −1 for none. */
interface Numbered {
  readonly track: number;
  readonly parent: number;
}

const NONE: Numbered = { track: -1, parent: -1 };

/** Numbers the tracks of a recording in the order of their first detections, frame by frame. */
export class TrackNumbers {
  /** Tracks so far, and divisions. */
  count = 0;
  divisions = 0;
  /** The track that enters each detection of the next frame; one without a number has its parent's alone. */
  #entering: (Numbered | undefined)[] = [];

  /**
   * Of each of the input's `detections` in the next frame its track, its mother's track (−1: none), and whether its track has no other detection.
   * @param p of the frame, counted in the window
   */
  next({ frameStart, linked, second, place }: DecidedWindow, p: number, detections: number) {
    const [begin, end] = [frameStart[p], frameStart[p + 1]];
    const [track, parent] = [new Array<number>(detections), new Array<number>(detections)];
    const single = new Array<boolean>(detections);
    const entered = this.#entering;
    this.#entering = [];
    for (let d = begin; d < end; d++) {
      let number = entered[d - begin] ?? NONE;
      const goesOn = linked[d] >= 0 && second[d] < 0;
      if (place[d] >= 0) {
        single[place[d]] = number.track < 0 && !goesOn;
        if (number.track < 0) number = { ...number, track: this.count++ };
        track[place[d]] = number.track;
        parent[place[d]] = number.parent;
      }
      if (goesOn) this.#entering[linked[d]] = number;
      else if (second[d] >= 0) {
        this.divisions++;
        for (const daughter of [linked[d], second[d]]) this.#entering[daughter] = { track: -1, parent: number.track };
      }
    }
    return { track, parent, single };
  }
}
