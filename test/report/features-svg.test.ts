import { expect, test } from "vitest";
import { keypointsSvg, matchesSvg, motionSvg } from "../../src/report/features-svg.js";
import { isDrawn } from "../../src/report/figure.js";
import { featuresFigure } from "../../src/report/figures/features.js";
import { featuresThesisFigure } from "../../src/report/figures/features-thesis.js";
import { featuresRow } from "../../src/rows/kinds/features.js";
import { featuresThesisRow } from "../../src/rows/kinds/features-thesis.js";

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
  const [x, y, u, v] = (/d="M(\d+) (\d+)L(\d+) (\d+)" stroke="#4e79a7"/.exec(svg) ?? []).slice(1).map(Number);
  const near = (value: number, wanted: number) => expect(Math.abs(value - wanted)).toBeLessThan(2);
  near(x, left + 10.5 * pixel);
  near(y, top + 20.5 * pixel);
  near(u, secondLeft + 40.5 * pixel);
  near(v, top + 25.5 * pixel);
  expect(svg).toContain("agrees with the homography (1)");
  expect(svg).toContain("match that does not (1)");
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

test("the figure has the last row of each method and size, and no time for what does not agree", () => {
  const row = (what: string, median: number | null, date: string) =>
    featuresRow.parse({
      ...{ benchmark: "features", what, size: "640x480", agreement: 1, device: { actual: "GPU" }, date },
      milliseconds: median === null ? null : { median, min: median, max: median },
    });
  const days = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"];
  const figure = featuresFigure([row("sift", 2, days[1]), row("sift", 3, days[0]), row("klt", null, days[0])]);
  if (!isDrawn(figure)) throw new Error(figure.needs);
  expect(figure.tables[0].rows.map(([what, , milliseconds]) => [what, milliseconds])).toEqual([
    ["klt", "–"],
    ["sift", "2.00"],
  ]);
  expect(figure.text[0]).toContain("1 did not agree");
  expect(isDrawn(featuresFigure([]))).toBe(false);
});

test("the thesis's times stand beside ours, in the chart and in the table", () => {
  const none = {
    cpuMilliseconds: null,
    bytesBack: null,
    error: null,
    gigabytesPerSecond: null,
    wallMilliseconds: null,
  };
  const row = (what: string, size: string, deviceMilliseconds: number) =>
    featuresThesisRow.parse({
      ...{ benchmark: "features-thesis", figure: "table 5.1", what, size, deviceMilliseconds, ...none },
      ...{ found: 5, agreement: 1, device: { actual: "GPU" } },
    });
  const what = "openvidia, extraction with 128 numbers";
  const figure = featuresThesisFigure([row(what, "640x480", 0.125), row(what, "1920x1080", 0.25)]);
  if (!isDrawn(figure)) throw new Error(figure.needs);
  expect(figure.tables[0].rows.map((cells) => cells.at(-1))).toEqual(["20.0, GeForce 7900 GT, 2007", "–"]);
  // An older row that says how many features there were is replaced by one that does not.
  const klt = (name: string, date: string) => ({ ...row(name, "640x480", 1), figure: "5.5", date });
  const names = ["klt there and back, 100 asked for, 97 there", "klt there and back, 100 asked for"];
  const both = featuresThesisFigure([klt(names[1], "2026-01-02T00:00:00Z"), klt(names[0], "2026-01-01T00:00:00Z")]);
  expect("tables" in both && both.tables[0].rows.map(([, name]) => name)).toEqual([names[1]]);
  const { data } = figure.charts[0].chart as { data: { values: { what: string; milliseconds: number }[] } };
  expect(data.values.map(({ milliseconds }) => milliseconds)).toEqual([0.125, 20, 0.25]);
  expect(isDrawn(featuresThesisFigure([]))).toBe(false);
});
