/** Costs in space: the same for any axes, and those of the plane for detections in a plane. */
import { beforeAll, describe, expect, test } from "vitest";
import type { Detections } from "../../src/core/detections.js";
import { compileFormulas } from "../../src/costs/formula/compile.js";
import type { ModelSource } from "../../src/costs/model-source.js";
import { type PricedDetections, priceDetections } from "../../src/costs/price-detections.js";
import { simulate } from "../../src/simulation/trajectories.js";
import { linkNames } from "./scenes.js";

type Matrix = readonly (readonly number[])[];

/** A rotation about no axis of the coordinates. */
const TURNED: Matrix = [
  [2 / 3, -1 / 3, 2 / 3],
  [2 / 3, 2 / 3, -1 / 3],
  [-1 / 3, 2 / 3, 2 / 3],
];
const PERMUTED: Matrix = [
  [0, 0, 1],
  [1, 0, 0],
  [0, 1, 0],
];

/** Detections with other axes; those in the plane have z = 0. */
function turned(detections: Detections, by: Matrix): Detections {
  const zero = detections.x.map(() => 0);
  const { x, y, z = zero, vx, vy, vz = zero } = detections;
  const times = (row: readonly number[], u: Float64Array, v: Float64Array, w: Float64Array) =>
    u.map((_, d) => row[0] * u[d] + row[1] * v[d] + row[2] * w[d]);
  const place = by.map((row) => times(row, x, y, z));
  const velocity = vx && vy && by.map((row) => times(row, vx, vy, vz));
  return {
    ...detections,
    ...{ x: place[0], y: place[1], z: place[2], vx: velocity?.[0] ?? null, vy: velocity?.[1] ?? null },
    ...(velocity && { vz: velocity[2] }),
  };
}

const COSTS = ["spline", "euclidean", "likelihood", "formulas"] as const;
let formulas: ModelSource;
beforeAll(async () => {
  const cost = {
    pair: "(hypot(dx, dy)^2 + (z_j - z_i)^2) / 2",
    triplet: "(u_ij - u_jk)^2 + (v_ij - v_jk)^2 + (w_ij - w_jk)^2",
    numbers: { u: "dx", v: "dy", w: "z_j - z_i" },
  };
  formulas = await compileFormulas(cost, "scene.json");
});

const priced = (detections: Detections, cost: (typeof COSTS)[number], gate: number | "none" = 4) =>
  priceDetections(
    detections,
    {
      cost: cost === "formulas" ? formulas : cost,
      gate: gate === "none" ? gate : { epsilon: gate },
      birthDeath: "auto",
      triplets: "csr",
    },
    { threads: 1 },
  );

function expectSame(one: PricedDetections, other: PricedDetections): void {
  expect(linkNames(other)).toEqual(linkNames(one));
  const [a, b] = [one.triplets, other.triplets];
  if (a.kind !== "csr" || b.kind !== "csr") throw new Error("triplets are stored");
  expect(a.successor).toEqual(b.successor);
  const pairs = [
    [one.links.cost, other.links.cost],
    [a.cost, b.cost],
    [one.birthDeath?.birth ?? [], other.birthDeath?.birth ?? []],
  ] as const;
  for (const [given, found] of pairs) for (const [n, cost] of given.entries()) expect(found[n]).toBeCloseTo(cost, 7);
}

describe.each(COSTS)("%s", (cost) => {
  const deep = simulate({ targets: 25, frames: 6, dimensions: 3, spread: 12 }, 4);
  const { vx: _, vy: __, vz: ___, ...places } = deep;

  test.each([
    ["measured", deep, [TURNED, PERMUTED]],
    // The drift is the median on each axis.
    ["estimated", { ...places, vx: null, vy: null }, [PERMUTED]],
  ])("does not depend on the axes, velocities %s", async (_, detections, all) => {
    const given = await priced(detections, cost);
    expect(given.links.tail.length).toBeGreaterThan(150);
    expect(given.links.tail.length).toBeLessThan(5 * 25 * 25);
    for (const by of all) expectSame(given, await priced(turned(detections, by), cost));
  });

  test("links what is within the gate, and nothing else", async () => {
    const { x, y, z = x, vx, vy, vz = x, frameStart } = deep;
    const names = new Set(linkNames(await priced(deep, cost)));
    for (let i = 0; i < frameStart[5]; i++) {
      const next = Math.floor(i / 25) + 1;
      for (let j = frameStart[next]; j < frameStart[next + 1]; j++) {
        const within = (x[j] - x[i]) ** 2 + (y[j] - y[i]) ** 2 + (z[j] - z[i]) ** 2;
        const speed = (vx as Float64Array)[i] ** 2 + (vy as Float64Array)[i] ** 2 + vz[i] ** 2;
        expect(names.has(`${i}→${j}`)).toBe(within < 16 * speed);
      }
    }
  });
});

// The likelihood reads its scales off three axes there, and its costs are others.
test.each(["spline", "euclidean"] as const)("%s prices a plane in space as the plane", async (cost) => {
  const flat = simulate({ targets: 25, frames: 6, spread: 12 }, 4);
  expectSame(await priced(flat, cost), await priced(turned(flat, TURNED), cost));
});

test("the likelihood's scales are those that were drawn", async () => {
  const noise = { position: 0.05, velocity: 0.2 };
  const lines = simulate({ targets: 400, frames: 12, dimensions: 3, amplitude: 0, spread: 300, noise }, 5);
  const { pricing } = await priced(lines, "likelihood", 8);
  const [s2, w2] = pricing.constants;
  // 2 σ² + σ_v²/2, and 6 σ²: a line does not accelerate.
  expect(s2 / (2 * 0.05 ** 2 + 0.2 ** 2 / 2)).toBeCloseTo(1, 1);
  expect(w2 / (6 * 0.05 ** 2)).toBeCloseTo(1, 1);
});

test("formulas that do not name z are refused in space", async () => {
  const flat = await compileFormulas({ pair: "hypot(dx, dy)", triplet: "abs(dx_ij - dx_jk)" }, "scene.json");
  const deep = simulate({ targets: 3, frames: 3, dimensions: 3 }, 4);
  await expect(priceDetections(deep, { cost: flat, gate: "none", birthDeath: "none" }, { threads: 1 })).rejects.toThrow(
    "cost formulas: does not read z, and positions are in space; let its formulas name z_i and z_j, or leave z out (--z-scale 0)",
  );
});
