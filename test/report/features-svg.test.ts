import { expect, test } from "vitest";
import { keypointsSvg, matchesSvg, motionSvg } from "../../src/report/features-svg.js";

const image = { width: 101, height: 51, url: "data:image/png;base64,AA==" };
const numbers = (...values: number[]) => Float32Array.from(values);
const placeOf = (svg: string) =>
  [...svg.matchAll(/<image x="(-?\d+)" y="(-?\d+)" width="(\d+)" height="(\d+)"/g)].map((match) =>
    match.slice(1).map(Number),
  );

test("a keypoint's circle has 3σ around its pixel and a line into its direction, y down; two directions share the circle", () => {
  const [x, y] = [numbers(20, 20), numbers(30, 30)];
  const svg = keypointsSvg({ title: "one", image, x, y, sigma: numbers(4, 4), angle: numbers(0, Math.PI / 2) });
  const [[left, top, width]] = placeOf(svg);
  const pixel = width / 101;
  const circles = new Set([...svg.matchAll(/M(\d+) (\d+)a(\d+) /g)].map(([all]) => all));
  expect(circles.size).toBe(1);
  const [, cx, cy, radius] = (/M(\d+) (\d+)a(\d+) /.exec(svg) ?? []).map(Number);
  expect(Math.abs(radius - 12 * pixel)).toBeLessThan(2);
  expect(Math.abs(cx + radius - (left + 20.5 * pixel))).toBeLessThan(2);
  expect(Math.abs(cy - (top + 30.5 * pixel))).toBeLessThan(2);
  expect(svg).toContain(`l${radius} 0`);
  expect(svg).toContain(`l0 ${radius}`);
});

test("a match leads from its pixel in the first image to that in the second; wrong ones are counted apart", () => {
  const svg = matchesSvg({
    title: "two",
    images: [image, { ...image, width: 81 }],
    ...{ x: numbers(10, 5), y: numbers(20, 5), u: numbers(40, 7), v: numbers(25, 7) },
    inlier: Uint8Array.of(1, 0),
  });
  const [[left, top, width], [secondLeft, secondTop, secondWidth]] = placeOf(svg);
  const pixel = width / 101;
  expect(secondWidth / 81).toBeCloseTo(pixel, -1);
  expect(secondLeft).toBeGreaterThan(left + width);
  expect(secondTop).toBe(top);
  const [x, y, u, v] = (/d="M(\d+) (\d+)L(\d+) (\d+)" stroke="#2f9bff"/.exec(svg) ?? []).slice(1).map(Number);
  const near = (value: number, wanted: number) => expect(Math.abs(value - wanted)).toBeLessThan(2);
  near(x, left + 10.5 * pixel);
  near(y, top + 20.5 * pixel);
  near(u, secondLeft + 40.5 * pixel);
  near(v, top + 25.5 * pixel);
  expect(svg).toContain("agrees with the homography (1)");
  expect(svg).toContain("match that does not (1)");
});

test("a target has a line from where it came; none where its velocity is not known, or too small to leave its ring", () => {
  const way = { x: numbers(-20, Number.NaN, 0.1), y: numbers(10, Number.NaN, 0), images: 5 };
  const svg = keypointsSvg({ title: "targets", image, x: numbers(50, 20, 80), y: numbers(30, 10, 40), way });
  const [[left, top, width]] = placeOf(svg);
  const pixel = width / 101;
  const lines = [...svg.matchAll(/M(\d+) (\d+)L(\d+) (\d+)/g)].map((match) => match.slice(1).map(Number));
  // Once below in black, once in colour.
  expect(lines.length).toBe(2);
  const ends = [50.5, 30.5, 30.5, 40.5].map((at, n) => (n % 2 === 0 ? left : top) + at * pixel);
  lines[0].forEach((value, n) => {
    expect(Math.abs(value - ends[n])).toBeLessThan(2);
  });
  expect(svg).toContain("target (3), and its way over the last 5 images");
});

test("motion is drawn from the first place to the second; corners are rings", () => {
  const points = { x: numbers(10), y: numbers(20), u: numbers(14), v: numbers(17) };
  const moved = motionSvg({ title: "moved", image, ...points });
  const [[, , width]] = placeOf(moved);
  const [x, y, u, v] = (/d="M(\d+) (\d+)L(\d+) (\d+)"/.exec(moved) ?? []).slice(1).map(Number);
  expect(Math.abs(u - x - (4 * width) / 101)).toBeLessThan(2);
  expect(Math.abs(v - y + (3 * width) / 101)).toBeLessThan(2);
  expect(keypointsSvg({ title: "corner", image, x: numbers(1), y: numbers(2) })).toContain("corner (1)");
});
