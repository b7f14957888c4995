import type { Associator } from "../track/associate.js";
import type { Crossing, Line } from "../track/line.js";
import { SCORE_RULE, type ScoreRule, type TrackerState, type View } from "../track/tracker.js";
import type { OnPassage } from "./passages.js";

export interface TrackOptions {
  readonly associator: Associator;
  /** d_max, or null: three quarters of the median nearest-neighbour distance in the first frames. */
  readonly reach: number | null;
  /** Of new tracks, length a frame, or null: voted over the first frames. */
  readonly displacement: readonly [number, number] | null;
  /** The number of first frames with measurements that are held back to estimate from. */
  readonly voteFrames: number;
  /** q and r, or null: estimated from the tracks. */
  readonly noise: { readonly q: number; readonly r: number } | null;
  readonly score: ScoreRule;
  /** Measurements outside are hidden from the tracker and only serve as truth. "auto": the box of all seen so far, none hidden. */
  readonly view: View | "auto" | null;
  readonly line: Line | null;
  /** Frames held back to put late ones in order. */
  readonly held: number;
  readonly state: TrackState | null;
  /** The clock of a frame: the value that begin() returned is passed to end(). */
  readonly clock: { begin(): void; end(): void } | null;
  /** In order; the rows that are due are handed over once a frame. */
  readonly onRows: (text: string) => void;
  /** With the true object of the track's last measurement, null where unknown. */
  readonly onCrossing: ((crossing: Crossing, target: string | null) => void) | null;
  readonly onPassage: OnPassage | null;
}

export interface CommonMotion {
  /** d_max. */
  readonly reach: number;
  /** Of new tracks, length a frame. */
  readonly displacement: readonly [number, number];
  /** Median distance of a measurement to the nearest one of its frame; null where no frame has two. */
  readonly nearest: number | null;
}

/** The state at which a run stopped, from which the next one goes on. */
export interface TrackState extends CommonMotion {
  /** The last frame that was tracked. */
  readonly closed: number;
  readonly view: View | null;
  readonly tracker: TrackerState;
  /** Tracks already decided at the line. */
  readonly decided: readonly number[];
}

export const TRACK_DEFAULTS: Omit<TrackOptions, "associator"> = {
  reach: null,
  displacement: null,
  voteFrames: 5,
  noise: null,
  score: SCORE_RULE,
  view: null,
  line: null,
  held: 0,
  state: null,
  clock: null,
  onRows: () => {},
  onCrossing: null,
  onPassage: null,
};
