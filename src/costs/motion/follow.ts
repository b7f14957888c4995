import { axesOf, type Detections } from "../../core/detections.js";
import { times } from "../density/student.js";
import { bindDeviation, bindExpectation, type MotionModel } from "./model.js";

export interface Followed {
  readonly previous: Int32Array;
  readonly next: Int32Array;
  readonly frame: Uint32Array;
}

/** The detections before and after each one in its track, −1 for none, and each one's frame. */
export function follow({ frames, frameStart }: Detections, track: Int32Array): Followed {
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

/** Whether j is in the frame after i's. */
export function isNext({ frame }: Followed, i: number, j: number): boolean {
  return i >= 0 && j >= 0 && frame[j] === frame[i] + 1;
}

/**
 * Where detection i is expected some frames later, by axis: as it went in its track from h, the one before, where that was in the frame before.
 * What velocities say is that between i and `from`.
 */
export function bindExpected(detections: Detections, followed: Followed, model: MotionModel) {
  const axes = axesOf(detections);
  const expectation = bindExpectation(detections, model);
  const deviation = bindDeviation(detections, model);
  const u = new Float64Array(3);
  return (i: number, span: number, h = followed.previous[i], from = h < 0 ? i : h): number[] => {
    expectation(from, i, u);
    const further = isNext(followed, h, i) ? times(model.persistence[0][0], deviation(h, i, 1)) : [0, 0, 0];
    return axes.map((axis, n) => axis[i] + span * (u[n] + further[n]));
  };
}

/** Samples that a density is fitted to at most, evenly picked from all. */
const SAMPLES = 5_000;

/** Detections of one track in consecutive frames. */
export function samplePairs(followed: Followed): [number, number][] {
  return thinned(startsOf(followed, 1), SAMPLES).map((i) => [i, followed.next[i]]);
}

/** Three detections of one track, a and b frames apart. */
export function sampleChains(followed: Followed, a: number, b: number): [number, number, number][] {
  return thinned(startsOf(followed, a + b), SAMPLES).map((i) => {
    const j = ahead(followed, i, a);
    return [i, j, ahead(followed, j, b)];
  });
}

/** Detections whose track goes on for some frames without a miss. */
function startsOf(followed: Followed, frames: number): number[] {
  const starts: number[] = [];
  for (let i = 0; i < followed.next.length; i++) if (ahead(followed, i, frames) >= 0) starts.push(i);
  return starts;
}

function ahead({ next, frame }: Followed, i: number, span: number): number {
  let j = i;
  for (let n = 0; n < span; n++) {
    const k = next[j];
    if (k < 0 || frame[k] !== frame[j] + 1) return -1;
    j = k;
  }
  return j;
}

export function thinned<T>(all: T[], most: number): T[] {
  const every = Math.ceil(all.length / most);
  return every <= 1 ? all : all.filter((_, n) => n % every === 0);
}

/**
 * Tracks of one are neither starts nor ends; a frame that a track skips is a miss, and one in which it might have ended. A track that is first seen within `spans`
 * frames of the recording's beginning may have been there before, and one that is last seen so near its end may be there still: neither is counted.
 */
export function countEnds({ frames, frameStart }: Detections, { previous, next, frame }: Followed, spans: number) {
  const counts = { starts: 0, ends: 0, singles: 0, mayEnd: 0, missed: 0 };
  const [begun, over] = [frameStart[Math.min(spans, frames)], frameStart[Math.max(0, frames - spans)]];
  for (let d = 0; d < previous.length; d++) {
    const alone = previous[d] < 0 && next[d] < 0;
    if (alone) {
      if (d >= frameStart[1] && d < frameStart[frames - 1]) counts.singles++;
      continue;
    }
    if (d >= begun && previous[d] < 0) counts.starts++;
    if (next[d] >= 0) {
      counts.mayEnd += frame[next[d]] - frame[d];
      counts.missed += frame[next[d]] - frame[d] - 1;
    } else if (d < over) {
      counts.mayEnd++;
      counts.ends++;
    }
  }
  return counts;
}
