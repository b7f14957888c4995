/** LAPs that are solved as matrices, which lie in as few buffers as a device's binding allows. */
import { startsOf } from "../../core/rows.js";
import { writeStorage } from "../../gpu/buffers.js";
import { strideOver } from "../../gpu/dispatch.js";
import type { GpuSession } from "../../gpu/session.js";
import { type Kernel, loadKernel } from "../../gpu/wgsl/kernel.js";
import type { Step, Workspace } from "../../gpu/workspace.js";
import { type BatchPart, FORBIDDEN, type LapBatchShape, type LapTable, largest, partsOf } from "./batch-layout.js";
import { type KernelChoice, type KernelPlan, planKernel } from "./gpu-plan.js";

/** LAPs whose matrices share the buffer `costs`. */
export interface MatrixPart extends BatchPart {
  readonly costs: string;
  /** Clears the matrices of a sparse batch. */
  readonly fill: Step | null;
  /** Writes the entries' costs from a buffer into the matrices, or into that of one of its LAPs; null for dense LAPs. */
  readonly scatter: ((entryCosts: string, lap?: number) => Step) | null;
  /** Its LAPs. */
  readonly table: LapTable;
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
  const [solve, fill, scatter] = await Promise.all([
    loadKernel(session, plan.file, { constants: plan.constants, texts: plan.texts }),
    entries && beside("fill", { ABSENT: FORBIDDEN }),
    entries && beside("scatter"),
  ]);
  return { plan, solve, fill, scatter };
}

/** Makes the buffers of the matrices. @param laps those that are solved as matrices, in the order of the tables */
export function makeMatrices(
  work: Workspace,
  kernels: MatrixKernels,
  shape: LapBatchShape,
  laps: readonly number[],
): MatrixPart[] {
  work.storage("scratch", kernels.plan.scratchWords);
  return partsOf(work.session, shape, new Set(laps)).map((part, p) => {
    const ofPart = laps.filter((lap) => lap >= part.first && lap < part.end);
    return makePart(work, kernels, `${p}`, shape, part, ofPart);
  });
}

/** Makes the buffers of a part. @param name what their names end with */
function makePart(
  work: Workspace,
  { plan, solve, fill, scatter }: MatrixKernels,
  name: string,
  { rows, entries }: LapBatchShape,
  part: BatchPart,
  chosen: readonly number[],
): MatrixPart {
  const { first, length, firstEntry, places, records } = part;
  const [costs, laps, outcome] = [`costs ${name}`, `table ${name}`, `outcome ${name}`];
  work.storage(costs, length);
  // A part may be empty, but a binding holds one record at least.
  const held = Math.max(chosen.length, 1);
  const room = work.storage(laps, held * solve.struct("Lap").words);
  writeStorage(work.session, room, solve.struct("Lap").pack(chosen.map((lap) => records[lap - first])));
  work.storage(outcome, held * solve.struct("Outcome").words);
  const table: LapTable = {
    laps: chosen,
    outcome,
    steps({ first, count, warm, slack, buffers: { entryCosts: _, ...state } }) {
      const settings = work.constant(solve.struct("Settings"), { first, laps: count, warm, slack });
      const groups = [Math.min(count, plan.workgroups)] as const;
      return [{ kernel: solve, groups, bound: { ...state, laps, cost: costs, outcome, settings } }];
    },
  };
  if (fill === null || scatter === null || entries === null)
    return { ...part, costs, fill: null, scatter: null, table };
  const place = `places ${name}`;
  work.upload(place, places);
  const firstRow = startsOf(rows);
  return {
    ...part,
    costs,
    fill: { kernel: fill, groups: [strideOver(fill, length)], bound: { dense: costs } },
    scatter(entryCosts, lap) {
      const { rowStart, rowEnd } = entries;
      const [begin, end] =
        lap === undefined
          ? [0, places.length]
          : [rowStart[firstRow[lap]] - firstEntry, rowEnd[firstRow[lap + 1] - 1] - firstEntry];
      const range = work.constant(scatter.struct("Part"), { first: firstEntry, begin, end });
      const bound = { cost: entryCosts, place, dense: costs, part: range };
      return { kernel: scatter, groups: [strideOver(scatter, end - begin)], bound };
    },
    table,
  };
}
