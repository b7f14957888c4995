import { createLinkScorer } from "../costs/gpu-pricing.js";
import type { Pricing } from "../costs/price.js";
import type { DeviceChoice } from "../gpu/adapter.js";
import { openSession } from "../gpu/open-session.js";
import type { GpuSession } from "../gpu/session.js";
import { createCpuSteps } from "../map/dual/cpu-steps.js";
import type { AscentSteps } from "../map/dual/steps.js";
import { createGpuSteps } from "../map/gpu/gpu-steps.js";
import type { Instance } from "../map/instance/instance.js";

/** Where ascents run: made once, used for any number of solves, closed at the end. */
export interface Backend {
  readonly requested: DeviceChoice;
  /** "cpu", or the adapter's name. */
  readonly actual: string;
  /** With what the links were priced from, a GPU prices them itself; null where costs came without. */
  createSteps(instance: Instance, linkPricing?: Pricing | null): Promise<AscentSteps>;
  close(): Promise<void>;
}

export interface BackendOptions {
  /** Worker threads of the CPU. */
  readonly threads: number;
  /** Seconds since some fixed time. */
  readonly now: () => number;
  /** Time every kernel on a GPU. */
  readonly profile?: boolean;
}

/** What a choice of device turned out to be: one session for everything a run does there, or null for the CPU. */
export interface Device {
  readonly requested: DeviceChoice;
  /** "cpu", or the adapter's name. */
  readonly actual: string;
  readonly session: GpuSession | null;
  close(): Promise<void>;
}

/**
 * Opens the device a choice means: auto takes a real GPU if there is one and the CPU if not; a software adapter runs only when
 * asked for by name.
 * @throws DeviceError when the device asked for cannot be had
 */
export async function openDevice(requested: DeviceChoice): Promise<Device> {
  const session = await openSession(requested);
  return {
    requested,
    actual: session?.description.name ?? "cpu",
    session,
    close: async () => session?.close(),
  };
}

/** A device of its own for ascents; closing the backend closes the device. */
export async function openBackend(requested: DeviceChoice, options: BackendOptions): Promise<Backend> {
  const device = await openDevice(requested);
  return { ...backendOn(device, options), close: () => device.close() };
}

/** Ascents on a device that other work shares; closing the backend leaves it open. */
export function backendOn({ requested, actual, session }: Device, options: BackendOptions): Backend {
  const { threads, now, profile = false } = options;
  if (session === null) return cpuBackend(requested, threads, now);
  return {
    requested,
    actual,
    createSteps: (instance, linkPricing = null) => {
      const scoreLinks = linkPricing && createLinkScorer(session, linkPricing);
      return createGpuSteps(session, instance, { now, profile, scoreLinks });
    },
    close: async () => {},
  };
}

/** The CPU as a backend: f64, on up to `threads` worker threads. */
export function cpuBackend(requested: DeviceChoice, threads: number, now: () => number): Backend {
  return {
    requested,
    actual: "cpu",
    createSteps: async (instance) => createCpuSteps(instance, { threads, now }),
    close: async () => {},
  };
}
