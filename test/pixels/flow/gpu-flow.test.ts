import { describe, expect, it } from "vitest";
import type { GpuSession } from "../../../src/gpu/session.js";
import { computeFlow, computeFlows } from "../../../src/pixels/flow/flow.js";
import { createGpuFlow, type GpuFlowOptions } from "../../../src/pixels/flow/gpu/gpu-flow.js";
import { FLOW_PRESETS, FLOW_SCHEMES, type FlowOptions, type FlowScheme } from "../../../src/pixels/flow/options.js";
import type { ImagePair } from "../../../src/pixels/flow/steps.js";
import { scoreFlow } from "../../../src/scores/flow.js";
import { useSoftwareSession } from "../../gpu/software-session.js";
import { cpu, madePair, now } from "./images.js";

const session = useSoftwareSession();
const paper: FlowOptions = { ...FLOW_PRESETS.paper, iterations: 7 };
const pair = madePair("turn", 1, 45, 35);

async function onDevice(
  device: GpuSession,
  options: FlowOptions,
  own: Partial<GpuFlowOptions>,
  pairs: ImagePair[] = [pair],
) {
  const steps = createGpuFlow(device, { ...own, now });
  try {
    return await computeFlows(pairs, options, steps);
  } finally {
    steps.destroy();
  }
}

/** Seven iterations are dispatches of three, two and two. Small workgroups: SwiftShader takes seconds for barriers of large ones. */
const SHAPES: Readonly<Record<FlowScheme, Partial<GpuFlowOptions>>> = {
  global: {},
  fused: { workgroup: [16, 8] },
  "global-pipeline": { depth: 3, rows: 9, workgroup: [32, 1] },
  "shared-pipeline": { depth: 3, rows: 9, workgroup: [24, 1] },
  tiled: { depth: 3, workgroup: [16, 5] },
  level: { workgroup: [32, 1] },
};

describe("on a device, against the CPU twin", () => {
  for (const precision of ["f32", "f16s"] as const) {
    it.each(FLOW_SCHEMES)(`scheme %s in ${precision}, twice with the same bits`, async (scheme) => {
      const twin = await computeFlow(pair.first, pair.second, paper, cpu(precision));
      const [flow] = await onDevice(session(), paper, { scheme, precision, ...SHAPES[scheme] });
      const { epe, quantiles } = scoreFlow(flow, twin);
      expect(flow.precision).toBe(precision);
      expect(epe).toBeLessThan(precision === "f32" ? 0.00005 : 0.0005);
      expect(quantiles.p999).toBeLessThan(precision === "f32" ? 0.0005 : 0.005);
      const [again] = await onDevice(session(), paper, { scheme, precision, ...SHAPES[scheme] });
      expect([again.u, again.v]).toEqual([flow.u, flow.v]);
    });
  }

  it.each([
    [[1, 1], [16, 12], "f32"],
    [[2, 4], [9, 3], "f32"],
    [[2, 4], [9, 3], "f16s"],
    [[3, 2], [7, 5], "f16s"],
  ] as const)("tiles of %s pixels a thread in workgroups of %s, %s", async (block, workgroup, precision) => {
    const twin = await computeFlow(pair.first, pair.second, paper, cpu(precision));
    const own = { scheme: "tiled", depth: 3, block, workgroup, precision } as const;
    const [flow] = await onDevice(session(), paper, own);
    expect(scoreFlow(flow, twin).epe).toBeLessThan(precision === "f32" ? 0.00005 : 0.0005);
  });

  it("medians, several warps, levels in one workgroup, and a batch of pairs", async () => {
    const pairs = [pair, madePair("shift", 2, 45, 35)];
    const options = { ...FLOW_PRESETS.quality, warps: 2, iterations: 4 };
    const flows = await onDevice(session(), options, { scheme: "level", workgroup: [16, 16] }, pairs);
    expect(flows[0].schemes).toEqual(["tiled (4)", "level"]);
    const twins = await computeFlows(pairs, options, cpu());
    flows.forEach((flow, k) => {
      expect(scoreFlow(flow, twins[k]).quantiles.p99).toBeLessThan(0.001);
    });
    expect(scoreFlow(flows[0], flows[1]).epe).toBeGreaterThan(0.5);
  });

  it("another zoom, median and presmoothing, and a stop by epsilon where the twin stops", async () => {
    const options = { ...paper, zoom: 0.7, presmooth: 0, median: 3, iterations: 40, epsilon: 0.02 };
    const [flow] = await onDevice(session(), options, { scheme: "global" });
    const twin = await computeFlow(pair.first, pair.second, options, cpu());
    expect(flow.iterations).toEqual(twin.iterations);
    expect(flow.iterations.flat().some((count) => count < 40)).toBe(true);
    expect(scoreFlow(flow, twin).quantiles.p999).toBeLessThan(0.001);
  });

  it.each([
    [1, 1],
    [17, 9],
    [70, 3],
  ])("%i × %i pixels, and identical images", async (width, height) => {
    const { first, second } = madePair("shift", 1, width, height);
    const [flow] = await onDevice(session(), paper, {}, [{ first, second }]);
    const twin = await computeFlow(first, second, paper, cpu());
    expect(scoreFlow(flow, twin).quantiles.p999).toBeLessThan(0.001);
    const [still] = await onDevice(session(), paper, {}, [{ first, second: first }]);
    expect(still.u.every((u, i) => Math.hypot(u, still.v[i]) < 1e-6)).toBe(true);
  });

  it("refuses what the device cannot hold or compute, with the limit", async () => {
    expect(() => createGpuFlow(session(), { precision: "f16", now })).toThrow(
      /has no shader-f16: choose --precision f16s/,
    );
    const run = (own: Partial<GpuFlowOptions>) => onDevice(session(), { ...paper, iterations: 50 }, own);
    await expect(run({ scheme: "tiled", depth: 20 })).rejects.toThrow(/give --depth 1 to 15/);
    await expect(run({ scheme: "shared-pipeline", depth: 9 })).rejects.toThrow(
      /in f32 on this device; give --depth 1 to 6/,
    );
    await expect(run({ scheme: "fused", depth: 2 })).rejects.toThrow(/one iteration a dispatch/);
    await expect(run({ scheme: "tiled", workgroup: [64, 64] })).rejects.toThrow(
      /64 × 64 threads is more than the device's 256/,
    );
  });
});
