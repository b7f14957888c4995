import { InputError } from "../core/errors.js";
import type { DeviceChoice } from "../gpu/adapter.js";
import { createCpuTbd } from "../pixels/before-detect/cpu.js";
import type { TbdSteps } from "../pixels/before-detect/steps.js";
import { openDevice } from "./device.js";

/** Opens what computes track-before-detect; close() it. auto takes a real GPU if there is one and the CPU if not. */
export async function openTbd(
  device: DeviceChoice,
  now: () => number,
): Promise<{ steps: TbdSteps; close(): Promise<void> }> {
  const { session, close } = await openDevice(device);
  if (session !== null) {
    await close();
    throw new InputError("before-detect: kernels are not there yet; choose --device cpu");
  }
  const steps = createCpuTbd(now);
  return {
    steps,
    close: async () => {
      steps.destroy();
      await close();
    },
  };
}
