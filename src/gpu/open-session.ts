/** Opens devices. Only src/run may import this file, so that a run has one session that everything in it shares. */
import { type DeviceChoice, type FoundAdapter, findAdapter, loadDawn } from "./adapter.js";
import { DeviceError } from "./device-error.js";
import { GpuSession } from "./session.js";

const WANTED_FEATURES: readonly GPUFeatureName[] = ["subgroups", "timestamp-query"];
const WANTED_LIMITS = [
  "maxBufferSize",
  "maxStorageBufferBindingSize",
  "maxStorageBuffersPerShaderStage",
  "maxComputeWorkgroupStorageSize",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX",
  "maxComputeWorkgroupSizeY",
  "maxComputeWorkgroupsPerDimension",
] as const;

/**
 * Opens the device that a choice means; returns null where it means the CPU. Of `features` the device gets those that it supports.
 * @throws DeviceError when it cannot be opened
 */
export async function openSession(
  choice: DeviceChoice,
  features: readonly GPUFeatureName[] = [],
): Promise<GpuSession | null> {
  const found = await findAdapter(choice, features);
  if (found === null) return null;
  Object.assign(globalThis, (await loadDawn())?.globals);
  return new GpuSession(found, await requestDevice(found, features));
}

async function requestDevice(
  { adapter, description }: FoundAdapter,
  features: readonly GPUFeatureName[],
): Promise<GPUDevice> {
  const requiredLimits: Record<string, number> = {};
  for (const name of WANTED_LIMITS) requiredLimits[name] = adapter.limits[name];
  const requiredFeatures = [...WANTED_FEATURES, ...features].filter((feature) => adapter.features.has(feature));
  try {
    return await adapter.requestDevice({ label: "rmap", requiredFeatures, requiredLimits });
  } catch (error) {
    throw new DeviceError(
      `${description.name} gave no device: ${(error as Error).message}; choose another with --device`,
    );
  }
}
