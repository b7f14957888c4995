import { describe, expect, test } from "vitest";
import { InputError } from "../../src/core/errors.js";
import type { MovingDetections } from "../../src/costs/cost.js";
import type { ModelName } from "../../src/costs/models/cost-models.js";
import { priceDetections } from "../../src/costs/price-detections.js";
import { completeVelocities, estimateVelocities } from "../../src/costs/velocity.js";
import { simulate } from "../../src/simulation/trajectories.js";
import { scene } from "./scenes.js";

const once = { threads: 1 };

describe("detections without velocities", () => {
  test("get the drift of a belt, per unit of time", () => {
    const rows = [0, 1, 2, 3].map((p) => [0, 1, 2].map((i) => [40 * i + p, 3 * p + 0.01 * ((i + p) % 3)]));
    const belt = { ...scene(rows, 2), vx: null, vy: null };
    const { detections, typicalSpeed, notes } = estimateVelocities(belt);
    expect(detections.vx[5]).toBeCloseTo(0.5, 12);
    expect(detections.vy[5]).toBeCloseTo(1.5, 1);
    expect(typicalSpeed).toBeCloseTo(Math.hypot(1, 3) / 2, 1);
    expect(notes[0]).toMatch(/Velocities not measured/);
  });

  test("get the drift where one alone has none, and the others keep theirs", () => {
    const rows = [0, 1, 2].map((p) => [0, 40].map((x) => [x + p, 2 * p, 3, 4]));
    rows[1][0] = [1, 2, Number.NaN, Number.NaN];
    const { detections } = completeVelocities(scene(rows));
    expect([...detections.vx]).toEqual([3, 3, 1, 3, 3, 3]);
    expect([...detections.vy]).toEqual([4, 4, 2, 4, 4, 4]);
  });

  test("are priced by every cost, and said to be", async () => {
    const blind = { ...simulate({ targets: 10, frames: 8 }, 1), vx: null, vy: null };
    for (const cost of ["spline", "euclidean", "likelihood"] as const) {
      const problem = await priceDetections(blind, { cost, gate: { epsilon: 5 }, birthDeath: "auto" }, once);
      expect(problem.notes[0]).toMatch(/Velocities not measured/);
      expect(problem.notes.at(-1)).toMatch(/Birth and death cost not stated/);
      expect(problem.links.cost.every(Number.isFinite)).toBe(true);
    }
  });
});

describe("birth and death", () => {
  // Three targets far apart, on straight lines at unit speed, seen exactly but for one late step of 1.5.
  const rows = [0, 1, 2, 3].map((p) => [0, 100, 200].map((y) => [p, y, 1, 0]));
  rows[3][2] = [3.5, 200, 1, 0];
  const detections = scene(rows);

  test("together undercut a link only when it costs more than the plausible ones", async () => {
    const problem = await priceDetections(
      detections,
      { cost: "euclidean", gate: { radius: 9 }, birthDeath: "auto" },
      once,
    );
    const { birth, death } = problem.birthDeath ?? { birth: [], death: [] };
    // Below a hundred, all are plausible: eight pair costs of 0 and one of 0.5, five triplets of 0 and one of 0.5.
    const expected = 1.01 * (0.5 / 2 + 0.5);
    expect(birth[0]).toBeCloseTo(expected, 12);
    expect(death[11]).toBeCloseTo(expected, 12);
  });

  test("hold the dearest hundredth of many links implausible", async () => {
    // 101 links of 0 but for three of 0.25, 0.5 and 1, on lines far apart; no triplets.
    const late = [0.25, 0.5, 1];
    const frames = [0, 1].map((p) => Array.from({ length: 101 }, (_, n) => [p * (1 + (late[n] ?? 0)), 100 * n, 1, 0]));
    const parameters = { cost: "euclidean", gate: { radius: 9 }, birthDeath: "auto" } as const;
    const { birthDeath } = await priceDetections(scene(frames), parameters, once);
    const step = 1 + 1.75 / 101;
    expect(birthDeath?.birth[0]).toBeCloseTo(1.01 * (0.5 / 2 + step / 1000), 12);
  });

  test("keep what the cost's own noise explains, or what is too small to measure", async () => {
    const still = scene([0, 1, 2].map((p) => [0, 100].map((y) => [2 * p, y, 2, 0])));
    const cost = async (detections: MovingDetections, cost: ModelName) => {
      const parameters = { cost, gate: { epsilon: 5 }, birthDeath: "auto" } as const;
      return (await priceDetections(detections, parameters, once)).birthDeath?.birth[0];
    };
    expect(await cost(still, "likelihood")).toBeCloseTo(1.01 * Math.log(100), 12);
    expect(await cost(still, "euclidean")).toBeCloseTo(1.01 * 1.5 * 0.002, 12);
    expect(await cost(still, "spline")).toBeCloseTo(1.01 * 1.5 * 0.002, 12);
    const stands = scene([0, 1, 2].map(() => [[7, 8, 0, 0]]));
    expect(await cost(stands, "euclidean")).toBe(1);
  });

  test("must be finite numbers", async () => {
    const birthDeath = { birth: Number.POSITIVE_INFINITY, death: 1 };
    const parameters = { cost: "spline", gate: "none", birthDeath } as const;
    await expect(priceDetections(detections, parameters, once)).rejects.toThrow(InputError);
  });
});
