import { expect, it } from "vitest";
import { flowColours, flowWheel } from "../../src/report/flow-colours.js";
import { flowRaster } from "../../src/report/flow-raster.js";
import { flowSvg } from "../../src/report/flow-svg.js";

const colourOf = (u: number, v: number, most?: number) => [
  ...flowColours({ width: 1, height: 1, u: Float32Array.of(u), v: Float32Array.of(v) }, most),
];

it("has Middlebury's colours: red to the right, white at rest, black where unknown, darker beyond the most", () => {
  expect(colourOf(1, 0)).toEqual([255, 0, 0]);
  expect(colourOf(0, 0)).toEqual([255, 255, 255]);
  expect(colourOf(1e10, 0, 1)).toEqual([0, 0, 0]);
  expect(colourOf(2, 0, 1)).toEqual([191, 0, 0]);
  expect(colourOf(0.5, 0, 1)).toEqual([255, 127, 127]);
  const [red, green, blue] = colourOf(-1, 0);
  expect(blue > 200 && green > 200 && red < 40).toBe(true);
});

it("is drawn with a wheel of the same colours and its scale", () => {
  const { size, rgb } = flowWheel();
  const at = (x: number, y: number) => [...rgb.slice(3 * (y * size + x), 3 * (y * size + x) + 3)];
  const middle = (size - 1) / 2;
  expect(at(size - 1, middle)).toEqual(colourOf(1, 0, 1));
  expect(at(middle, size - 1)).toEqual(colourOf(0, 1, 1));
  expect(at(middle, middle)).toEqual([255, 255, 255]);
  expect(at(0, 0)).toEqual([255, 255, 255]);
  const picture = (width: number) => ({ width, height: width, url: "data:image/png;base64,AA==" });
  const svg = flowSvg({ title: "swirl", colours: picture(320), wheel: picture(size), longest: 5.8 });
  expect(svg.match(/<image /g)).toHaveLength(2);
  expect(svg).toContain("rim: 5.80 px");
});

it("has wheel and scale below its pixels as an image, which stay where they are", () => {
  const [width, height] = [300, 3];
  const u = new Float32Array(width * height).fill(0.25).fill(4, 5, 6);
  const flow = { width, height, u, v: new Float32Array(width * height) };
  const picture = flowRaster(flow);
  const pixel = (x: number, y: number) => [...picture.rgb.subarray(3 * (y * picture.width + x)).subarray(0, 3)];
  expect([picture.width, picture.height]).toEqual([300, 3 + 61 + 16]);
  expect([...picture.rgb.subarray(0, 3 * width * height)]).toEqual([...flowColours(flow)]);
  expect([pixel(8 + 60, 3 + 8 + 30), pixel(8, 3 + 8 + 30)]).toEqual([colourOf(1, 0, 1), colourOf(-1, 0, 1)]);
  // The lines of "rim: 4.00 px" as letters, at two pixels each.
  const [left, top] = [77, 3 + 8 + 6];
  const line = (y: number) =>
    Array.from({ length: 72 }, (_, x) => (pixel(left + 2 * x, top + 2 * y)[0] === 0 ? "#" : ".")).join("");
  expect(Array.from({ length: 7 }, (_, y) => line(y))).toEqual([
    "........#........................#.........###...###....................",
    "...................##...........##........#...#.#...#...................",
    "#.##...##...##.#...##..........#.#........#..##.#..##.......####..#...#.",
    "##..#...#...#.#.#.............#..#........#.#.#.#.#.#.......#...#..#.#..",
    "#.......#...#.#.#..##.........#####.......##..#.##..#.......####....#...",
    "#.......#...#...#..##............#...##...#...#.#...#.......#......#.#..",
    "#......###..#...#................#...##....###...###........#.....#...#.",
  ]);
});

it("is widened where the flow is narrower than its legend", () => {
  const flow = { width: 1, height: 1, u: Float32Array.of(2e10), v: Float32Array.of(0) };
  const { width, height, rgb } = flowRaster(flow);
  expect([width, height, rgb.length]).toEqual([77 + 16 * 12 + 8, 78, 3 * width * height]);
  expect([...rgb.subarray(0, 6)]).toEqual([0, 0, 0, 255, 255, 255]);
});
