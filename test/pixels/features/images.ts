/** Images with known content. */
import type { GreyImage } from "../../../src/pixels/image.js";

export function drawn(width: number, height: number, grey: (x: number, y: number) => number): GreyImage {
  const pixels = new Float32Array(width * height);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) pixels[y * width + x] = grey(x, y);
  return { width, height, pixels };
}

/** Waves, a bright and a dark rectangle: integers of 0 … 255. */
export function testImage(): GreyImage {
  return drawn(48, 40, (x, y) => {
    if (x >= 10 && x < 22 && y >= 8 && y < 20) return 230;
    if (x >= 26 && x < 42 && y >= 24 && y < 34) return 20;
    const waves = 60 * Math.sin(x / 3.1 + (0.7 * y) / 2.3) + 50 * Math.cos(y / 4.7 - x / 9.1);
    return Math.floor(128 + waves + ((x * 7 + y * 13) % 5) * 2 + 0.5);
  });
}

export interface Blob {
  readonly x: number;
  readonly y: number;
  readonly sigma: number;
  readonly height: number;
}

/** 128 plus Gaussian blobs, moved by (dx, dy): exact, no resampling. */
export function blobImage(width: number, height: number, blobs: readonly Blob[], dx = 0, dy = 0): GreyImage {
  return drawn(width, height, (x, y) =>
    blobs.reduce(
      (sum, b) => sum + b.height * Math.exp(-((x - dx - b.x) ** 2 + (y - dy - b.y) ** 2) / (2 * b.sigma ** 2)),
      128,
    ),
  );
}

/** Blobs at places that look random and are the same everywhere. */
export function scatteredBlobs(n: number, width: number, height: number, least: number, most: number): Blob[] {
  const unit = (k: number, step: number) => (k * step) % 1;
  return Array.from({ length: n }, (_, k) => ({
    x: unit(k + 1, 0.7548776662466927) * width,
    y: unit(k + 1, 0.5698402909980532) * height,
    sigma: least * (most / least) ** unit(k, 0.6180339887498949),
    height: (k % 2 === 0 ? 1 : -1) * (20 + 50 * unit(k, 0.41421356237)),
  }));
}
