/**
 * The core without Node, for browsers and workers: one file, dist/browser/rmap.js, which the build makes of the modules that the command line runs. Files have
 * names and are held in memory; there is one thread, and a GPU where the browser's binds enough arrays.
 *
 * @module rmap/browser
 */
export { InputError } from "../core/errors.js";
export { readInput } from "../formats/input.js";
export type { TrackMargins } from "../formats/tracks.js";
export { makeInstance } from "../run/costs.js";
export { openBackend } from "../run/device.js";
export { type CostArrays, solve, type Tracked, track } from "../run/library/solve.js";
export { solveInput } from "../run/solve-input.js";

/** Puts a file where `solve` and `readInput` find it by its path; null takes it away. */
export declare function placeFile(path: string, content: Uint8Array | string | null): void;
