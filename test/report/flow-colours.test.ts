import { expect, it } from "vitest";
import { flowColours } from "../../src/report/flow-colours.js";

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
