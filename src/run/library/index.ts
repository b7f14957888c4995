/** What the command line does, as functions of arrays: each opens the device that it needs, and closes it. */
export { type EvaluateOptions, type Evaluation, evaluate, type PlacedTracks } from "./evaluate.js";
export { type DetectedPoints, type DetectOptions, detect, type FlowSettings, flow, type ImageInput } from "./images.js";
export type { Numbers } from "./numbers.js";
export type { DeviceOptions, SolveOptions, TrackOptions } from "./options.js";
export type { DetectionArrays } from "./recording.js";
export { type CostArrays, solve, type Tracked, track } from "./solve.js";
