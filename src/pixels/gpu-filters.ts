/** Steps that filter planes of a workspace: filter-run.wgsl. */
import { tilesOf } from "../gpu/dispatch.js";
import type { Kernel } from "../gpu/wgsl/kernel.js";
import type { Bound, Step, Workspace } from "../gpu/workspace.js";
import type { Size } from "./image.js";

/** From the planes that `bound` calls `image` to the planes `result`, whose rows are `pitch` numbers apart. */
export function filterStep(
  work: Workspace,
  kernel: Kernel,
  { width, height }: Size,
  bound: Bound,
  { alongX = 0, radius = 0, pitch = width, planes = 1 } = {},
): Step {
  const run = work.constant(kernel.struct("FilterRun"), { width, height, alongX, radius, pitch });
  work.storage(bound.result, planes * pitch * height);
  return { kernel, groups: tilesOf(kernel, { width, height }, planes), bound: { run, ...bound } };
}

export interface BlurKernels {
  readonly alongX: Kernel;
  /** May be a kernel that subtracts the plane `other`. */
  readonly alongY: Kernel;
}

/** The planes `from` convolved with the taps along both axes, by way of the planes `rows`. */
export function blurSteps(
  work: Workspace,
  { alongX, alongY }: BlurKernels,
  size: Size,
  taps: Float32Array,
  from: string,
  to: string,
  { pitch = size.width, other = "no other image", planes = 1 } = {},
): Step[] {
  const radius = (taps.length - 1) / 2;
  const name = `taps ${taps.join(" ")}`;
  work.upload(name, taps);
  work.storage("no other image", 1);
  const shared = { taps: name };
  return [
    filterStep(
      work,
      alongX,
      size,
      { ...shared, image: from, result: "rows", other: "no other image" },
      { alongX: 1, radius, planes },
    ),
    filterStep(work, alongY, size, { ...shared, image: "rows", result: to, other }, { radius, pitch, planes }),
  ];
}
