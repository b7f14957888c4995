import { describe, expect, test } from "vitest";
import {
  cornerResponse,
  detectCorners,
  HARRIS_DEFAULTS,
  KLT_SELECTION_DEFAULTS,
} from "../../../src/pixels/features/corners.js";
import { drawn, testImage } from "./images.js";
import { OPENCV_CORNERS, OPENCV_HARRIS, OPENCV_HARRIS_LARGEST, SUM_OF_GREY_LEVELS } from "./opencv.js";

test("the test image is OpenCV's", () => {
  expect(testImage().pixels.reduce((sum, value) => sum + value, 0)).toBe(SUM_OF_GREY_LEVELS);
});

describe("as OpenCV", () => {
  test("Harris's response, at the border too", () => {
    const response = cornerResponse(testImage(), { ...HARRIS_DEFAULTS, window: "box3" });
    for (const [row, column, expected] of OPENCV_HARRIS) {
      expect(Math.abs(response[row * 48 + column] - expected)).toBeLessThan(1e-5 * OPENCV_HARRIS_LARGEST);
    }
  });

  test("the corners KLT selects, in their order", async () => {
    const options = { ...KLT_SELECTION_DEFAULTS, most: 20, quality: 0.05, distance: 5 };
    const { corners } = await detectCorners(testImage(), options, { device: null });
    expect(Array.from(corners.x, (x, k) => [x, corners.y[k]])).toEqual(OPENCV_CORNERS);
  });
});

test("corners keep their distance, and the strongest come first", async () => {
  const options = { ...KLT_SELECTION_DEFAULTS, quality: 0.001, distance: 6 };
  const { corners } = await detectCorners(testImage(), options, { device: null });
  const { x, y, response } = corners;
  expect(x.length).toBeGreaterThan(10);
  for (let k = 0; k < x.length; k++) {
    if (k > 0) expect(response[k]).toBeLessThanOrEqual(response[k - 1]);
    for (let l = 0; l < k; l++) expect((x[k] - x[l]) ** 2 + (y[k] - y[l]) ** 2).toBeGreaterThanOrEqual(36);
  }
});

test("a corner between pixels is found between them", async () => {
  // A bright square whose corner is at (20.25, 20.25): blurred, so that the edge's place is in the grey levels.
  const edge = (t: number) => 1 / (1 + Math.exp(-(t - 20.25) / 0.6));
  const image = drawn(40, 40, (x, y) => 20 + 200 * edge(x) * edge(y));
  const { corners } = await detectCorners(image, { ...HARRIS_DEFAULTS, quality: 0.5 }, { device: null });
  expect(corners.x.length).toBe(1);
  const shifted = drawn(40, 40, (x, y) => 20 + 200 * edge(x - 0.3) * edge(y));
  const moved = (await detectCorners(shifted, { ...HARRIS_DEFAULTS, quality: 0.5 }, { device: null })).corners;
  // A parabola through three samples of a peak that is none is wrong by a tenth of a pixel; whole pixels would be by three.
  expect(Math.abs(moved.x[0] - corners.x[0] - 0.3)).toBeLessThan(0.15);
});

test("an even image has no corners", async () => {
  const even = drawn(20, 10, () => 77);
  for (const options of [HARRIS_DEFAULTS, KLT_SELECTION_DEFAULTS]) {
    expect((await detectCorners(even, options, { device: null })).corners.x.length).toBe(0);
  }
});
