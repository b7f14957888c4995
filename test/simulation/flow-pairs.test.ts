import { expect, it } from "vitest";
import { makeFlowPair } from "../../src/simulation/flow-pairs.js";

it.each([
  ["shift", 103, 144],
  ["turn", 89, 143],
  ["swirl", 100, 143],
  ["layers", 83, 141],
] as const)("%s is the pair that others make from the same seeds", (flowCase, ofSeed1, ofSeed2) => {
  const pixel = (seed: number) => makeFlowPair(flowCase, seed).first[100 * 320 + 100];
  expect([pixel(1), pixel(2)]).toEqual([ofSeed1, ofSeed2]);
});

it("an integer shift would move pixels exactly: what hides and moves in layers does", () => {
  const { first, second, truth, width } = makeFlowPair("layers", 5);
  const inside = 120 * width + 160;
  expect([truth.u[inside], truth.v[inside]]).toEqual([4, -2]);
  expect(second[118 * width + 164]).toBe(first[inside]);
  expect([truth.u[0], truth.v[0]]).toEqual([-1.5, 1]);
});
