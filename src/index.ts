/**
 * The library. Data flows one way: images → detections → priced problem → graph → solution → result. Each part is also an entry of its
 * own: rmap/lap, rmap/map, rmap/costs, …
 */
export * from "./core/index.js";
export * from "./costs/index.js";
export { readFrame, readFrames } from "./files/images/frames.js";
export * from "./formats/index.js";
export * from "./lap/index.js";
export * from "./map/index.js";
export * from "./pixels/index.js";
export * from "./report/index.js";
export { type ResultRow, readRows } from "./rows/results.js";
export * from "./run/index.js";
export * from "./scores/index.js";
export * from "./simulation/index.js";
