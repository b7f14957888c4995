/** Tracks smoothed by the law that is likeliest for them, and filled where they miss frames. */
import { axesOf } from "../core/detections.js";
import { InputError } from "../core/errors.js";
import { fitVelocityLaw, isExact, type VelocityLaw } from "../costs/smoothing/law.js";
import { smoothPath } from "../costs/smoothing/smooth.js";
import { detectionsOf, type TrackPoints } from "../scores/track-summary.js";

/** A place of a track in one frame. */
export interface TrackPlace {
  /** Number of the frame. */
  readonly frame: number;
  readonly track: number;
  /** Position by axis. */
  readonly axes: readonly number[];
  /** Standard deviation on an axis; null of a measured position that stays as it is. */
  readonly deviation: number | null;
  /** Whether it stands in for a detection that is missing. */
  readonly filled: boolean;
}

export interface SmoothedTracks {
  /** The law in words' numbers: its drift a frame, and standard deviations of velocity and measurement on an axis; exact where the tracks show no noise. */
  readonly law: Pick<VelocityLaw, "drift" | "memory"> & {
    readonly velocity: number;
    readonly noise: number;
    readonly exact: boolean;
  };
  /** A smoothed place for each detection on a track. */
  readonly smoothed: readonly TrackPlace[];
  /** The detections as they are, and a place for each frame that a track misses. */
  readonly filled: readonly TrackPlace[];
}

/** Frames of all tracks together, at most: more come of numbers that are time stamps. */
const MOST_FRAMES = 1e7;

/**
 * @param step difference of the numbers of consecutive frames
 * @throws InputError where no law can be fitted
 */
export function smoothTracks(points: TrackPoints, step: number): SmoothedTracks {
  const tracks = detectionsOf(points).map(([track, detections]) => {
    const first = points.frame[detections[0]];
    const frame = detections.map((d) => (points.frame[d] - first) / step);
    return { track, first, frame, axes: axesOf(points).map((values) => detections.map((d) => values[d])) };
  });
  const frames = tracks.reduce((sum, { frame }) => sum + frame[frame.length - 1] + 1, 0);
  if (frames > MOST_FRAMES)
    throw new InputError(
      `--smooth, --fill: the tracks go through ${frames} frames, and ${MOST_FRAMES} are the most; number the frames one by one`,
    );
  const law = fitVelocityLaw(tracks);
  if (law === null)
    throw new InputError(
      "--smooth, --fill: no track has three detections, from which the law of motion is fitted; give longer tracks",
    );
  const [smoothed, filled]: TrackPlace[][] = [[], []];
  for (const path of tracks) {
    const { axes, deviation, measured } = smoothPath(law, path);
    let d = 0;
    measured.forEach((isMeasured, n) => {
      const frame = path.first + n * step;
      const at = axes.map((values) => values[n]);
      const place = { frame, track: path.track, axes: at, deviation: deviation[n], filled: isMeasured === 0 };
      if (isMeasured === 0) filled.push(place);
      else {
        smoothed.push(place);
        const here = d++;
        filled.push({ ...place, axes: path.axes.map((values) => values[here]), deviation: null });
      }
    });
  }
  const { drift, memory, variance, noise } = law;
  return {
    law: { drift, memory, velocity: Math.sqrt(variance), noise: Math.sqrt(noise), exact: isExact(law) },
    smoothed,
    filled,
  };
}
