import { describe, expect, it } from "vitest";
import type { GpuSession } from "../../../src/gpu/session.js";
import { computeFlow, computeFlows, type ImagePair } from "../../../src/pixels/flow/flow.js";
import { createGpuFlow, type GpuFlowOptions } from "../../../src/pixels/flow/gpu/gpu-flow.js";
import { tiled } from "../../../src/pixels/flow/gpu/tiled.js";
import { FLOW_PRESETS, type FlowOptions } from "../../../src/pixels/flow/options.js";
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

/** Seven iterations are dispatches of three, two and two. */
const scheme = tiled({ depth: 3, workgroup: [16, 5] });

describe("on a device, against the CPU twin", () => {
  it.each(["f32", "f16s"] as const)("tiles in %s, twice with the same bits", async (precision) => {
    const twin = await computeFlow(pair.first, pair.second, paper, cpu(precision));
    const [flow] = await onDevice(session(), paper, { scheme, precision });
    const { epe, quantiles } = scoreFlow(flow, twin);
    expect(flow.precision).toBe(precision);
    expect(flow.schemes).toEqual(["tiled (3)", "tiled (3)"]);
    expect(epe).toBeLessThan(precision === "f32" ? 0.00005 : 0.0005);
    expect(quantiles.p999).toBeLessThan(precision === "f32" ? 0.0005 : 0.005);
    const [again] = await onDevice(session(), paper, { scheme, precision });
    expect([again.u, again.v]).toEqual([flow.u, flow.v]);
  });

  it.each([
    [[1, 1], [16, 12], "f32"],
    [[2, 4], [9, 3], "f32"],
    [[2, 4], [9, 3], "f16s"],
    [[3, 2], [7, 5], "f16s"],
  ] as const)("tiles of %s pixels a thread in workgroups of %s, %s", async (block, workgroup, precision) => {
    const twin = await computeFlow(pair.first, pair.second, paper, cpu(precision));
    const [flow] = await onDevice(session(), paper, { scheme: tiled({ depth: 3, block, workgroup }), precision });
    expect(scoreFlow(flow, twin).epe).toBeLessThan(precision === "f32" ? 0.00005 : 0.0005);
  });

  it("medians, several warps and a batch of pairs", async () => {
    const pairs = [pair, madePair("shift", 2, 45, 35)];
    const options = { ...FLOW_PRESETS.quality, warps: 2, iterations: 4 };
    const flows = await onDevice(session(), options, {}, pairs);
    const twins = await computeFlows(pairs, options, cpu());
    flows.forEach((flow, k) => {
      expect(scoreFlow(flow, twins[k]).quantiles.p99).toBeLessThan(0.001);
    });
    expect(scoreFlow(flows[0], flows[1]).epe).toBeGreaterThan(0.5);
  });

  it("another zoom, median and presmoothing, and a stop by epsilon where the twin stops", async () => {
    const options = { ...paper, zoom: 0.7, presmooth: 0, median: 3, iterations: 40, epsilon: 0.02 };
    const [flow] = await onDevice(session(), options, { scheme });
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
    const run = (choice: Parameters<typeof tiled>[0]) =>
      onDevice(session(), { ...paper, iterations: 50 }, { scheme: tiled(choice) });
    await expect(run({ depth: 20 })).rejects.toThrow(/give --depth 1 to 15/);
    await expect(run({ workgroup: [64, 64] })).rejects.toThrow(/64 × 64 threads is more than the device's 256/);
  });

  it("images of 8 and of 16 bits have the flow of the same numbers in f32, to the last bit", async () => {
    const { first, second } = pair;
    for (const times of [1, 200]) {
      const whole = ({ width, height, pixels }: typeof first) => {
        const values = pixels.map((value) => Math.round(times * value));
        const numbers = times === 1 ? Uint8Array.from(values) : Uint16Array.from(values);
        return {
          plane: { width, height, pixels: numbers },
          greys: { width, height, pixels: Float32Array.from(numbers) },
        };
      };
      const [one, other] = [whole(first), whole(second)];
      const [flow] = await onDevice(session(), paper, { scheme }, [{ first: one.plane, second: other.plane }]);
      const [same] = await onDevice(session(), paper, { scheme }, [{ first: one.greys, second: other.greys }]);
      expect([flow.u, flow.v]).toEqual([same.u, same.v]);
      const twin = await computeFlow(one.plane, other.plane, paper, cpu());
      expect(scoreFlow(flow, twin).epe).toBeLessThan(0.00005);
    }
  });
});
