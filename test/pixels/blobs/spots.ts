import { randomStreams } from "../../../src/core/random.js";
import type { GreyImage } from "../../../src/pixels/image.js";

export interface TrueSpot {
  readonly x: number;
  readonly y: number;
  /** Of the Gaussian. */
  readonly sigma: number;
  readonly contrast: number;
}

/** White noise around 100, of one seed. */
export function noiseImage(side: number, sigma: number, seed: number): GreyImage {
  const [random] = randomStreams(seed);
  return {
    width: side,
    height: side,
    pixels: Float32Array.from({ length: side * side }, () => 100 + sigma * random.normal()),
  };
}

/** The same image with Gaussian spots on it. */
export function withSpots(image: GreyImage, spots: readonly TrueSpot[]): GreyImage {
  const { width, height } = image;
  const pixels = image.pixels.map((value, p) =>
    spots.reduce((sum, spot) => {
      const square = ((p % width) - spot.x) ** 2 + (Math.floor(p / width) - spot.y) ** 2;
      return sum + spot.contrast * Math.exp(-square / (2 * spot.sigma ** 2));
    }, value),
  );
  return { width, height, pixels };
}
