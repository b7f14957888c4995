/// <reference types="@webgpu/types" preserve="true" />

/** Which adapters this machine has, and which of them a `--device` choice means. */
import { ifInstalled, missing } from "../core/optional-package.js";
import { DeviceError } from "./device-error.js";
import { hasSystemLoader, pinLoader, softwareDriver } from "./software.js";

/** auto: a real GPU if there is one, else the CPU. A software adapter runs only when asked for by name. */
export const DEVICE_CHOICES = ["auto", "gpu", "software", "cpu"] as const;

export type DeviceChoice = (typeof DEVICE_CHOICES)[number];

export interface DeviceDescription {
  readonly kind: "gpu" | "software";
  readonly name: string;
  readonly vendor: string;
  readonly backend: string;
  readonly driver: string;
  readonly features: readonly string[];
  /** Bytes; the largest storage binding one kernel may see. */
  readonly maxBindingBytes: number;
  readonly maxWorkgroupBytes: number;
  readonly maxWorkgroupThreads: number;
  /** Threads per subgroup, smallest and largest; 0 without subgroups. */
  readonly subgroup: readonly [number, number];
}

export interface FoundAdapter {
  /** Dawn's instance: it must outlive everything made from it, so it is kept with the device. */
  readonly instance: GPU;
  readonly adapter: GPUAdapter;
  readonly description: DeviceDescription;
}

/** The part of the package webgpu that is used. It is written out so that types hold where the package is not installed. */
interface Dawn {
  create(flags: string[]): GPU;
  readonly globals: object;
}

interface AdapterName {
  readonly backend: string;
  readonly name: string;
}

/** Exact timestamps instead of Dawn's 0.1 ms steps, which exist to blunt attacks from web pages. */
const TIMESTAMPS = "disable-dawn-features=timestamp_quantization";
/**
 * SwiftShader compiles the initial zeros of workgroup memory into a store for each word, seconds for 32 KiB. Without that extension Dawn writes them in
 * a loop of the kernel.
 */
const SOFTWARE_ZEROS = "use_vulkan_zero_initialize_workgroup_memory_extension";
/** Dawn withholds half-precision arithmetic on NVIDIA's devices, where some of its conformance tests fail (crbug 42251215), unless this toggle is set. */
const HALF_ARITHMETIC = "enable-dawn-features=allow_unsafe_apis,vulkan_enable_f16_on_nvidia";
const NO_SUCH_ADAPTER = "adapter=rmap asks for the list";
const SOFTWARE_NAME = /swiftshader|llvmpipe|lavapipe|basic render/i;

/** Dawn for Node, from an optional package; null where that is not installed. */
export function loadDawn(): Promise<Dawn | null> {
  return ifInstalled<Dawn>(["webgpu"], () => import("webgpu"));
}

/** What a device by name needs; "auto" takes the CPU without it. */
async function requireDawn(choice: DeviceChoice): Promise<Dawn> {
  const dawn = await loadDawn();
  if (dawn === null) throw new DeviceError(missing(`--device ${choice}`, ["webgpu"]));
  return dawn;
}

/** Every adapter that Dawn finds: system drivers first, then the bundled software driver where it is installed. */
export async function listDevices(): Promise<DeviceDescription[]> {
  const dawn = await loadDawn();
  if (dawn === null) return [];
  const found = await systemAdapters(dawn);
  const software = await bundledSoftware(dawn).catch(() => null);
  if (software !== null && !found.some((other) => other.description.name === software.description.name)) {
    found.push(software);
  }
  return found.map((one) => one.description);
}

/**
 * The adapter that a choice means, or null where it means the CPU; `features` that Dawn hides by default are enabled.
 * @throws DeviceError when there is none
 */
