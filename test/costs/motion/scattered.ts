import type { Detections } from "../../../src/core/detections.js";
import { randomStreams } from "../../../src/core/random.js";

/** So many detections in each frame, anywhere in a square of side 10, without velocities. */
export function scattered(frames: number, each: number, seed: number): Detections {
  const random = randomStreams(seed).next().value;
  const place = () => Float64Array.from({ length: frames * each }, () => random.uniform(0, 10));
  return {
    frames,
    frameStart: Uint32Array.from({ length: frames + 1 }, (_, p) => p * each),
    timeStep: 1,
    x: place(),
    y: place(),
    vx: null,
    vy: null,
    target: null,
  };
}
