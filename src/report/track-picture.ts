import type { FrameNumbers } from "../core/frame-numbers.js";

export interface TrackPicture {
  /** The first line is the heading; more lines may follow it. */
  readonly title: string;
  /** Detections of frame p are frameStart[p] … frameStart[p + 1] − 1. */
  readonly frameStart: Uint32Array;
  /** Positions, or null: then frames run along x and detections, by their index in the frame, along y. */
  readonly x: Float64Array | null;
  readonly y: Float64Array | null;
  /** Depths, in space. */
  readonly z?: Float64Array | undefined;
  /** Track of each detection, −1 for none. */
  readonly track: Int32Array;
  /** True identity of each detection, −1 for a false one; or null: then nothing is marked as wrong. */
  readonly target: Int32Array | null;
  /** Margin of the link out of each detection, NaN where its track ends; or null: then no link is marked as not proved. */
  readonly margin?: Float64Array | null;
  /** Length unit of the positions, for the axes. In pixels y points down. */
  readonly unit?: string | undefined;
  /** The mother's track of tracks that begin where she divides. */
  readonly parents?: ReadonlyMap<number, number> | undefined;
  /** Numbers of the frames in the input [0, 1, 2, …]. */
  readonly numbers?: FrameNumbers | undefined;
  /** The image under the tracks; positions are its pixels, and y points down. */
  readonly image?: PictureImage | undefined;
}

export interface PictureImage {
  readonly width: number;
  readonly height: number;
  /** A data: URL. */
  readonly url: string;
}
