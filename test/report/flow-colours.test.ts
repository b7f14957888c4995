import { expect, it } from "vitest";
import { flowColours, flowWheel } from "../../src/report/flow-colours.js";
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
