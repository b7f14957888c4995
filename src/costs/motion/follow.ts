import type { Detections } from "../../core/detections.js";

export type Followed = ReturnType<typeof follow>;

/** The detections before and after each one in its track, −1 for none, and each one's frame. */
export function follow({ frames, frameStart }: Detections, track: Int32Array) {
  const previous = new Int32Array(track.length).fill(-1);
  const next = new Int32Array(track.length).fill(-1);
  const frame = new Uint32Array(track.length);
  const last = new Map<number, number>();
  for (let p = 0; p < frames; p++) {
    frame.fill(p, frameStart[p], frameStart[p + 1]);
    for (let d = frameStart[p]; d < frameStart[p + 1]; d++) {
      const before = last.get(track[d]);
      if (before !== undefined) {
        previous[d] = before;
        next[before] = d;
      }
      last.set(track[d], d);
    }
  }
  return { previous, next, frame };
}
