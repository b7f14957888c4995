import { describe, expect, test } from "vitest";
import { createLinkPricer } from "../../src/costs/gpu-pricing.js";
import { COST_MODELS, type ModelName } from "../../src/costs/models/cost-models.js";
import { type PricingParameters, priceDetections } from "../../src/costs/price-detections.js";
import type { AscentName } from "../../src/map/dual/ascents.js";
import type { AscentSteps } from "../../src/map/dual/steps.js";
import { createGpuSteps } from "../../src/map/gpu/gpu-steps.js";
import { buildGraph } from "../../src/map/instance/build.js";
import { type Graph, isLink } from "../../src/map/instance/instance.js";
import { solve } from "../../src/map/solve.js";
import { simulate } from "../../src/simulation/trajectories.js";
import { useSoftwareSession } from "../gpu/software-session.js";

const session = useSoftwareSession();
const now = () => performance.now() / 1000;

/** The instance as it would look to a device that were sent its prices of links: every one is NaN. */
function unpriced(graph: Graph): Graph {
  const { triplets } = graph;
  const cost = graph.cost.map((value, e) => (isLink(graph, e) ? Number.NaN : value));
  if (triplets.kind === "csr") return { ...graph, cost };
  return {
    ...graph,
    cost,
    triplets: { ...triplets, perEdge: new Float64Array(triplets.perEdge.length).fill(Number.NaN) },
  };
}

/** Certified bounds of an ascent on the device, with prices of its own and with uploaded ones. */
async function solveTwice(parameters: Omit<PricingParameters, "gate">, ascent: AscentName) {
  const detections = simulate({ targets: 6, frames: 5 }, 11);
  const priced = await priceDetections(detections, { gate: { epsilon: 3 }, ...parameters }, { threads: 1 });
  const { graph } = buildGraph(priced);
  const priceLinks = await createLinkPricer(session(), priced.pricing);
  if (priceLinks === null) throw new Error("every cost here has formulas in WGSL");
  const run = async (steps: AscentSteps) => {
    const solution = await solve(graph, steps, { ascent, iterations: 10, gap: 0, time: 60, now });
    await steps.close();
    return solution;
  };
  const own = await run(await createGpuSteps(session(), unpriced(graph), { now, priceLinks }));
  const uploaded = await run(await createGpuSteps(session(), graph, { now }));
  return { own, uploaded };
}

async function expectSameCertificate(...how: Parameters<typeof solveTwice>): Promise<void> {
  const { own, uploaded } = await solveTwice(...how);
  expect(own.upperBound).toBeCloseTo(uploaded.upperBound, 6);
  expect(own.lowerBound).toBeLessThanOrEqual(own.upperBound);
  expect(Math.abs(own.lowerBound - uploaded.lowerBound)).toBeLessThan(1e-4 * Math.abs(uploaded.upperBound));
}

describe("no price of a link is uploaded, and what is certified stays the same", () => {
  for (const cost of Object.keys(COST_MODELS) as ModelName[]) {
    test(`${cost}`, () => expectSameCertificate({ cost, birthDeath: "none" }, "bidirectional"));
    test(`${cost} with births`, () => expectSameCertificate({ cost, birthDeath: "auto" }, "bidirectional"));
  }

  for (const ascent of ["rmap", "polyak", "bundle"] as const) {
    test(`${ascent}`, () => expectSameCertificate({ cost: "spline", birthDeath: "none" }, ascent));
  }

  test("stored triplets keep their own costs; only C is the device's", () =>
    expectSameCertificate({ cost: "spline", birthDeath: "none", triplets: "csr" }, "bidirectional"));
});
