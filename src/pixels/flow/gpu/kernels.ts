import type { GpuSession } from "../../../gpu/session.js";
import { type Kernel, loadKernel } from "../../../gpu/wgsl/kernel.js";
import type { FlowPrecision } from "../options.js";
import type { IterationPlan } from "./scheme.js";
import { smoothedText } from "./smoothed.js";

const NAMES = ["shrink", "upsample", "linearize", "settle", "change"] as const;

export interface FlowKernels {
  readonly fixed: Readonly<Record<"blur" | (typeof NAMES)[number], Kernel>>;
  /** Of the iterations, by level and name. */
  readonly iterations: readonly Readonly<Record<string, Kernel>>[];
}

/** Compiles the kernels of a flow, once per device. @param side of the median's window */
export async function loadFlowKernels(
  session: GpuSession,
  precision: FlowPrecision,
  plans: readonly IterationPlan[],
  side: number,
): Promise<FlowKernels> {
  const texts = {
    format: `#import format-${precision}`,
    base: `#import base-${precision === "f32" ? "f32" : "halves"}`,
    smoothed: smoothedText(side),
  };
  const load = async <Name extends string>(entries: readonly (readonly [Name, Parameters<typeof loadKernel>])[]) => {
    const kernels = await Promise.all(entries.map(async ([name, of]) => [name, await loadKernel(...of)] as const));
    return Object.fromEntries(kernels) as Record<Name, Kernel>;
  };
  const beside = (name: string) => new URL(`./${name}.wgsl`, import.meta.url);
  const blur = await loadKernel(session, beside("../../blur"));
  const fixed = { blur, ...(await load(NAMES.map((name) => [name, [session, beside(name), { texts }]]))) };
  const iterations: Readonly<Record<string, Kernel>>[] = [];
  for (const { kernels } of plans) {
    const ofLevel = Object.entries(kernels).map(([name, { file, constants, texts: pieces }]) => {
      return [name, [session, file, { constants, texts: { ...texts, ...pieces } }]] as const;
    });
    iterations.push(await load(ofLevel as unknown as [string, Parameters<typeof loadKernel>][]));
  }
  return { fixed, iterations };
}
