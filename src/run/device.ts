import { InputError } from "../core/errors.js";
import { missing } from "../core/optional-package.js";
import { createLinkPricer } from "../costs/gpu-pricing.js";
import type { Pricing } from "../costs/price.js";
import type { Sizes } from "../costs/sizes.js";
import { gigabytes } from "../files/memory.js";
import { type DeviceChoice, loadDawn } from "../gpu/adapter.js";
import { DeviceMemoryError } from "../gpu/device-error.js";
import { openSession } from "../gpu/open-session.js";
import type { GpuSession } from "../gpu/session.js";
import type { LapMethod } from "../lap/method.js";
import { loadSparseKernels } from "../lap/sparse/gpu-sparse.js";
import { createCpuSteps } from "../map/dual/cpu-steps.js";
import type { AscentSteps } from "../map/dual/steps.js";
import { deviceBytes, largestArray } from "../map/gpu/gpu-bytes.js";
import { loadKernels } from "../map/gpu/gpu-kernels.js";
import { REMEDY_FOR_MEMORY } from "../map/gpu/gpu-memory.js";
import { createGpuSteps } from "../map/gpu/gpu-steps.js";
import { loneCosts } from "../map/instance/exclusions.js";
import type { Graph } from "../map/instance/instance.js";
import type { TripletRuleName } from "../map/instance/triplet-rules.js";
import type { Solver } from "./price.js";
import { expectedSeconds } from "./speed.js";

/** Where ascents run: made once, used for any number of solves, closed at the end. */
export interface Backend extends Solver {
  readonly requested: DeviceChoice;
  /** "cpu", or the adapter's name. */
  readonly actual: string;
  /** The reason for which "auto" did not look for a GPU. */
  readonly why?: string | undefined;
  /** Those of the shards of the last ascent, in order, where other hosts had some. */
  readonly hosts?: string[] | undefined;
  /** Whether its ascents weigh the rows of divisions (docs/explanation/mathematics.md §1.3), or leave them to the certificate. */
  readonly weighsDivisions: boolean;
  /** Has the kernels compiled that steps with computed triplets will need, while their costs are made. */
  prepare?(rule: TripletRuleName, mostInFrame: number): void;
  /** `linkPricing` lets a GPU price the links itself; it is null where the costs came with the input. */
  createSteps(graph: Graph, linkPricing?: Pricing | null): Promise<AscentSteps>;
  close(): Promise<void>;
}

/** Bytes below which a device is not asked whether it has them, and of the smallest piece that it is asked for. */
const ASKED_FROM = 2 ** 30;
const LEAST_ASKED = 2 ** 26;

export interface BackendOptions {
  /** Worker threads of the CPU. */
  readonly threads: number;
  /** Seconds since some fixed time. */
  readonly now: () => number;
  /** Time every kernel on a GPU. */
  readonly profile?: boolean;
  /** What solves the X-LAPs on a GPU [auto]. */
  readonly xLaps?: LapMethod;
}

/** The device that ran, as results state it. */
export function ranOn({ requested, actual, why, hosts }: Pick<Backend, "requested" | "actual" | "why" | "hosts">) {
  return { requested, actual, ...(why !== undefined && { why }), ...(hosts && { hosts }) };
}

/** The device that a choice led to: one session for everything a run does there, or null for the CPU. */
export interface Device {
  readonly requested: DeviceChoice;
  /** "cpu", or the adapter's name. */
  readonly actual: string;
  /** The reason for which "auto" did not look for a GPU. */
  readonly why?: string | undefined;
  readonly session: GpuSession | null;
  close(): Promise<void>;
}

/**
 * Opens the device a choice means: auto takes a real GPU if there is one and the CPU if not; a software adapter runs only when
 * asked for by name.
 * @param features wanted beside those of every session; session.device.features has those that the device offers
 * @throws DeviceError when the device asked for cannot be had
 */
export async function openDevice(requested: DeviceChoice, features: readonly GPUFeatureName[] = []): Promise<Device> {
  const session = await openSession(requested, features);
  const isBlind = requested === "auto" && session === null && (await loadDawn()) === null;
  return {
    requested,
    actual: session?.description.name ?? "cpu",
    why: isBlind ? missing("a GPU", ["webgpu"]) : undefined,
    session,
    close: async () => session?.close(),
  };
}

