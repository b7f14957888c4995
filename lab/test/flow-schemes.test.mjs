import { computeFlow, computeFlows, createCpuFlow, createGpuFlow, FLOW_PRESETS } from "rmap/pixels";
import { scoreFlow } from "rmap/scores";
import { expect, it } from "vitest";
import { create, globals } from "webgpu";
import { GpuSession } from "../../dist/gpu/session.js";
import { makeFlowPair } from "../../dist/simulation/flow-pairs.js";
import { SCHEMES } from "../kernels/flow/schemes.mjs";
import { useSoftwareSession } from "./session.mjs";

const now = () => performance.now() / 1000;
const paper = { ...FLOW_PRESETS.paper, iterations: 7 };
/** Small workgroups: SwiftShader takes seconds for barriers of large ones. Seven iterations are dispatches of three, two and two. */
const CHOICES = {
  global: {},
  fused: { workgroup: [16, 8] },
  "global-pipeline": { depth: 3, rows: 9, workgroup: [32, 1] },
  "shared-pipeline": { depth: 3, rows: 9, workgroup: [24, 1] },
  level: { workgroup: [32, 1] },
};

const session = useSoftwareSession();

function madePair(kind, seed, width, height) {
  const { first, second } = makeFlowPair(kind, seed, width, height);
  const image = (pixels) => ({ width, height, pixels: Float32Array.from(pixels) });
  return { first: image(first), second: image(second) };
}
const pair = madePair("turn", 1, 45, 35);

async function onDevice(options, own, pairs = [pair]) {
  const steps = createGpuFlow(session(), { ...own, now });
  try {
    return await computeFlows(pairs, options, steps);
  } finally {
    steps.destroy();
  }
}
const onCpu = (one, options, precision) =>
  computeFlow(one.first, one.second, options, createCpuFlow({ now, ...(precision && { precision }) }));

for (const precision of /** @type {const} */ (["f32", "f16s"])) {
  it.each(Object.keys(CHOICES))(`scheme %s in ${precision}, twice with the same bits`, async (name) => {
    const scheme = SCHEMES[name](CHOICES[name]);
    const twin = await onCpu(pair, paper, precision);
    const [flow] = await onDevice(paper, { scheme, precision });
    const { epe, quantiles } = scoreFlow(flow, twin);
    expect(flow.precision).toBe(precision);
    expect(epe).toBeLessThan(precision === "f32" ? 0.00005 : 0.0005);
    expect(quantiles.p999).toBeLessThan(precision === "f32" ? 0.0005 : 0.005);
    const [again] = await onDevice(paper, { scheme, precision });
    expect([again.u, again.v]).toEqual([flow.u, flow.v]);
  });
}

it("medians, several warps, levels in one workgroup, and a batch of pairs", async () => {
  const pairs = [pair, madePair("shift", 2, 45, 35)];
  const options = { ...FLOW_PRESETS.quality, warps: 2, iterations: 4 };
  const flows = await onDevice(options, { scheme: SCHEMES.level({ workgroup: [16, 16] }) }, pairs);
  expect(flows[0].schemes).toEqual(["tiled (4)", "level"]);
  for (const [k, flow] of flows.entries()) {
    expect(scoreFlow(flow, await onCpu(pairs[k], options)).quantiles.p99).toBeLessThan(0.001);
  }
  expect(scoreFlow(flows[0], flows[1]).epe).toBeGreaterThan(0.5);
});

it("another zoom, median and presmoothing, and a stop by epsilon where the twin stops, in place", async () => {
  const options = { ...paper, zoom: 0.7, presmooth: 0, median: 3, iterations: 40, epsilon: 0.02 };
  const [flow] = await onDevice(options, { scheme: SCHEMES.global() });
  const twin = await onCpu(pair, options);
  expect(flow.iterations).toEqual(twin.iterations);
  expect(flow.iterations.flat().some((count) => count < 40)).toBe(true);
  expect(scoreFlow(flow, twin).quantiles.p999).toBeLessThan(0.001);
});

it("refuses what the device cannot hold, with the limit", async () => {
  const run = (scheme) => onDevice({ ...paper, iterations: 50 }, { scheme });
  await expect(run(SCHEMES["shared-pipeline"]({ depth: 9 }))).rejects.toThrow(
    /in f32 on this device; give --depth 1 to 6/,
  );
  await expect(run(SCHEMES.fused({ workgroup: [64, 64] }))).rejects.toThrow(
    /64 × 64 threads is more than the device's 256/,
  );
});

/** SwiftShader has no half arithmetic. Dawn's null backend runs nothing, but compiles WGSL and checks bindings with every feature. */
it("the kernels in f16 compile and bind", async () => {
  Object.assign(globalThis, globals);
  const instance = create(["backend=null"]);
  const adapter = await instance.requestAdapter();
  if (adapter === null) throw new Error("Dawn has no null backend: this test must not pass without it");
  const device = await adapter.requestDevice({ requiredFeatures: ["shader-f16"] });
  const of = { vendor: "", backend: "null", driver: "", features: [], maxBindingBytes: 0, maxWorkgroupBytes: 0 };
  const description = { ...of, kind: "software", name: "null", maxWorkgroupThreads: 0, subgroup: [0, 0] };
  const nothing = new GpuSession(/** @type {any} */ ({ instance, adapter, description }), device);
  const options = { ...FLOW_PRESETS.quality, warps: 1, iterations: 3 };
  // The null backend binds eight storage buffers at most, and global-pipeline takes nine; its pieces are those of the others.
  for (const name of Object.keys(CHOICES).filter((one) => one !== "global-pipeline")) {
    const steps = createGpuFlow(nothing, { precision: "f16", scheme: SCHEMES[name](), now });
    await nothing.scoped(name, () => computeFlows([pair], options, steps));
    steps.destroy();
  }
  await nothing.close();
});
