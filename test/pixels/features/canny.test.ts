import { expect, test } from "vitest";
import { detectCanny, EDGE, hysteresis } from "../../../src/pixels/features/canny.js";
import { drawn, testImage } from "./images.js";
import { OPENCV_CANNY } from "./opencv.js";

test("edges are OpenCV's, bit by bit", async () => {
  const edges = await detectCanny(testImage(), 50, 100, { device: null });
  const rows = Array.from({ length: 40 }, (_, y) =>
    Array.from(edges.subarray(48 * y, 48 * y + 48), (edge) => (edge === 1 ? "#" : ".")).join(""),
  );
  expect(rows).toEqual(OPENCV_CANNY);
});

test("a long chain of candidates is kept from its one strong end, and one without is dropped", () => {
  const [width, height] = [64, 64];
  const edges = new Uint8Array(width * height);
  // A serpentine through every second row.
  for (let y = 0; y < height; y += 2) {
    for (let x = 1; x < width - 1; x++) edges[y * width + x] = EDGE.candidate;
    if (y + 2 < height) edges[(y + 1) * width + (y % 4 === 0 ? width - 1 : 0)] = EDGE.candidate;
  }
  const candidates = edges.reduce((sum, edge) => sum + (edge === EDGE.none ? 0 : 1), 0);
  expect(hysteresis(edges, width, height).every((kept) => kept === 0)).toBe(true);
  edges[1] = EDGE.strong;
  expect(hysteresis(edges, width, height).reduce((sum, kept) => sum + kept, 0)).toBe(candidates);
});

test("a higher threshold never adds an edge", async () => {
  const of = (low: number, high: number) => detectCanny(testImage(), low, high, { device: null });
  const [all, some] = [await of(30, 60), await of(30, 150)];
  expect(some.every((edge, p) => edge <= all[p])).toBe(true);
  expect(some).not.toEqual(all);
  expect(
    (
      await detectCanny(
        drawn(9, 9, () => 3),
        0,
        0,
        { device: null },
      )
    ).every((edge) => edge === 0),
  ).toBe(true);
});