export async function findAdapter(
  choice: DeviceChoice,
  features: readonly GPUFeatureName[] = [],
): Promise<FoundAdapter | null> {
  if (choice === "cpu") return null;
  const dawn = choice === "auto" ? await loadDawn() : await requireDawn(choice);
  if (dawn === null) return null;
  if (choice === "software") return await bundledSoftware(dawn);
  const real = (await systemAdapters(dawn, features)).find((one) => one.description.kind === "gpu");
  if (real !== undefined) return real;
  if (choice === "auto") return null;
  throw new DeviceError(
    'no GPU found: check the driver with "rmap devices", or choose --device cpu, or --device software to try the kernels',
  );
}

let systemNames: Promise<AdapterName[]> | null = null;

async function systemAdapters({ create }: Dawn, features: readonly GPUFeatureName[] = []): Promise<FoundAdapter[]> {
  const found: FoundAdapter[] = [];
  systemNames ??= adapterNames(create);
  for (const one of await systemNames) {
    const flags = [`backend=${one.backend}`, `adapter=${one.name}`, TIMESTAMPS];
    if (features.includes("shader-f16")) flags.push(HALF_ARITHMETIC);
    const instance = create(flags);
    const adapter = await instance.requestAdapter({ powerPreference: "high-performance" }).catch(() => null);
    if (adapter !== null) found.push({ instance, adapter, description: describe(instance, adapter, one) });
  }
  return found;
}

/** dawn.node lists the adapters only in the message that refuses an unknown one. */
async function adapterNames(create: Dawn["create"]): Promise<AdapterName[]> {
  if (!hasSystemLoader()) return [];
  try {
    await create([NO_SUCH_ADAPTER]).requestAdapter();
    return [];
  } catch (error) {
    const lines = (error as Error).message.matchAll(/backend: '([^']*)', name: '([^']*)'/g);
    return Array.from(lines, ([, backend, name]) => ({ backend: backend ?? "", name: name ?? "" }));
  }
}

/** Only the bundled driver is visible while its adapter is made; other processes and later calls see the old environment. */
async function bundledSoftware({ create }: Dawn): Promise<FoundAdapter> {
  const driver = softwareDriver();
  const before = process.env.VK_DRIVER_FILES;
  process.env.VK_DRIVER_FILES = driver.manifest;
  try {
    pinLoader(driver);
    const instance = create(["backend=vulkan", `${TIMESTAMPS},${SOFTWARE_ZEROS}`]);
    const adapter = await instance.requestAdapter();
    if (adapter === null) throw new DeviceError(`the software driver ${driver.manifest} offers no adapter`);
    const name = { backend: "vulkan", name: adapter.info.device };
    return { instance, adapter, description: describe(instance, adapter, name) };
  } finally {
    if (before === undefined) delete process.env.VK_DRIVER_FILES;
    else process.env.VK_DRIVER_FILES = before;
  }
}

function describe(
  { wgslLanguageFeatures }: GPU,
  adapter: GPUAdapter,
  { backend, name }: AdapterName,
): DeviceDescription {
  const { info, limits, features } = adapter;
  const software = info.isFallbackAdapter || SOFTWARE_NAME.test(`${name} ${info.description}`);
  // Browsers had subgroups before a kernel could ask which one a thread is in.
  const hasSubgroups = features.has("subgroups") && wgslLanguageFeatures.has("subgroup_id");
  return {
    kind: software ? "software" : "gpu",
    // Browsers tell no more than who made it.
    name: name || info.description || info.device || `${info.vendor} ${info.architecture}`,
    vendor: info.vendor,
    backend,
    driver: info.description,
    features: [...features].sort(),
    maxBindingBytes: limits.maxStorageBufferBindingSize,
    maxWorkgroupBytes: limits.maxComputeWorkgroupStorageSize,
    maxWorkgroupThreads: limits.maxComputeInvocationsPerWorkgroup,
    subgroup: hasSubgroups ? [info.subgroupMinSize ?? 0, info.subgroupMaxSize ?? 0] : [0, 0],
  };
}
