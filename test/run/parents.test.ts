import { expect, test } from "vitest";
import { parentsOf } from "../../src/run/parents.js";

const frameStart = Uint32Array.of(0, 2, 5, 8);
const division = { mother: 0, daughters: [2, 3] as const, cost: 1, probability: 0.9 };

test("a mother's track ends with her, and both daughters' begin in the next frame; other tracks have no mother", () => {
  expect([...parentsOf([division], Int32Array.of(0, 1, 2, 3, 1, 2, 3, 1), frameStart)]).toEqual([
    [2, 0],
    [3, 0],
  ]);
});

test.each([
  ["goes on", [0, 1, 2, 3, 1, 0, 3, 1]],
  ["goes on as one daughter", [0, 1, 0, 3, 1, 0, 3, 1]],
  ["has a daughter whose track began before", [0, 2, 2, 3, 1, 2, 3, 1]],
])("there is no division where the mother %s", (_, track) => {
  expect(parentsOf([division], Int32Array.from(track), frameStart).size).toBe(0);
});

test("there is none over a missed frame", () => {
  const late = { ...division, daughters: [5, 6] as const };
  expect(parentsOf([late], Int32Array.of(0, 1, 1, 4, 5, 2, 3, 1), frameStart).size).toBe(0);
});
