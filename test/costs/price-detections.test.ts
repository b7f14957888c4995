import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Detections } from "../../src/core/detections.js";
import { hermiteLength } from "../../src/costs/models/arc-length.js";
import { COST_MODELS, type ModelName } from "../../src/costs/models/cost-models.js";
import { type PricingOptions, type PricingParameters, priceDetections } from "../../src/costs/price-detections.js";
import { simulate } from "../../src/simulation/trajectories.js";
import { linkNames, scene, transformed } from "./scenes.js";
import { type StoredProblem, scoreStored } from "./stored.js";

const names = Object.keys(COST_MODELS) as ModelName[];
const noise = { position: 0.1, velocity: 0 };
const price = (
  detections: Detections,
  changes: Partial<PricingParameters> = {},
  options: PricingOptions = { threads: 1 },
) => scoreStored(detections, { cost: "spline", gate: { epsilon: 5 }, birthDeath: "none", noise, ...changes }, options);

/** Triplets as [e, f, cost]. */
function tripletRows({ links, triplets }: StoredProblem): [number, number, number][] {
  const rows: [number, number, number][] = [];
  for (let e = 0; e < links.tail.length; e++) {
    for (let t = triplets.rowStart[e]; t < triplets.rowStart[e + 1]; t++)
      rows.push([e, triplets.successor[t], triplets.cost[t]]);
  }
  return rows;
}

/** Sizes to compare costs by, free of the order of summation. */
const expectClose = (actual: Float64Array, expected: Float64Array, factor: number) => {
  expect(actual.length).toBe(expected.length);
  actual.forEach((v, i) => {
    expect(Math.abs(v - factor * expected[i])).toBeLessThan(1e-9 * (1 + factor * Math.abs(expected[i])));
  });
};

// One target turning left, one that crosses it. Positions 3-4-5, so that chords are whole numbers.
const byHand = scene(
  [
    [[0, 0, 2, 0]],
    [
      [3, 4, 0, 2],
      [6, 8, 1, 1],
    ],
    [[3, 16, 0, 4]],
  ],
  2,
);

describe("costs by hand", () => {
  test("euclidean", async () => {
    const problem = await price(byHand, { cost: "euclidean", gate: "none" });
    expect(linkNames(problem)).toEqual(["0→1", "0→2", "1→3", "2→3"]);
    // | chord − V δt | with chords 5, 10, 12, √73 and V δt of 4, 4, 4, 2√2.
    expectClose(problem.links.cost, Float64Array.of(1, 6, 8, Math.sqrt(73) - Math.sqrt(8)), 1);
    expect(tripletRows(problem)).toEqual([
      [0, 2, 7],
      [1, 3, 10 - Math.sqrt(73)],
    ]);
  });

  test("spline: the same pair cost, arcs in place of chords, with velocities times δt at the ends", async () => {
    const problem = await price(byHand, { gate: "none" });
    expectClose(problem.links.cost, Float64Array.of(1, 6, 8, Math.sqrt(73) - Math.sqrt(8)), 1);
    const arcs = [hermiteLength(3, 4, 4, 0, 0, 4), hermiteLength(0, 12, 0, 4, 0, 8)];
    expect(arcs[0]).toBeGreaterThan(5);
    expect(tripletRows(problem)[0]).toEqual([0, 2, Math.abs(arcs[0] - arcs[1])]);
  });

  test("likelihood: residual of the trapezoid over 2 s², second difference over 4 w²", async () => {
    const still = { position: 1, velocity: 3 };
    const problem = await price(byHand, { cost: "likelihood", gate: "none", noise: still });
    const s2 = 2 + 0.5 * (3 * 2) ** 2;
    // 0→1: (3, 4) − ((2, 0) + (0, 2)) δt/2 = (1, 2).
    expect(problem.links.cost[0]).toBeCloseTo(5 / (2 * s2), 12);
    // Second difference of 0, 1, 3: (0, 12) − (3, 4) = (−3, 8), and no acceleration beyond the velocity noise.
    expect(problem.triplets.cost[0]).toBeCloseTo(73 / (4 * 6), 12);
  });
});

