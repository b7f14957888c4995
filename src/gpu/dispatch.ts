/** Dispatches that are made once and recorded many times: in one pass, and run on their own with an answer read back. */
import { readStorage } from "./buffers.js";
import type { GpuSession } from "./session.js";
import type { Kernel } from "./wgsl/kernel.js";

/** A kernel with its buffers, and the workgroups along x and y that it is run over. */
export interface Dispatch {
  readonly kernel: Kernel;
  readonly group: GPUBindGroup;
  readonly x: number;
  readonly y: number;
}

/** So many workgroups or some more, in rows where one axis does not hold them; the kernel leaves out those beyond. */
export function gridOf({ mostGroups }: GpuSession, groups: number): { readonly x: number; readonly y: number } {
  const x = Math.min(groups, mostGroups);
  return { x, y: Math.ceil(groups / x) };
}

/** The same as a list. */
export function rowsOf(session: GpuSession, groups: number): [number, number] {
  const { x, y } = gridOf(session, groups);
  return [x, y];
}

/** Workgroups that give a thread to each pixel of `planes` planes. */
export function tilesOf(
  { workgroupSize: [x, y] }: Kernel,
  { width, height }: { readonly width: number; readonly height: number },
  planes = 1,
): [number, number, number] {
  return [Math.ceil(width / x), Math.ceil(height / y), planes];
}

/**
 * Workgroups along one axis that give a thread to each of so many elements, or as many as the axis holds: the kernel's threads must take
 * the next element of their stride.
 */
export function strideOver({ session, workgroupSize }: Kernel, elements: number): number {
  return Math.min(session.mostGroups, Math.ceil(elements / workgroupSize[0]));
}

/** Records the dispatches, one after the other, in a pass of their own. */
export function recordPass(
  encoder: GPUCommandEncoder,
  label: string,
  dispatches: readonly Dispatch[],
  timestampWrites?: GPUComputePassTimestampWrites,
): void {
  const pass = encoder.beginComputePass({ label, ...(timestampWrites && { timestampWrites }) });
  for (const { kernel, group, x, y } of dispatches) kernel.dispatch(pass, group, x, y);
  pass.end();
}

/**
 * Records by `encode`, submits, and reads the buffers back, inside error scopes.
 * @throws DeviceError for what the device refuses
 */
export async function runAndRead(
  session: GpuSession,
  label: string,
  encode: (encoder: GPUCommandEncoder) => void,
  buffers: readonly GPUBuffer[],
): Promise<ArrayBuffer[]> {
  return await session.scoped(label, () => {
    const encoder = session.device.createCommandEncoder({ label });
    encode(encoder);
    session.device.queue.submit([encoder.finish()]);
    return readStorage(session, buffers);
  });
}