/**
 * Opens a GPU, or the software driver, for work that has no engine for the CPU.
 * @throws InputError where there is none
 */
export async function openGpu(requested: "auto" | "gpu" | "software"): Promise<Device & { session: GpuSession }> {
  // Where there is no GPU, "auto" opens nothing and gives the reason; "gpu" would be told to take the CPU.
  const device = await openDevice(requested === "gpu" ? "auto" : requested);
  const { session, why } = device;
  if (session !== null) return { ...device, requested, session };
  const problem = `--device ${requested}: ${why ?? "there is no GPU"}`;
  throw new InputError(`${problem}; --device software tries the kernels without one`);
}

/** Does some work on the device that a choice means, and closes it. */
export async function onDevice<Result>(
  requested: DeviceChoice,
  work: (device: Device) => Promise<Result>,
): Promise<Result> {
  const device = await openDevice(requested);
  try {
    return await work(device);
  } finally {
    await device.close();
  }
}

/**
 * A device of its own for ascents; closing the backend closes the device. "auto" chooses for each graph, or takes a GPU where kernels are named, which only
 * that has.
 */
export async function openBackend(requested: DeviceChoice, options: BackendOptions): Promise<Backend> {
  if (requested === "auto" && options.xLaps === undefined) return new AutoBackend(options);
  const device = await openDevice(requested);
  return { ...backendOn(device, options), close: () => device.close() };
}

/** Ascents on a device that other work shares; closing the backend leaves it open. */
export function backendOn({ requested, session, why }: Device, options: BackendOptions): Backend {
  if (session === null) return cpuBackend(requested, options.threads, options.now, why);
  return gpuBackend(requested, session, options);
}

/** An open device as a backend. */
export function gpuBackend(
  requested: DeviceChoice,
  session: GpuSession,
  { now, profile = false, xLaps }: Omit<BackendOptions, "threads">,
): Backend {
  return {
    requested,
    actual: session.description.name,
    weighsDivisions: false,
    computesTriplets: () => true,
    prepare(rule, mostInFrame) {
      const early: Promise<unknown>[] = [loadKernels(session, rule, 0)];
      if (xLaps !== "block-hungarian") early.push(loadSparseKernels(session, mostInFrame));
      // Whoever needs them is told.
      for (const loading of early) loading.catch(() => undefined);
    },
    createSteps: async (graph, linkPricing = null) => {
      if (needsCpu(graph))
        throw new InputError("unused detections and exclusions: a GPU's kernels know neither; use --device cpu");
      await requireInstance(session, graph, xLaps);
      const priceLinks = linkPricing && (await createLinkPricer(session, linkPricing));
      return createGpuSteps(session, graph, { now, profile, priceLinks, xLaps });
    },
    close: async () => {},
  };
}

/** Refuses an instance that the device cannot hold, before any of it is uploaded. */
async function requireInstance(session: GpuSession, graph: Graph, xLaps: LapMethod | undefined): Promise<void> {
  const [whole, most] = [largestArray(graph), session.device.limits.maxStorageBufferBindingSize];
  if (whole > most) {
    throw new DeviceMemoryError(
      `${graph.edges} edges of ${graph.frameStart[graph.frames]} detections need an array of ${gigabytes(whole)}, of which ${session.description.name} binds at most ${gigabytes(most)}: ${Math.floor((graph.edges * most) / whole)} edges would fit`,
      REMEDY_FOR_MEMORY,
    );
  }
  const bytes = deviceBytes(graph, xLaps);
  const granted = await grantedBytes(session, bytes);
  if (granted >= bytes) return;
  const stored = graph.triplets.kind === "csr" ? ` and ${graph.triplets.count} stored triplets` : "";
  const room = Math.floor((graph.edges * granted) / bytes);
  throw new DeviceMemoryError(
    `${graph.edges} edges${stored} need about ${gigabytes(bytes)} of ${session.description.name}, which grants ${gigabytes(granted)}: ${room} edges would fit`,
    REMEDY_FOR_MEMORY,
  );
}

