/**
 * The library: what the command line does, as functions of arrays and files. The algorithms behind it are entries of their own: rmap/lap,
 * rmap/map, rmap/costs, …
 *
 * @module rmap
 */
export { InputError, InvariantError } from "./core/errors.js";
export type { Frame } from "./core/frame.js";
export { readFrame, readFrames } from "./files/images/frames.js";
export { formatDetections, readDetections } from "./formats/detections.js";
export type { TrackMargins } from "./formats/tracks.js";
export { DeviceError } from "./gpu/device-error.js";
export { type ResultRow, readRows } from "./rows/results.js";
export {
  type CostArrays,
  type DetectedPoints,
  type DetectionArrays,
  type DetectOptions,
  type DeviceOptions,
  detect,
  type EvaluateOptions,
  type Evaluation,
  evaluate,
  type FlowSettings,
  flow,
  type ImageInput,
  type Numbers,
  type PlacedTracks,
  type SolveOptions,
  solve,
  type Tracked,
  type TrackOptions,
  track,
} from "./run/library/index.js";
export type { LineageScores } from "./scores/lineages.js";
export type { Scores } from "./scores/metrics.js";
