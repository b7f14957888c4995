/** Kernels, plans of the iterations and buffers for a batch of pairs of one size on a device. */
import { tilesOf } from "../../../gpu/dispatch.js";
import type { GpuSession } from "../../../gpu/session.js";
import { Workspace } from "../../../gpu/workspace.js";
import { gaussianWeights } from "../../gaussian.js";
import { PlaneUpload } from "../../gpu-planes.js";
import type { Size } from "../../image.js";
import { zoomSigma } from "../../pyramid.js";
import type { FlowOptions, FlowPrecision } from "../options.js";
import { type FlowKernels, loadFlowKernels } from "./kernels.js";
import { type FlowScheme, type IterationPlan, PAIR_BYTES } from "./scheme.js";

/** Made once and used for every batch like it. */
export interface FlowBatch {
  readonly key: string;
  readonly pairs: number;
  readonly sizes: readonly Size[];
  readonly options: FlowOptions;
  readonly plans: readonly IterationPlan[];
  readonly kernels: FlowKernels;
  readonly work: Workspace;
  readonly upload: PlaneUpload;
}

/** Fields of the struct Run, where they are not those of a level by itself. */
interface RunFields {
  readonly source?: Size;
  readonly step?: readonly [number, number];
  readonly scale?: number;
  readonly iterations?: number;
  readonly fresh?: number;
}

export async function makeBatch(
  session: GpuSession,
  scheme: FlowScheme,
  key: string,
  pairs: number,
  sizes: readonly Size[],
  options: FlowOptions,
  precision: FlowPrecision,
): Promise<FlowBatch> {
  const { maxComputeInvocationsPerWorkgroup: threads, maxComputeWorkgroupStorageSize: bytes } = session.device.limits;
  const { iterations } = options;
  const plans = sizes.map((size) => scheme({ size, pairs, iterations, precision, threads, bytes }));
  const kernels = await loadFlowKernels(session, precision, plans, options.median);
  const work = new Workspace(session, "flow");
  makeBuffers(work, pairs, sizes, precision, plans);
  work.storage("no other image", 1);
  work.upload("presmoothing", weightsOf(options.presmooth));
  work.upload("smoothing of levels", weightsOf(zoomSigma(options.zoom)));
  const [x, y] = tilesOf(kernels.fixed.change, sizes[0]);
  work.storage("sums", x * y * pairs);
  const upload = new PlaneUpload(work, sizes[0].width * sizes[0].height);
  return { key, pairs, sizes, options, plans, kernels, work, upload };
}

/** The name of the uniform with these arguments. */
export function runOf(
  { options, work, kernels }: FlowBatch,
  size: Size,
  { source = size, step = [1, 1], scale = 1, iterations = 0, fresh = 0 }: RunFields,
): string {
  const { lambda, theta, tau } = options;
  return work.constant(kernels.fixed.shrink.struct("Run"), {
    width: size.width,
    height: size.height,
    sourceWidth: source.width,
    sourceHeight: source.height,
    stepX: step[0],
    stepY: step[1],
    scale,
    iterations,
    fresh,
    limit: lambda * theta,
    theta,
    rate: tau / theta,
  });
}

function weightsOf(sigma: number): Float32Array {
  return sigma === 0 ? Float32Array.of(1) : Float32Array.from(gaussianWeights(sigma));
}

/** The buffers of a batch; planes of all pairs lie one after the other. */
function makeBuffers(
  work: Workspace,
  pairs: number,
  sizes: readonly Size[],
  precision: FlowPrecision,
  plans: readonly IterationPlan[],
): void {
  const pixelsOf = ({ width, height }: Size) => width * height;
  const [pixels, coarsest] = [pixelsOf(sizes[0]), pixelsOf(sizes[sizes.length - 1])];
  const words = PAIR_BYTES[precision] / 4;
  /** Words of u⁰ by pixels: the format f32 has none. */
  const baseOf = (count: number) => (precision === "f32" ? 1 : count);
  const perPair: Record<string, number> = {
    frames: 2 * pixels,
    ...Object.fromEntries(sizes.map((size, level) => [`level ${level}`, 2 * pixelsOf(size)])),
    "unknown zero": words * coarsest,
    "base zero": baseOf(coarsest),
    flow: 2 * pixels,
    slope: words * pixels,
    residual: pixels,
    before: words * pixels,
  };
  for (const n of [0, 1]) {
    Object.assign(perPair, {
      [`unknown ${n}`]: words * pixels,
      [`base ${n}`]: baseOf(pixels),
      [`dual ${n}`]: 2 * words * pixels,
    });
  }
  for (const [name, length] of Object.entries(perPair)) work.storage(name, length * pairs);
  for (const { scratch = {} } of plans) {
    for (const [name, length] of Object.entries(scratch)) work.storage(name, length);
  }
}
