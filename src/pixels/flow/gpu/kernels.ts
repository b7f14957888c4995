import { invariant } from "../../../core/errors.js";
import type { GpuSession } from "../../../gpu/session.js";
import { type Kernel, loadKernel } from "../../../gpu/wgsl/kernel.js";
import type { FlowPrecision } from "../options.js";
import type { SchemePlan } from "./scheme.js";
import { smoothedText } from "./smoothed.js";
import { tiledBlock } from "./tiled-block.js";

export interface FlowKernels {
  readonly blurRows: Kernel;
  readonly shrink: Kernel;
  readonly upsample: Kernel;
  readonly linearize: Kernel;
  readonly settle: Kernel;
  readonly change: Kernel;
  readonly primal: Kernel;
  readonly dual: Kernel;
  /** The kernel that runs `count` iterations of a level. */
  iterations(plan: SchemePlan, count: number): Kernel;
}

/** Compiles what a flow needs on a device, once per device. */
export async function loadFlowKernels(
  session: GpuSession,
  precision: FlowPrecision,
  plans: readonly SchemePlan[],
  side: number,
): Promise<FlowKernels> {
  const texts = {
    format: `#import format-${precision}`,
    base: `#import base-${precision === "f32" ? "f32" : "halves"}`,
    smoothed: smoothedText(side),
  };
  const load = (file: URL, constants: Record<string, number> = {}, own: Record<string, string> = {}) =>
    loadKernel(session, file, { constants, texts: { ...texts, ...own } });
  const iterations = new Map<string, Kernel>();
  for (const { scheme, depth, workgroup, block, cells } of plans) {
    const [x, y] = workgroup;
    // A key that stands for any count where the kernel learns it when it runs.
    const keep = async (count: number | "any", file: URL, constants: Record<string, number>, own = {}) => {
      iterations.set(`${scheme} ${count}`, await load(file, constants, own));
    };
    if (scheme === "fused") await keep(1, new URL("./fused.wgsl", import.meta.url), { X: x, Y: y });
    if (scheme === "tiled") {
      const [columns, rows] = block;
      const constants = { X: x, Y: y, COLUMNS: columns, ROWS: rows };
      await keep("any", new URL("./tiled.wgsl", import.meta.url), constants, { block: tiledBlock(columns, rows) });
    }
    if (scheme === "level") {
      const constants = { THREADS: x * y, CELLS: cells };
      iterations.set(`level of ${cells}`, await load(new URL("./level.wgsl", import.meta.url), constants));
    }
    // The last dispatch of a warp may hold fewer, and a measured iteration stands alone.
    for (let count = 1; count <= depth; count++) {
      if (scheme === "shared-pipeline") {
        await keep(count, new URL("./shared-pipeline.wgsl", import.meta.url), { W: x, DEPTH: count });
      }
      if (scheme === "global-pipeline") {
        await keep(count, new URL("./global-pipeline.wgsl", import.meta.url), { THREADS: x, DEPTH: count });
      }
    }
  }
  return {
    blurRows: await load(new URL("./blur-rows.wgsl", import.meta.url)),
    shrink: await load(new URL("./shrink.wgsl", import.meta.url)),
    upsample: await load(new URL("./upsample.wgsl", import.meta.url)),
    linearize: await load(new URL("./linearize.wgsl", import.meta.url)),
    settle: await load(new URL("./settle.wgsl", import.meta.url)),
    change: await load(new URL("./change.wgsl", import.meta.url)),
    primal: await load(new URL("./primal.wgsl", import.meta.url)),
    dual: await load(new URL("./dual.wgsl", import.meta.url)),
    iterations({ scheme, cells }, count) {
      const key = scheme === "level" ? `level of ${cells}` : `${scheme} ${count}`;
      const kernel = iterations.get(key) ?? iterations.get(`${scheme} any`);
      invariant(kernel !== undefined, () => `no kernel of scheme ${scheme} for ${count} iterations`);
      return kernel;
    },
  };
}
