import { describe, expect, test } from "vitest";
import { createCpuTbd } from "../../../src/pixels/before-detect/cpu.js";
import { BEFORE_DETECT_DEFAULTS, type RecursionOptions } from "../../../src/pixels/before-detect/options.js";
import { motionVectors, moved, nearestVectors, offsetsBack } from "../../../src/pixels/before-detect/vectors.js";
import type { GreyImage } from "../../../src/pixels/image.js";
import { directStates } from "./direct.js";
import { noiseFrames } from "./frames.js";

const defaults: RecursionOptions = { ...BEFORE_DETECT_DEFAULTS, vectors: motionVectors(2), alpha: 0.9 };

/** toEqual of long arrays takes seconds. */
function expectSameBits(a: Float32Array, b: Float32Array): void {
  expect(Buffer.from(a.buffer).equals(Buffer.from(b.buffer))).toBe(true);
}

/** The twin's state after every pass. */
async function passes(frames: readonly GreyImage[], options: RecursionOptions) {
  const steps = createCpuTbd();
  await steps.begin(frames[0], options);
  const states = new Map<number, Float32Array>();
  for (let k0 = 0; k0 < frames.length; k0 += options.decimation) {
    const some = frames.slice(k0, k0 + options.decimation);
    await steps.advance(some, k0);
    states.set(k0 + some.length, await steps.state());
  }
  return states;
}

describe("vectors", () => {
  test.each([
    [2, 1, 13],
    [2, 0.5, 49],
    [2, 0.3333, 113],
    [2, 0.25, 197],
    [0, 1, 1],
  ])("disc:%f:%f has %i vectors", (radius, spacing, count) => {
    expect(motionVectors(radius, spacing)).toHaveLength(count);
  });

  test("stand in rows of y, then x, ascending, and without −0", () => {
    const vectors = motionVectors(1);
    expect(vectors).toEqual([
      { x: 0, y: -1 },
      { x: -1, y: 0 },
      { x: 0, y: 0 },
      { x: 1, y: 0 },
      { x: 0, y: 1 },
    ]);
    expect(vectors.some(({ x, y }) => Object.is(x, -0) || Object.is(y, -0))).toBe(false);
  });

  test("a fractional vector moves along the rounded line, whatever the passes", () => {
    const vectors = [{ x: 0.5, y: -1.25 }];
    for (const k0 of [0, 7, 13]) {
      const offsets = offsetsBack(vectors, k0, 3);
      expect([...offsets.subarray(6)]).toEqual([0, 0]);
      expect(offsets[0]).toBe(moved(0.5, k0 + 3) - moved(0.5, k0));
      expect(offsets[1]).toBe(moved(-1.25, k0 + 3) - moved(-1.25, k0));
    }
  });

  test("the nearest are those at the least distance of any two", () => {
    const near = nearestVectors([...motionVectors(1), { x: 5, y: 5 }]);
    expect(near).toEqual([[2], [2], [0, 1, 3, 4], [2], [2], []]);
  });
});

describe("the recursion has the bits of the direct one", () => {
  const frames = noiseFrames(23, 17, 20);
  for (const spacing of [1, 0.5]) {
    const vectors = motionVectors(2, spacing);
    const direct = directStates(frames, { vectors, alpha: 0.9 });
    test.each([1, 2, 5, 8, 10, 20])(`decimation %i, vectors disc:2:${spacing}`, async (decimation) => {
      const states = await passes(frames, { ...defaults, vectors, decimation });
      for (const [k, state] of states) expectSameBits(state, direct[k - 1]);
      expect(states.size).toBe(Math.ceil(20 / decimation));
    });
  }

  test.each([
    ["switching", { switching: 0.2, combine: "sum" }],
    ["the maximum", { switching: 0, combine: "max" }],
  ] as const)("%s, in every decimation", async (_, coupling) => {
    const short = frames.slice(0, 6);
    const direct = directStates(short, { vectors: defaults.vectors, alpha: 0.9, ...coupling });
    for (const decimation of [1, 3]) {
      const states = await passes(short, { ...defaults, ...coupling, decimation });
      for (const [k, state] of states) expectSameBits(state, direct[k - 1]);
    }
  });

  test.each([
    [1, 1],
    [17, 9],
    [3, 40],
  ])("images of %i × %i, smaller than a trajectory is long", async (width, height) => {
    const small = noiseFrames(width, height, 12, 3);
    const direct = directStates(small, { vectors: defaults.vectors, alpha: 0.9 });
    for (const [k, state] of await passes(small, { ...defaults, decimation: 12 })) expectSameBits(state, direct[k - 1]);
  });
});

test("switching keeps the sum of the states", async () => {
  // A point in the middle, far from the border, so that nothing leaves.
  const pixels = new Float32Array(31 * 31);
  pixels[15 * 31 + 15] = 1;
  const point = { width: 31, height: 31, pixels };
  const empty = { ...point, pixels: new Float32Array(31 * 31) };
  const frames = [point, empty, empty];
  const total = async (switching: number) => {
    const states = await passes(frames, { ...defaults, decimation: 3, switching });
    return (states.get(3) as Float32Array).reduce((sum, value) => sum + value, 0);
  };
  expect(await total(0.3)).toBeCloseTo(await total(0), 6);
});
