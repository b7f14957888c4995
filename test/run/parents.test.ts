import { describe, expect, test } from "vitest";
import type { MotionFit } from "../../src/costs/motion/fit.js";
import type { Stretch } from "../../src/costs/motion/stretch.js";
import { divisionsOf } from "../../src/run/motion-passes.js";
import { notesOfDivisions, parentsOf } from "../../src/run/parents.js";

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

describe("divisions that were seen in a part of the recording", () => {
  const fitted = (priced: boolean) => ({ divisions: { all: [division], law: null, priced } }) as unknown as MotionFit;
  const part = { first: 100, firstFrame: 30, detections: { frames: 12 } } as unknown as Stretch;
  const numbers = { first: 5, step: 10 };

  test("are at that part's detections, and a note says which frames these are", () => {
    const found = divisionsOf({ fit: fitted(true), seenIn: part });
    expect(found.all).toEqual([{ ...division, mother: 100, daughters: [102, 103] }]);
    expect(notesOfDivisions(found, numbers)).toEqual([
      "Divisions are priced, and mothers named, in frames 305 to 415 alone, from which the costs were learned, as no pass over all frames followed: leave --passes out, or give more time.",
    ]);
  });

  test("of all of it need no note; those that are not priced have no mothers, and a note", () => {
    const whole = divisionsOf({ fit: fitted(true), seenIn: null });
    expect(whole.all).toEqual([division]);
    expect(notesOfDivisions(whole, numbers)).toEqual([]);
    const seen = divisionsOf({ fit: fitted(false), seenIn: part });
    expect(seen.all).toEqual([]);
    expect(notesOfDivisions(seen, numbers)).toEqual([
      "1 target seems to divide, which the next pass would price, so that mothers were named: leave --passes out, or give more time.",
    ]);
  });
});
