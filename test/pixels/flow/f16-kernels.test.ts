import { expect, it } from "vitest";
import { create, globals } from "webgpu";
import { GpuSession } from "../../../src/gpu/session.js";
import { scaleOf } from "../../../src/pixels/flow/flow.js";
import { createGpuFlow } from "../../../src/pixels/flow/gpu/gpu-flow.js";
import { FLOW_PRESETS } from "../../../src/pixels/flow/options.js";
import { pyramidSizes } from "../../../src/pixels/pyramid.js";
import { madePair, now } from "./images.js";

/** SwiftShader has no half arithmetic. Dawn's null backend runs nothing, but compiles WGSL and checks bindings with every feature. */
async function nullSession(): Promise<GpuSession> {
  Object.assign(globalThis, globals);
  const instance = create(["backend=null"]);
  const adapter = await instance.requestAdapter();
  if (adapter === null) throw new Error("Dawn has no null backend: this test must not pass without it");
  const device = await adapter.requestDevice({ requiredFeatures: ["shader-f16"] });
  const description = {
    kind: "software" as const,
    name: "null",
    vendor: "",
    backend: "null",
    driver: "",
    features: [],
    maxBindingBytes: 0,
    maxWorkgroupBytes: 0,
    maxWorkgroupThreads: 0,
    subgroup: [0, 0] as const,
  };
  return new GpuSession({ instance, adapter, description }, device);
}

it("the kernels in f16 compile and bind", async () => {
  const session = await nullSession();
  try {
    const pair = madePair("shift", 1, 40, 33);
    const options = { ...FLOW_PRESETS.quality, warps: 1, iterations: 3 };
    const steps = createGpuFlow(session, { precision: "f16", now });
    const sizes = pyramidSizes(pair.first, options.levels, options.zoom);
    await session.scoped("flow", async () => {
      await steps.begin([{ ...pair, scale: scaleOf(pair) }], sizes, options);
      await steps.enter(sizes.length - 1);
      await steps.warp();
      await steps.iterate(3);
      await steps.finish();
    });
    steps.destroy();
    expect(session.device.features.has("shader-f16")).toBe(true);
  } finally {
    await session.close();
  }
});
