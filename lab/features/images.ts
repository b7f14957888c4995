/** Images of any size to measure on, and how far two answers agree. */
import type { Keypoints } from "../../dist/core/keypoints.js";
import { bilinear, type Plane } from "../../dist/pixels/image.js";

/** What keypoints that are the same may differ by: pixels, a share of σ, and radians. */
export interface Tolerance {
  readonly pixels: number;
  readonly sigma: number;
  readonly angle: number;
}
/** Of two devices that compute the same. */
export const SAME: Tolerance = { pixels: 0.01, sigma: 1e-3, angle: 0.01 };

/** Share of a's keypoints that b has. */
export function sharedKeypoints(a: Keypoints, b: Keypoints, tolerance = SAME): number {
  if (a.x.length === 0) return b.x.length === 0 ? 1 : 0;
  const cells = new Map<string, number[]>();
  const key = (x: number, y: number) => `${Math.round(x)},${Math.round(y)}`;
  for (const [k, x] of b.x.entries()) {
    const cell = key(x, b.y[k]);
    cells.set(cell, [...(cells.get(cell) ?? []), k]);
  }
  const isSame = (k: number, l: number) =>
    Math.hypot(a.x[k] - b.x[l], a.y[k] - b.y[l]) <= tolerance.pixels &&
    Math.abs(a.sigma[k] / b.sigma[l] - 1) < tolerance.sigma &&
    Math.abs(Math.sin((a.angle[k] - b.angle[l]) / 2)) < tolerance.angle / 2;
  let same = 0;
  for (const [k, x] of a.x.entries()) {
    // Tolerances are at most half a pixel.
    const around = [-0.5, 0, 0.5];
    const near = around.flatMap((dx) => around.flatMap((dy) => cells.get(key(x + dx, a.y[k] + dy)) ?? []));
    if (near.some((l) => isSame(k, l))) same++;
  }
  return same / a.x.length;
}

export interface Places {
  readonly x: Float32Array;
  readonly y: Float32Array;
}

/** Share of places, rounded to pixels, that both have. */
export function sharedPlaces(a: Places, b: Places): number {
  const placesOf = ({ x, y }: Places) => new Set(Array.from(x, (px, k) => `${Math.round(px)},${Math.round(y[k])}`));
  const [one, other] = [placesOf(a), placesOf(b)];
  if (one.size === 0 && other.size === 0) return 1;
  return [...one].filter((place) => other.has(place)).length / Math.max(one.size, other.size);
}

/** In another size, rounded to integers, as an image file would hold it; four samples a pixel, enough for a reduction to a half. */
export function resized(image: Plane, width: number, height: number): Plane {
  if (image.width === width && image.height === height) return image;
  const pixels = new Float32Array(width * height);
  const [sx, sy] = [image.width / width, image.height / height];
  const within = [0.25, 0.75];
  for (let y = 0, p = 0; y < height; y++) {
    for (let x = 0; x < width; x++, p++) {
      let sum = 0;
      for (const oy of within) {
        for (const ox of within) sum += bilinear(image, (x + ox) * sx - 0.5, (y + oy) * sy - 0.5);
      }
      pixels[p] = Math.round(sum / 4);
    }
  }
  return { width, height, pixels: Uint8Array.from(pixels) };
}

/** Moved by (dx, dy) pixels, bilinearly, and rounded to integers where the image has 8 bits; the border is repeated. */
export function shifted(image: Plane, dx: number, dy: number): Plane {
  const { width, height } = image;
  const pixels = new Float32Array(width * height);
  for (let y = 0, p = 0; y < height; y++) {
    for (let x = 0; x < width; x++, p++) pixels[p] = bilinear(image, x - dx, y - dy);
  }
  return { width, height, pixels: image.pixels instanceof Uint8Array ? Uint8Array.from(pixels, Math.round) : pixels };
}

/** 6,000 Gaussian blobs at places that look random and are the same everywhere, for where no image is given. */
export function drawnBlobs(width: number, height: number): Plane {
  const pixels = new Float32Array(width * height).fill(128);
  const unit = (k: number, step: number) => (k * step) % 1;
  for (let k = 1; k <= 6000; k++) {
    const [bx, by] = [unit(k, 0.7548776662466927) * width, unit(k, 0.5698402909980532) * height];
    const sigma = 1.2 * 8 ** unit(k, 0.6180339887498949);
    const peak = (k % 2 === 0 ? 1 : -1) * (15 + 40 * unit(k, 0.41421356237));
    const reach = Math.ceil(4 * sigma);
    for (let y = Math.max(0, Math.floor(by) - reach); y <= Math.min(height - 1, by + reach); y++) {
      for (let x = Math.max(0, Math.floor(bx) - reach); x <= Math.min(width - 1, bx + reach); x++) {
        pixels[y * width + x] += peak * Math.exp(-((x - bx) ** 2 + (y - by) ** 2) / (2 * sigma ** 2));
      }
    }
  }
  const greys = pixels.map((value) => Math.min(Math.max(Math.round(value), 0), 255));
  return { width, height, pixels: Uint8Array.from(greys) };
}
