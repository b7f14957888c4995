/** The plain code whose numbers the kernels of src/pixels/simd/wasm have to the bit. */
import { angleOf, gradientAt, peaksOf } from "../../../src/pixels/features/sift/orientation.js";
import { type Border, borderIndex } from "../../../src/pixels/gaussian.js";
import type { GreyImage } from "../../../src/pixels/image.js";

export function convolved({ width, height, pixels }: GreyImage, taps: Float64Array, border: Border): Float32Array {
  const radius = (taps.length - 1) / 2;
  const out = pixels.slice();
  const along = (count: number, first: number, step: number) => {
    const line = Float64Array.from({ length: count + 1 }, (_, k) => (k < count ? out[first + k * step] : 0));
    for (let n = 0; n < count; n++) {
      let sum = taps[radius] * line[n];
      for (let k = 1; k <= radius; k++) {
        const [left, right] = [n - k, n + k].map((place) => line[borderIndex(place, count, border)]);
        sum += taps[radius + k] * (left + right);
      }
      out[first + n * step] = sum;
    }
  };
  for (let y = 0; y < height; y++) along(width, y * width, 1);
  for (let x = 0; x < width; x++) along(height, x, width);
  return out;
}

export function orientations(image: GreyImage, x: number, y: number, sigma: number): number[] {
  const spread = 1.5 * sigma;
  const radius = Math.max(Math.floor(3 * spread), 1);
  const [cx, cy] = [Math.floor(x + 0.5), Math.floor(y + 0.5)];
  const histogram = new Float64Array(36);
  const weight = (distance: number) => Math.exp(-(distance * distance) / (2 * spread * spread));
  for (let row = Math.max(cy - radius, 0); row <= Math.min(cy + radius, image.height - 1); row++) {
    for (let column = Math.max(cx - radius, 0); column <= Math.min(cx + radius, image.width - 1); column++) {
      const [dx, dy] = [column - x, row - y];
      if (dx * dx + dy * dy >= radius * radius + 0.6) continue;
      const [gx, gy] = gradientAt(image, column, row);
      const value = Math.sqrt(gx * gx + gy * gy) * weight(dx) * weight(dy);
      const bin = (angleOf(gx, gy) * 36) / (2 * Math.PI) - 0.5;
      const below = Math.floor(bin);
      histogram[(below + 36) % 36] += (1 - bin + below) * value;
      histogram[(below + 1) % 36] += (bin - below) * value;
    }
  }
  return peaksOf(histogram, 4);
}

/** With eight directions, linear. */
export function described(image: GreyImage, x: number, y: number, sigma: number, angle: number): number[] {
  const { width, height, pixels } = image;
  const cell = 3 * sigma;
  const radius = Math.floor((Math.SQRT2 * cell * 5) / 2 + 0.5);
  const [cx, cy] = [Math.floor(x + 0.5), Math.floor(y + 0.5)];
  const [cos, sin] = [Math.cos(angle) / cell, Math.sin(angle) / cell];
  const sums = new Float64Array(128);
  const weight = (distance: number) => Math.exp(-(distance * distance) / (2 * (2 * cell) * (2 * cell)));
  for (let row = Math.max(cy - radius, 1); row <= Math.min(cy + radius, height - 2); row++) {
    for (let column = Math.max(cx - radius, 1); column <= Math.min(cx + radius, width - 2); column++) {
      const [dx, dy] = [column - x, row - y];
      const [u, v] = [cos * dx + sin * dy, -sin * dx + cos * dy];
      if (Math.abs(u) >= 2.5 || Math.abs(v) >= 2.5) continue;
      const p = row * width + column;
      const gx = 0.5 * (pixels[p + 1] - pixels[p - 1]);
      const gy = 0.5 * (pixels[p + width] - pixels[p - width]);
      const value = Math.sqrt(gx * gx + gy * gy) * weight(dx) * weight(dy);
      let turn = (Math.atan2(gy, gx) - angle) * (8 / (2 * Math.PI));
      turn -= Math.floor(turn / 8) * 8;
      const [a, b, t] = [u + 2 - 0.5, v + 2 - 0.5, Math.floor(turn)];
      for (let j = Math.max(Math.floor(b), 0); j <= Math.min(Math.floor(b) + 1, 3); j++) {
        for (let i = Math.max(Math.floor(a), 0); i <= Math.min(Math.floor(a) + 1, 3); i++) {
          const ofCell = value * (1 - Math.abs(b - j)) * (1 - Math.abs(a - i));
          sums[8 * (4 * j + i) + (t % 8)] += ofCell * (1 - turn + t);
          sums[8 * (4 * j + i) + ((t + 1) % 8)] += ofCell * (turn - t);
        }
      }
    }
  }
  const length = (values: Float64Array) => Math.max(Math.sqrt(values.reduce((sum, one) => sum + one * one, 0)), 1e-12);
  const first = length(sums);
  const clipped = sums.map((sum) => Math.min(sum / first, 0.2));
  const second = length(clipped);
  return Array.from(clipped, (value) => Math.min(Math.floor((512 * value) / second), 255));
}
