/** gpu.js on the session's own device, so that its pipeline results are buffers our kernels can bind. */
import { GPU } from "gpu.js";
import type { GpuSession } from "./session.js";

interface NavigatorWithGpu {
  gpu?: unknown;
}

/**
 * A gpu.js instance in WebGPU mode that shares the session's device. gpu.js asks `navigator.gpu` once per process and keeps
 * the answer, so a process can have one such session; `release` takes the global away again, and is due before close().
 */
export async function openGpuJs(session: GpuSession): Promise<{ readonly gpu: GPU; release(): void }> {
  const { device } = session;
  const adapter = { limits: device.limits, features: device.features, requestDevice: async () => device };
  const holder = globalThis as { navigator?: NavigatorWithGpu };
  const before = holder.navigator;
  const { onuncapturederror } = device;
  const shared = Object.create(before ?? null, { gpu: { value: { requestAdapter: async () => adapter } } });
  Object.defineProperty(globalThis, "navigator", { value: shared, configurable: true, writable: true });
  const gpu = new GPU({ mode: "webgpu" as never });
  const release = (): void => {
    gpu.destroy();
    // gpu.js puts a handler of its own there that only prints.
    device.onuncapturederror = onuncapturederror;
    if (before === undefined) Reflect.deleteProperty(globalThis, "navigator");
    else Object.defineProperty(globalThis, "navigator", { value: before, configurable: true, writable: true });
  };
  return { gpu, release };
}
