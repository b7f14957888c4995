import { expect, test } from "vitest";
import { tracksSvg } from "../../src/report/tracks-svg.js";

const track = Int32Array.of(0, 0);
const picture = {
  title: "two",
  frameStart: Uint32Array.of(0, 1, 2),
  x: Float64Array.of(0, 10),
  y: Float64Array.of(0, 5),
  track,
  target: null,
};

test("over an image, a detection lies on its pixel, and y points down", () => {
  const svg = tracksSvg({ ...picture, image: { width: 11, height: 6, url: "data:image/png;base64,AA==" } });
  const [, left, top, width, height] = (/<image x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"/.exec(svg) ?? []).map(
    Number,
  );
  const [, x, y, dx, dy] = (/d="M(\d+) (\d+)l(-?\d+)[ ]?(-?\d+)"/.exec(svg) ?? []).map(Number);
  const pixel = width / 11;
  expect(height / 6).toBeCloseTo(pixel, -1);
  // Centres of pixels (0, 0) and (10, 5), to the rounding of the marks.
  expect(Math.abs(x - (left + pixel / 2))).toBeLessThan(2);
  expect(Math.abs(y - (top + pixel / 2))).toBeLessThan(2);
  expect(Math.abs(dx - 10 * pixel)).toBeLessThan(2);
  expect(Math.abs(dy - 5 * pixel)).toBeLessThan(2);
});

test("detections beside the image are in the plot, and the image is where its pixels are", () => {
  const svg = tracksSvg({ ...picture, image: { width: 4, height: 4, url: "data:image/png;base64,AA==" } });
  const [, left, , width] = (/<image x="(\d+)" y="(\d+)" width="(\d+)"/.exec(svg) ?? []).map(Number);
  const [, x, y, dx, dy] = (/d="M(\d+) (\d+)l(-?\d+)[ ]?(-?\d+)"/.exec(svg) ?? []).map(Number);
  const plot = /<rect width="(\d+)" height="([\d.]+)" fill="none" stroke="#c4c4c4"/.exec(svg) ?? [];
  expect(x + dx).toBeLessThan(10 * Number(plot[1]));
  expect(y + dy).toBeLessThan(10 * Number(plot[2]));
  expect(Math.abs(dx - (10 * width) / 4)).toBeLessThan(3);
  expect(Math.abs(x - (left + width / 8))).toBeLessThan(2);
});

test("without an image y points up and there is none", () => {
  const svg = tracksSvg(picture);
  expect(svg).not.toContain("<image");
  const [, , dy] = (/d="M\d+ \d+l(-?\d+)[ ]?(-?\d+)"/.exec(svg) ?? []).map(Number);
  expect(dy).toBeLessThan(0);
});
