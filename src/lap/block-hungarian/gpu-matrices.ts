/** LAPs that are solved as matrices, which lie in as few buffers as a device's binding allows. */
import { writeStorage } from "../../gpu/buffers.js";
import { strideOver } from "../../gpu/dispatch.js";
import type { GpuSession } from "../../gpu/session.js";
import { type Kernel, loadKernel } from "../../gpu/wgsl/kernel.js";
import type { Step, Workspace } from "../../gpu/workspace.js";
import { type BatchPart, FORBIDDEN, type LapBatchShape, type LapSelection, largest, partsOf } from "./batch-layout.js";
import { type KernelChoice, type KernelPlan, planKernel } from "./gpu-plan.js";

/** LAPs whose matrices share the buffer `costs`. */
export interface MatrixPart extends BatchPart {
  readonly costs: string;
  /** Clears the matrices of a sparse batch, and writes the entries' costs into them. */
  readonly fill: Step | null;
  readonly scatter: Step | null;
  /** All its LAPs, then those of each subset. */
  readonly selections: readonly LapSelection[];
}

export interface MatrixKernels {
  readonly plan: KernelPlan;
  readonly solve: Kernel;
  readonly fill: Kernel | null;
  readonly scatter: Kernel | null;
}

/** @param laps those that are solved as matrices */
export async function loadMatrixKernels(
  session: GpuSession,
  { rows, columns, entries }: LapBatchShape,
  laps: readonly number[],
  choice: KernelChoice,
): Promise<MatrixKernels> {
  const most = (sizes: Uint32Array) => largest(Uint32Array.from(laps, (lap) => sizes[lap]));
  const plan = planKernel(session, most(rows), most(columns), laps.length, choice);
  const beside = (name: string, constants = {}) =>
    loadKernel(session, new URL(`./${name}.wgsl`, import.meta.url), { constants });
  return {
    plan,
    solve: await loadKernel(session, plan.file, { constants: plan.constants }),
    fill: entries && (await beside("fill", { ABSENT: FORBIDDEN })),
    scatter: entries && (await beside("scatter")),
  };
}

/** Makes the buffers of the matrices. @param lists the LAPs that are solved as matrices, then those of them in each subset */
export function makeMatrices(
  work: Workspace,
  kernels: MatrixKernels,
  shape: LapBatchShape,
  lists: readonly (readonly number[])[],
): MatrixPart[] {
  work.storage("scratch", kernels.plan.scratchWords);
  return partsOf(work.session, shape, new Set(lists[0])).map((part, p) => {
    const ofPart = lists.map((list) => list.filter((lap) => lap >= part.first && lap < part.end));
    return makePart(work, kernels, `${p}`, part, ofPart, shape.slack ?? 0);
  });
}

/** Makes the buffers of a part. @param name what their names end with */
function makePart(
  work: Workspace,
  { plan, solve, fill, scatter }: MatrixKernels,
  name: string,
  part: BatchPart,
  lists: readonly (readonly number[])[],
  slack: number,
): MatrixPart {
  const { first, length, firstEntry, places, records } = part;
  const costs = `costs ${name}`;
  work.storage(costs, length);
  const selections = lists.map((chosen, s): LapSelection => {
    const [laps, outcome] = [`table ${name} ${s}`, `outcome ${name} ${s}`];
    // A selection may be empty, but a binding holds one record at least.
    const [table, held] = [solve.struct("Lap"), Math.max(chosen.length, 1)];
    const buffer = work.storage(laps, held * table.words);
    writeStorage(work.session, buffer, table.pack(chosen.map((lap) => records[lap - first])));
    work.storage(outcome, held * solve.struct("Outcome").words);
    const stepOf = (warm: number): Step => {
      const settings = work.constant(solve.struct("Settings"), { laps: chosen.length, warm, slack });
      const groups = [Math.min(chosen.length, plan.workgroups)] as const;
      return { kernel: solve, groups, bound: { laps, cost: costs, outcome, settings } };
    };
    return { laps: chosen, cold: [stepOf(0)], warm: [stepOf(1)], outcome };
  });
  if (fill === null || scatter === null) return { ...part, costs, fill: null, scatter: null, selections };
  const place = `places ${name}`;
  work.upload(place, places);
  const range = work.constant(scatter.struct("Part"), { first: firstEntry, entries: places.length });
  const bound = { cost: "entry costs", place, dense: costs, part: range };
  return {
    ...part,
    costs,
    fill: { kernel: fill, groups: [strideOver(fill, length)], bound: { dense: costs } },
    scatter: { kernel: scatter, groups: [strideOver(scatter, places.length)], bound },
    selections,
  };
}
