import { mean } from "mathjs";
import { describe, expect, test } from "vitest";
import type { Detections } from "../../../src/core/detections.js";
import type { Noise } from "../../../src/core/noise.js";
import { simulate } from "../../../src/simulation/trajectories.js";
import { type StoredProblem, scoreStored } from "../stored.js";

const once = { threads: 1 };

/** Mean pair cost and triplet cost along the true tracks. */
function meanTrueCosts({ target }: Detections, { links, triplets }: StoredProblem): { pair: number; triplet: number } {
  const isTrue = (e: number) => target?.[links.tail[e]] === target?.[links.head[e]];
  const pairs: number[] = [];
  const continuations: number[] = [];
  for (let e = 0; e < links.tail.length; e++) {
    if (!isTrue(e)) continue;
    pairs.push(links.cost[e]);
    for (let t = triplets.rowStart[e]; t < triplets.rowStart[e + 1]; t++) {
      if (isTrue(triplets.successor[t])) continuations.push(triplets.cost[t]);
    }
  }
  return { pair: mean(pairs), triplet: mean(continuations) };
}

const price = (detections: Detections, noise?: Noise) =>
  scoreStored(
    detections,
    { cost: "likelihood", gate: { epsilon: 5 }, birthDeath: "none", ...(noise && { noise }) },
    once,
  );

describe("likelihood", () => {
  for (const noise of [
    { position: 0.1, velocity: 0 },
    { position: 0.2, velocity: 0 },
    { position: 0.1, velocity: 0.2 },
    { position: 0.05, velocity: 0.4 },
  ]) {
    // |r|²/s² of true links is chi-square with two degrees of freedom: half of it has mean 1, and D takes half of that.
    test(`has the right weights at σ = ${noise.position}, σ_v = ${noise.velocity}`, async () => {
      const detections = simulate({ targets: 40, frames: 50, noise }, 11);
      const costs = meanTrueCosts(detections, await price(detections, noise));
      expect(costs.pair).toBeGreaterThan(0.9);
      expect(costs.pair).toBeLessThan(1.1);
      expect(costs.triplet).toBeGreaterThan(0.42);
      expect(costs.triplet).toBeLessThan(0.58);
    });
  }

  test("finds the same weights from the detections alone", async () => {
    const noise = { position: 0.1, velocity: 0.2 };
    const detections = simulate({ targets: 40, frames: 50, noise }, 12);
    const problem = await price(detections);
    const costs = meanTrueCosts(detections, problem);
    expect(costs.pair).toBeGreaterThan(0.85);
    expect(costs.pair).toBeLessThan(1.15);
    expect(costs.triplet).toBeGreaterThan(0.4);
    expect(costs.triplet).toBeLessThan(0.6);
    expect(problem.notes).toEqual([expect.stringMatching(/^Noise not stated: estimated from \d+ mutually best links/)]);
  });

  test("stays finite without any noise or motion", async () => {
    const exact = simulate({ targets: 10, frames: 10, noise: { position: 0, velocity: 0 } }, 13);
    const problem = await price(exact, { position: 0, velocity: 0 });
    expect(problem.links.cost.every(Number.isFinite)).toBe(true);
    const standing = { ...exact, x: exact.x.map(() => 1), y: exact.y.map(() => 2) };
    const still = await scoreStored(standing, { cost: "likelihood", gate: "none", birthDeath: "none" }, once);
    expect(still.triplets.cost.every(Number.isFinite)).toBe(true);
  });
});
