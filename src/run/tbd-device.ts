import { InputError } from "../core/errors.js";
import type { DeviceChoice } from "../gpu/adapter.js";
import { createCpuTbd } from "../pixels/before-detect/cpu.js";
import { createGpuTbd, type GpuTbdOptions } from "../pixels/before-detect/gpu/gpu-tbd.js";
import type { TbdSteps } from "../pixels/before-detect/steps.js";
import { openDevice } from "./device.js";

/**
 * Opens the device that computes track-before-detect; call close() at the end. auto takes a real GPU if there is one and the CPU if not.
 * @throws InputError for kernels asked of the CPU, and workgroups the device does not take
 */
export async function openTbd(
  choice: DeviceChoice,
  options: GpuTbdOptions,
): Promise<{ steps: TbdSteps; close(): Promise<void> }> {
  const device = await openDevice(choice);
  const steps = await stepsOn(device.session, options).catch(async (error) => {
    await device.close();
    throw error;
  });
  return {
    steps,
    close: async () => {
      steps.destroy();
      await device.close();
    },
  };
}

async function stepsOn(session: Awaited<ReturnType<typeof openDevice>>["session"], options: GpuTbdOptions) {
  if (session === null) {
    if (options.variant !== undefined || options.workgroup !== undefined) {
      throw new InputError(
        "before-detect: --variant and --workgroup are of a GPU, and this runs on the CPU; leave them out, or choose --device",
      );
    }
    return createCpuTbd(options.now);
  }
  const [x, y] = options.workgroup ?? [1, 1];
  const { maxComputeInvocationsPerWorkgroup: most } = session.device.limits;
  if (x < 1 || y < 1 || x * y > most) {
    throw new InputError(`--workgroup ${x}x${y}: ${session.description.name} takes 1 to ${most} threads; change it`);
  }
  return createGpuTbd(session, options);
}
