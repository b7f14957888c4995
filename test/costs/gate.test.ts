import { describe, expect, test } from "vitest";
import { InputError } from "../../src/core/errors.js";
import { gateReach } from "../../src/costs/gate.js";
import { priceDetections } from "../../src/costs/price-detections.js";
import { simulate } from "../../src/simulation/trajectories.js";
import { linkNames, scene } from "./scenes.js";
import { scoreStored } from "./stored.js";

const once = { threads: 1 };

describe("gate", () => {
  // A slow and a fast target, each to step 4 units: at ε = 2 only the fast one may.
  const slowAndFast = scene([
    [
      [0, 0, 1, 0],
      [0, 100, 3, 0],
    ],
    [
      [4, 0, 3, 0],
      [4, 100, 1, 0],
    ],
  ]);

  test("goes by the speed of the detection a link leaves, not of the one it enters", async () => {
    const problem = await priceDetections(
      slowAndFast,
      { cost: "spline", gate: { epsilon: 2 }, birthDeath: "none" },
      once,
    );
    expect(linkNames(problem)).toEqual(["1→3"]);
  });

  test("holds for both links of a triplet, the second by the speed in the middle", async () => {
    const middleIsSlow = scene([[[0, 0, 3, 0]], [[4, 0, 1, 0]], [[8, 0, 3, 0]]]);
    const gated = { cost: "spline", gate: { epsilon: 2 }, birthDeath: "none" } as const;
    const problem = await scoreStored(middleIsSlow, gated, once);
    expect(linkNames(problem)).toEqual(["0→1"]);
    expect(problem.triplets.successor).toHaveLength(0);
  });

  test("is strict at its radius", async () => {
    const at = (radius: number) =>
      priceDetections(slowAndFast, { cost: "spline", gate: { radius }, birthDeath: "none" }, once).then(linkNames);
    expect(await at(4)).toEqual([]);
    expect(await at(4.001)).toEqual(["0→2", "1→3"]);
  });

  test("none lets everything through", async () => {
    const problem = await priceDetections(slowAndFast, { cost: "spline", gate: "none", birthDeath: "none" }, once);
    expect(linkNames(problem)).toEqual(["0→2", "0→3", "1→2", "1→3"]);
  });

  test("does not shut in a target that stands", () => {
    const walkers = scene([[1, 2, 2, 3].map((v, i) => [10 * i, 0, v, 0]).concat([[50, 0, 0, 0]])]);
    expect([...gateReach(walkers, { epsilon: 5 })]).toEqual([5, 10, 10, 15, 2.5]);
    expect([...gateReach(walkers, { epsilon: 5 }, 1.5)]).toEqual([7.5, 10, 10, 15, 7.5]);
  });

  test("goes by how far detections part where most of them stand, and lets through what has not moved at all", () => {
    const jitter = scene([0, 0.25, 0].map((dx) => [[dx, 0, 0, 0]]));
    expect([...gateReach(jitter, { epsilon: 5 })]).toEqual([1.25, 1.25, 1.25]);
    const [reach] = gateReach(scene([0, 1].map(() => [[3, 4, 0, 0]])), { epsilon: 5 });
    expect(reach * reach).toBeGreaterThan(0);
    expect(reach).toBeLessThan(1e-100);
  });

  test("refuses what is not a gate", () => {
    expect(() => gateReach(slowAndFast, { epsilon: 0 })).toThrow(InputError);
    expect(() => gateReach(slowAndFast, { radius: Number.NaN })).toThrow(/radius is NaN/);
  });
});

test("the paper's gate keeps every link and adds 10⁶ to a triplet unless both legs are below V_i δt ε of its first detection", async () => {
  const detections = simulate({ targets: 6, frames: 4 }, 5);
  const { x, y, vx, vy, timeStep } = detections;
  const given = { cost: "spline", birthDeath: "none" } as const;
  const open = await priceDetections(detections, { ...given, gate: "none", triplets: "csr" });
  const paper = await priceDetections(detections, { ...given, gate: { tripletEpsilon: 3 } });
  if (open.triplets.kind !== "csr" || paper.triplets.kind !== "csr") throw new Error("not stored");
  expect(paper.links.cost).toEqual(open.links.cost);
  const { tail, head } = open.links;
  let gated = 0;
  for (let e = 0; e < tail.length; e++) {
    const reach = 3 * timeStep * Math.hypot((vx as Float64Array)[tail[e]], (vy as Float64Array)[tail[e]]);
    const far = (link: number) => Math.hypot(x[head[link]] - x[tail[link]], y[head[link]] - y[tail[link]]) >= reach;
    for (let t = open.triplets.rowStart[e]; t < open.triplets.rowStart[e + 1]; t++) {
      const out = far(e) || far(open.triplets.successor[t]);
      if (out) gated++;
      expect(paper.triplets.cost[t]).toBe(open.triplets.cost[t] + (out ? 1e6 : 0));
    }
  }
  expect(gated).toBeGreaterThan(0);
  expect(gated).toBeLessThan(open.triplets.cost.length);
});
