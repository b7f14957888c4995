import { basename } from "node:path";
import type { DeviceChoice } from "../gpu/adapter.js";
import { PassLog } from "../gpu/timer.js";
import { createCpuTbd } from "../pixels/before-detect/cpu.js";
import type { TbdSteps } from "../pixels/before-detect/detect.js";
import { createGpuTbd } from "../pixels/before-detect/gpu/gpu-tbd.js";
import { openDevice } from "./device.js";

/** Kernels of one call that a profile times, at most. */
const MOST_PASSES = 2000;

export interface TbdTimes {
  /** Seconds that the recursion and the search for maxima were waited for. */
  recursion: number;
  peaks: number;
  /** Seconds of each kernel by the device's clock, where they are timed. */
  readonly kernels: Record<string, number>;
}

export interface TbdDevice {
  readonly steps: TbdSteps;
  /** The reason for which "auto" did not look for a GPU. */
  readonly why: string | undefined;
  /** So far. */
  readonly times: Readonly<TbdTimes>;
  close(): Promise<void>;
}

/**
 * Opens the device that computes track-before-detect; call close() at the end. auto takes a real GPU if there is one and the CPU if not.
 * @param now seconds since some fixed time
 * @param profile time every kernel of a GPU by its clock, which is a little slower
 */
export async function openTbd(choice: DeviceChoice, now: () => number, profile = false): Promise<TbdDevice> {
  const { session, why, close } = await openDevice(choice);
  const steps = session === null ? createCpuTbd() : createGpuTbd(session);
  const log = profile && session?.hasTimestamps ? new PassLog(session, MOST_PASSES) : null;
  const times: TbdTimes = { recursion: 0, peaks: 0, kernels: {} };
  const timed = async <Result>(part: "recursion" | "peaks", work: () => Promise<Result>): Promise<Result> => {
    const from = now();
    const result = log === null ? await work() : await logged(log, work, times.kernels);
    times[part] += now() - from;
    return result;
  };
  return {
    steps: {
      device: steps.device,
      begin: (size, options) => steps.begin(size, options),
      advance: (frames, k0) => timed("recursion", () => steps.advance(frames, k0)),
      peaks: (least, radius) => timed("peaks", () => steps.peaks(least, radius)),
      state: () => steps.state(),
      destroy: () => steps.destroy(),
    },
    why,
    times,
    close: async () => {
      steps.destroy();
      log?.destroy();
      await close();
    },
  };
}

/** Adds the seconds of each kernel that the work runs. */
async function logged<Result>(log: PassLog, work: () => Promise<Result>, kernels: Record<string, number>) {
  let result!: Result;
  const passes = await log.of(async () => {
    result = await work();
  }, true);
  for (const { label, milliseconds } of passes) {
    const kernel = basename(label, ".wgsl");
    kernels[kernel] = (kernels[kernel] ?? 0) + milliseconds / 1000;
  }
  return result;
}
