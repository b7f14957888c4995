/** gpu.js on the session's own device, so that its kernels read our buffers and ours read theirs. */
import type { GPU, WebGPUBufferResult } from "gpu.js";
import { DeviceError } from "./device-error.js";
import type { GpuSession } from "./session.js";

/** What the package exports beside its types. */
declare module "gpu.js" {
  interface SharedContext {
    readonly device: GPUDevice;
  }
  const WebGPUContext: { acquire(): Promise<SharedContext> };
  /** The result of a kernel with pipeline: true, and what any kernel takes for an array. */
  class WebGPUBufferResult {
    constructor(settings: { buffer: GPUBuffer; output: readonly number[]; context: SharedContext });
    readonly buffer: GPUBuffer;
    delete(): void;
  }
}

export interface GpuJs {
  readonly gpu: GPU;
  /** A buffer of f32 as a kernel's array argument, `shape` its sizes from the innermost; it stays the caller's. */
  asArgument(buffer: GPUBuffer, shape: readonly number[]): WebGPUBufferResult;
  /** Frees what its kernels made; due before the session's close(). */
  release(): Promise<void>;
}

/**
 * A gpu.js instance in WebGPU mode that shares the session's device. gpu.js keeps one device per process until that is lost, so
 * a second session may open one only after the first was closed.
 */
export async function openGpuJs(session: GpuSession): Promise<GpuJs> {
  // Loaded only here: it takes a tenth of a second.
  const { GPU, WebGPUBufferResult, WebGPUContext } = await import("gpu.js");
  const { device } = session;
  const seen = withoutConsole(device);
  const adapter = { limits: device.limits, features: device.features, requestDevice: async () => seen };
  const { gpu, context } = await withNavigator({ requestAdapter: async () => adapter }, async () => ({
    context: await WebGPUContext.acquire(),
    gpu: new GPU({ mode: "webgpu" }),
  }));
  if (context.device.queue !== device.queue) {
    throw new DeviceError("gpu.js still holds the device of another session: close that one first");
  }
  return {
    gpu,
    asArgument(buffer, shape) {
      return new WebGPUBufferResult({ buffer, output: shape, context });
    },
    release: () => gpu.destroy(),
  };
}

/**
 * The device without what gpu.js would say on the console: it reports every loss but a wanted one, and takes over
 * onuncapturederror. Both are the session's to report.
 */
function withoutConsole(device: GPUDevice): GPUDevice {
  return new Proxy(device, {
    get(target, key) {
      if (key === "lost") return target.lost.then(() => ({ reason: "destroyed", message: "" }));
      const value = Reflect.get(target, key, target) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
    set: (target, key, value) => key === "onuncapturederror" || Reflect.set(target, key, value, target),
  });
}

/** Runs `work` while navigator.gpu is `gpu`, which gpu.js asks for its adapter. */
async function withNavigator<Result>(gpu: object, work: () => Promise<Result>): Promise<Result> {
  const before = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  const navigator = Object.create((before?.value as object | undefined) ?? null, { gpu: { value: gpu } });
  Object.defineProperty(globalThis, "navigator", { value: navigator, configurable: true, writable: true });
  try {
    return await work();
  } finally {
    if (before === undefined) Reflect.deleteProperty(globalThis, "navigator");
    else Object.defineProperty(globalThis, "navigator", before);
  }
}