/**
 * Of `wanted` bytes those that a device grants. WebGPU does not tell how much memory there is, so that they are allocated, by the largest buffers that it
 * gives, and freed again.
 */
async function grantedBytes(session: GpuSession, wanted: number): Promise<number> {
  if (wanted < ASKED_FROM) return wanted;
  const { device } = session;
  const buffers: GPUBuffer[] = [];
  let granted = 0;
  let size = Math.min(device.limits.maxBufferSize, device.limits.maxStorageBufferBindingSize);
  while (granted < wanted && size >= LEAST_ASKED) {
    const next = 4 * Math.ceil(Math.min(wanted - granted, size) / 4);
    device.pushErrorScope("out-of-memory");
    buffers.push(device.createBuffer({ label: "room", size: next, usage: GPUBufferUsage.STORAGE }));
    if ((await device.popErrorScope()) === null) granted += next;
    else size /= 2;
  }
  for (const buffer of buffers) buffer.destroy();
  session.check();
  return granted;
}

/** Whether detections exclude each other, or cost something unused, which the CPU alone knows, in one process. */
export function needsCpu(graph: Graph): boolean {
  return graph.exclusions !== null || loneCosts(graph) !== null;
}

/** Whether "auto" leaves a graph to the CPU, however large it is. */
export function staysOnCpu(graph: Graph): boolean {
  return needsCpu(graph) || graph.motherOf !== null;
}

/** The CPU as a backend: f64, on up to `threads` worker threads. */
export function cpuBackend(requested: DeviceChoice, threads: number, now: () => number, why?: string): Backend {
  return {
    requested,
    actual: "cpu",
    why,
    weighsDivisions: true,
    computesTriplets: () => false,
    createSteps: async (graph) => createCpuSteps(graph, { threads, now }),
    close: async () => {},
  };
}

/**
 * The CPU or a GPU, whichever is expected to be faster for a graph. A GPU is looked for once it would be; the CPU takes what the GPU cannot hold. `actual`
 * is where the last graph went.
 */
class AutoBackend implements Backend {
  readonly requested = "auto";
  readonly #cpu: Backend;
  #device: Device | null = null;
  #last: Backend;

  constructor(private readonly options: BackendOptions) {
    this.#cpu = cpuBackend("auto", options.threads, options.now);
    this.#last = this.#cpu;
  }

  get actual(): string {
    return this.#last.actual;
  }

  get why(): string | undefined {
    return this.#last.why;
  }

  get weighsDivisions(): boolean {
    return this.#last.weighsDivisions;
  }

  /** Where a GPU is expected to be done sooner with computed triplets than the CPU with stored ones, and there is one. */
  async computesTriplets({ links, triplets }: Sizes): Promise<boolean> {
    const sizes = { edges: links, triplets: triplets ?? 0 };
    const { threads } = this.options;
    const stored = expectedSeconds({ ...sizes, stored: sizes.triplets }, threads);
    const computed = expectedSeconds({ ...sizes, stored: 0 }, threads);
    return computed.gpu < stored.cpu && (await this.#open()).session !== null;
  }

  async createSteps(graph: Graph, linkPricing: Pricing | null = null): Promise<AscentSteps> {
    this.#last = await this.#fasterFor(graph);
    try {
      return await this.#last.createSteps(graph, linkPricing);
    } catch (error) {
      if (!(error instanceof DeviceMemoryError)) throw error;
      this.#last = { ...this.#cpu, why: error.what };
      return await this.#last.createSteps(graph);
    }
  }

  async close(): Promise<void> {
    await this.#device?.close();
  }

  async #fasterFor(graph: Graph): Promise<Backend> {
    const { edges, triplets } = graph;
    const stored = triplets.kind === "csr" ? triplets.count : 0;
    const { cpu, gpu } = expectedSeconds({ edges, triplets: triplets.count, stored }, this.options.threads);
    if (cpu <= gpu || staysOnCpu(graph)) return this.#cpu;
    return backendOn(await this.#open(), this.options);
  }

  async #open(): Promise<Device> {
    this.#device ??= await openDevice("auto");
    return this.#device;
  }
}
