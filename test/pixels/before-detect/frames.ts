import { randomStreams } from "../../../src/core/random.js";
import type { GreyImage } from "../../../src/pixels/image.js";

/** Frames of white noise, σ = 1. */
export function noiseFrames(width: number, height: number, count: number, seed = 1): GreyImage[] {
  const normals = randomStreams(seed).next().value.normals();
  return Array.from({ length: count }, () => {
    const values = new Float64Array(width * height);
    normals.fill(values);
    return { width, height, pixels: Float32Array.from(values) };
  });
}
