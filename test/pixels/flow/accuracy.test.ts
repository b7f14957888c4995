import { describe, expect, it } from "vitest";
import { computeFlow } from "../../../src/pixels/flow/flow.js";
import { FLOW_PRESETS } from "../../../src/pixels/flow/options.js";
import { scoreFlow } from "../../../src/scores/flow.js";
import { cpu, hasMiddlebury, madePair, middlebury } from "./images.js";

/** Errors of another implementation (numpy and C) of the same equations: EPE px and, where given, AAE degrees. */
describe.skipIf(!hasMiddlebury)("Middlebury pairs (skipped where ../shared/flow is absent)", () => {
  it.each([
    ["Grove2", 10, 0.65, 8.84],
    ["Grove2", 50, 0.17, 2.49],
    ["RubberWhale", 20, 0.281, 9.15],
    ["Urban3", 10, 5.422, 33.2],
  ])("%s, paper preset, %i iterations", async (name, iterations, epe, aae) => {
    const { first, second, truth } = await middlebury(name);
    const flow = await computeFlow(first, second, { ...FLOW_PRESETS.paper, iterations }, cpu());
    const scores = scoreFlow(flow, truth);
    expect(Math.abs(scores.epe / epe - 1)).toBeLessThan(0.03);
    expect(Math.abs(scores.aae / aae - 1)).toBeLessThan(0.03);
  });
});

describe("made pairs, whose flow is exact", () => {
  it.each([
    ["shift", "paper", 0.012],
    ["turn", "paper", 0.055],
    ["swirl", "paper", 0.143],
    ["layers", "paper", 0.09],
    ["turn", "quality", 0.031],
  ] as const)("%s, %s preset", async (flowCase, preset, epe) => {
    const { first, second, truth } = madePair(flowCase, 1);
    const scores = scoreFlow(await computeFlow(first, second, FLOW_PRESETS[preset], cpu()), truth, 8);
    expect(Math.abs(scores.epe - epe)).toBeLessThan(Math.max(0.05 * epe, 0.003));
  });
});

describe("f16 costs no accuracy", () => {
  it.each(["f16s", "f16"] as const)("%s stays near f32", async (precision) => {
    const { first, second } = madePair("turn", 1, 240, 180);
    const options = { ...FLOW_PRESETS.paper, iterations: 30 };
    const exact = await computeFlow(first, second, options, cpu());
    const half = await computeFlow(first, second, options, cpu(precision));
    expect(half.precision).toBe(precision);
    const { epe, quantiles } = scoreFlow(half, exact, 8);
    expect(epe).toBeGreaterThan(0);
    expect(epe).toBeLessThan(0.002);
    expect(quantiles.p999).toBeLessThan(0.02);
  });
});
