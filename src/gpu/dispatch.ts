/** How many workgroups a kernel is run over. */
import type { GpuSession } from "./session.js";
import type { Kernel } from "./wgsl/kernel.js";

/** At least as many workgroups as asked for, in rows where one axis does not hold them; the kernel leaves out those beyond. */
export function rowsOf({ mostGroups }: GpuSession, groups: number): [number, number] {
  const x = Math.min(groups, mostGroups);
  return [x, Math.ceil(groups / x)];
}

/** Workgroups that give a thread to each element, in rows where one axis does not hold them; the kernel leaves out threads beyond. */
export function threadsFor({ session, workgroupSize }: Kernel, elements: number): [number, number] {
  return rowsOf(session, Math.ceil(elements / workgroupSize[0]));
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
 * Workgroups along one axis that give a thread to each element, or as many as the axis holds: the kernel's threads must take the next
 * element of their stride.
 */
export function strideOver({ session, workgroupSize }: Kernel, elements: number): number {
  return Math.min(session.mostGroups, Math.ceil(elements / workgroupSize[0]));
}
