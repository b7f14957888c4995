/** Detections, errors and noise: what every part of rmap shares. */
export type { Detections } from "./detections.js";
export { InputError, InvariantError } from "./errors.js";
export type { Frame } from "./frame.js";
export type { Noise } from "./noise.js";
