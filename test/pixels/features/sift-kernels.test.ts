import { expect, test } from "vitest";
import { describe as describePlace } from "../../../src/pixels/features/sift/descriptor.js";
import { EXTREMA_CONSTANTS, findPlaces } from "../../../src/pixels/features/sift/extrema.js";
import { orientations } from "../../../src/pixels/features/sift/orientation.js";
import { convolveSeparable, gaussianWeights } from "../../../src/pixels/gaussian.js";
import { drawn } from "./images.js";
import * as plain from "./plain-sift.js";

const noise = (width: number, height: number, seed = 1) => {
  let state = seed;
  return drawn(width, height, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (255 * state) / 2 ** 32;
  });
};

test("a convolution is that of the plain code to the bit, whatever the size and the border", () => {
  for (const border of ["replicate", "reflect-101", "zero"] as const) {
    for (const [width, height] of [
      [1, 1],
      [1, 9],
      [9, 1],
      [3, 2],
      [7, 8],
      [8, 16],
      [21, 13],
      [64, 5],
    ]) {
      for (const sigma of [0.3, 1, 4]) {
        const image = noise(width, height);
        const taps = gaussianWeights(sigma);
        expect(convolveSeparable(image, taps, border).pixels).toEqual(plain.convolved(image, taps, border));
      }
    }
  }
});

test("directions and descriptors are those of the plain code to the bit, in the middle and at the border", () => {
  // Vertical and horizontal edges have gradients of which one component is 0; steps of 10⁻³⁰ beside 200 have directions that differ from a right angle by nothing.
  const images = [
    noise(60, 50),
    drawn(60, 50, (x, y) => (x > 20 ? 200 : 20) + (y > 30 ? 30 : 0)),
    drawn(60, 50, (x, y) => (y > 25 ? 200 : 0) + 1e-30 * ((x * x + y) % 7)),
  ];
  for (const [n, image] of images.entries()) {
    for (let k = 0; k < 60; k++) {
      const [x, y, sigma] = [(k * 37.37 + n) % 59, (k * 23.91) % 49, 0.4 + ((k * 0.37) % 3)];
      const angle = (k * 0.731) % (2 * Math.PI);
      const place = { octave: 0, gaussian: 1, column: 0, row: 0, x, y, sigma, response: 1 };
      expect(orientations(image, place, 4)).toEqual(plain.orientations(image, x, y, sigma));
      const found = new Uint8Array(128);
      describePlace(image, x, y, sigma, angle, found);
      expect([...found]).toEqual(plain.described(image, x, y, sigma, angle));
    }
  }
});

test("all extrema are found, and of equal neighbours the first", () => {
  // Of few values, so that many neighbours are equal.
  const [width, height] = [41, 30];
  const gaussians = [1, 2, 3, 4, 5, 6].map((seed) => {
    const image = noise(width, height, seed);
    return { ...image, pixels: image.pixels.map((grey) => Math.floor(grey / 32)) };
  });
  const differences = gaussians.slice(1).map(({ pixels }, s) => pixels.map((grey, p) => grey - gaussians[s].pixels[p]));
  let extrema = 0;
  for (let s = 1; s <= 3; s++) {
    for (let p = 0; p < width * height; p++) {
      const [x, y] = [p % width, Math.floor(p / width)];
      if (x === 0 || y === 0 || x === width - 1 || y === height - 1) continue;
      const value = differences[s][p];
      const sign = value > 0 ? 1 : -1;
      const offsets = [-1, 0, 1].flatMap((r) => [-1, 0, 1].map((c) => r * width + c));
      const around = [-1, 0, 1].flatMap((layer) => offsets.map((offset) => ({ layer, offset })));
      const refused = around.some(({ layer, offset }, k) => {
        const tie = k < 13 ? -EXTREMA_CONSTANTS.TIE : EXTREMA_CONSTANTS.TIE;
        return k !== 13 && sign * differences[s + layer][p + offset] >= Math.abs(value) + tie;
      });
      if (!refused) extrema++;
    }
  }
  const counts = { extrema: 0, softThreshold: 0, interpolated: 0, threshold: 0, edge: 0, keypoints: 0 };
  findPlaces({ gaussians, spacing: 1 }, 0, { peak: 1, edge: 10, subpixel: true, countAll: true }, counts);
  expect(extrema).toBeGreaterThan(10);
  expect(counts.extrema).toBe(extrema);
});
