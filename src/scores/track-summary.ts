/** How long, how far and how fast tracks go: a row for each, and the mean squared displacement over all. */

import { axesOf, distanceBetween } from "../core/detections.js";

/** Points of tracks by frame. */
export interface TrackPoints {
  /** Number of the frame, in order. */
  readonly frame: Float64Array;
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly z?: Float64Array;
  /** −1 for none. */
  readonly track: Int32Array;
  /** Difference of the numbers of consecutive frames, where it is known. */
  readonly step?: number;
}

export interface TrackSummary {
  readonly track: number;
  readonly first: number;
  readonly last: number;
  readonly detections: number;
  /** Frames between the first and the last one in which it has no detection. */
  readonly missed: number;
  /** Length of the way along its detections. */
  readonly path: number;
  /** Distance from its first detection to its last one. */
  readonly displacement: number;
  /** Path over the time from the first to the last detection; null of a single detection. */
  readonly speed: number | null;
}

/** Mean squared displacement over a lag. */
export interface SquaredDisplacement {
  /** In frames. */
  readonly lag: number;
  /** Pairs of detections of one track so far apart. */
  readonly pairs: number;
  readonly mean: number;
}

/** Detections of each track in order of time, by track. */
export function detectionsOf({ track }: TrackPoints): [number, number[]][] {
  const byTrack = new Map<number, number[]>();
  track.forEach((one, d) => {
    if (one < 0) return;
    const detections = byTrack.get(one);
    if (detections) detections.push(d);
    else byTrack.set(one, [d]);
  });
  return [...byTrack].sort(([a], [b]) => a - b);
}

/** @param step difference of the numbers of consecutive frames */
export function summariseTracks(points: TrackPoints, step: number, timeStep: number): TrackSummary[] {
  const { frame } = points;
  const distance = distanceBetween(points, points);
  return detectionsOf(points).map(([track, detections]) => {
    const [from, to] = [detections[0], detections[detections.length - 1]];
    const path = detections.slice(1).reduce((sum, d, n) => sum + distance(detections[n], d), 0);
    const frames = (frame[to] - frame[from]) / step;
    return {
      track,
      first: frame[from],
      last: frame[to],
      detections: detections.length,
      missed: frames + 1 - detections.length,
      path,
      displacement: distance(from, to),
      speed: frames === 0 ? null : path / (frames * timeStep),
    };
  });
}

/** Over all pairs of detections of each track, for lags of 1 to `most` frames; lags that no pair has are left out. */
export function squaredDisplacements(points: TrackPoints, step: number, most: number): SquaredDisplacement[] {
  const { frame } = points;
  const axes = axesOf(points);
  const [sums, pairs] = [new Float64Array(most + 1), new Float64Array(most + 1)];
  for (const [, detections] of detectionsOf(points)) {
    for (let a = 0; a < detections.length; a++) {
      for (let b = a + 1; b < detections.length; b++) {
        const [i, j] = [detections[a], detections[b]];
        const lag = (frame[j] - frame[i]) / step;
        if (lag > most) break;
        sums[lag] += axes.reduce((square, axis) => square + (axis[j] - axis[i]) ** 2, 0);
        pairs[lag]++;
      }
    }
  }
  const lags = Array.from({ length: most }, (_, n) => n + 1).filter((lag) => pairs[lag] > 0);
  return lags.map((lag) => ({ lag, pairs: pairs[lag], mean: sums[lag] / pairs[lag] }));
}

/** The difference of consecutive frame numbers; where it is not known, the greatest number that divides all differences. */
export function frameStep({ frame, step: known }: TrackPoints): number {
  const common = (a: number, b: number): number => (b === 0 ? a : common(b, a % b));
  return known ?? (frame.reduce((step, number) => common(step, number - frame[0]), 0) || 1);
}