describe("CSR-COO", () => {
  for (const cost of names) {
    test(`${cost}: sorted and complete against enumeration`, async () => {
      const detections = simulate({ targets: 12, frames: 6 }, 3);
      const { x, y, vx, vy, frameStart } = detections;
      const problem = await price(detections, { cost, gate: { epsilon: 2 } });
      const gated = (i: number, j: number) =>
        Math.hypot(x[j] - x[i], y[j] - y[i]) < 2 * Math.hypot(vx?.[i] ?? 0, vy?.[i] ?? 0);
      const expected: [number, number][] = [];
      for (let p = 0; p < 5; p++)
        for (let i = frameStart[p]; i < frameStart[p + 1]; i++)
          for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) if (gated(i, j)) expected.push([i, j]);
      const { tail, head } = problem.links;
      expect(Array.from(tail, (i, e) => [i, head[e]])).toEqual(expected);
      const continuations = expected.flatMap(([, j], e) =>
        expected.flatMap(([tailOfF], f) => (tailOfF === j ? [[e, f]] : [])),
      );
      expect(tripletRows(problem).map(([e, f]) => [e, f])).toEqual(continuations);
    });
  }

  for (const cost of names) {
    test(`${cost}: the numbers kept per link reproduce every stored triplet`, async () => {
      const detections = simulate({ targets: 12, frames: 6 }, 4);
      const parameters = { cost, gate: { epsilon: 5 }, birthDeath: "none", noise } as const;
      const { triplets } = await priceDetections(detections, parameters, { threads: 1 });
      if (triplets.kind !== "implicit") throw new Error("implicit triplets are the default");
      const { rule, perLink: m } = triplets;
      for (const [e, f, d] of tripletRows(await price(detections, { cost }))) {
        if (rule === "absolute") expect(d).toBe(Math.abs(m[e] - m[f]));
        else expect(d).toBeCloseTo((m[2 * e] - m[2 * f]) ** 2 + (m[2 * e + 1] - m[2 * f + 1]) ** 2, 12);
      }
    });
  }

  test("frames of different size, and empty ones, are no error", async () => {
    const gaps = scene([
      [[0, 0, 1, 0]],
      [],
      [
        [1, 0, 1, 0],
        [2, 0, 1, 0],
      ],
      [[3, 0, 1, 0]],
    ]);
    const problem = await price(gaps, { gate: "none", birthDeath: { birth: 3, death: 4 } });
    expect(linkNames(problem)).toEqual(["1→3", "2→3"]);
    expect(problem.triplets.successor).toHaveLength(0);
    expect(problem.birthDeath?.birth).toEqual(Float64Array.of(3, 3, 3, 3));
    expect(problem.birthDeath?.death).toEqual(Float64Array.of(4, 4, 4, 4));
    const nothing = await price(scene([[], []]), { birthDeath: "auto", cost: "likelihood" });
    expect(nothing.links.tail).toHaveLength(0);
  });

  test("all arrays are in shared memory", async () => {
    const { links, triplets } = await price(byHand);
    for (const values of [links.tail, links.head, links.cost, triplets.rowStart, triplets.successor, triplets.cost]) {
      expect(values.buffer).toBeInstanceOf(SharedArrayBuffer);
    }
  });
});

describe("what costs must not depend on", () => {
  const detections = { ...simulate({ targets: 8, frames: 5 }, 5) } as ReturnType<typeof scene>;
  const angle = fc.double({ min: -4, max: 4, noNaN: true });
  const shift = fc.double({ min: -50, max: 50, noNaN: true });

  for (const cost of names) {
    test(`${cost}: where the scene lies and how it is turned`, async () => {
      const before = await price(detections, { cost, gate: "none" });
      await fc.assert(
        fc.asyncProperty(angle, shift, shift, async (turn, dx, dy) => {
          const after = await price(transformed(detections, turn, 1, dx, dy), { cost, gate: "none" });
          expectClose(after.links.cost, before.links.cost, 1);
          expectClose(after.triplets.cost, before.triplets.cost, 1);
        }),
        { numRuns: 10, seed: 1 },
      );
    });

    test(`${cost}: the unit of length`, async () => {
      const before = await price(detections, { cost });
      const inMillimetres = { cost, noise: { position: 100, velocity: 0 } };
      const after = await price(transformed(detections, 0, 1000, 0, 0), inMillimetres);
      expect(linkNames(after)).toEqual(linkNames(before));
      const factor = cost === "likelihood" ? 1 : 1000;
      expectClose(after.links.cost, before.links.cost, factor);
      expectClose(after.triplets.cost, before.triplets.cost, factor);
    });

    test(`${cost}: the unit of time`, async () => {
      const before = await price(detections, { cost });
      const perMinute = {
        ...detections,
        timeStep: 1 / 60,
        vx: detections.vx.map((v) => 60 * v),
        vy: detections.vy.map((v) => 60 * v),
      };
      const after = await price(perMinute, { cost });
      expectClose(after.links.cost, before.links.cost, 1);
      expectClose(after.triplets.cost, before.triplets.cost, 1);
    });

    test(`${cost}: the number of threads, to the byte`, async () => {
      const crowd = simulate({ targets: 30, frames: 8 }, 6);
      const bytes = async (threads: number) => {
        const { links, triplets } = await price(crowd, { cost }, { threads, poolFrom: 0 });
        return [links.tail, links.head, links.cost, triplets.rowStart, triplets.successor, triplets.cost].map(
          (values) => Buffer.from(values.buffer).toString("base64"),
        );
      };
      const alone = await bytes(1);
      expect(await bytes(2)).toEqual(alone);
      expect(await bytes(3)).toEqual(alone);
    });
  }

  test("progress counts up to its total", async () => {
    const heard: number[] = [];
    await price(byHand, {}, { threads: 1, progress: (done, total) => heard.push(done / total) });
    expect(heard).toEqual(heard.toSorted((a, b) => a - b));
    expect(heard.at(-1)).toBe(1);
  });
});
