import type { GpuLapBatch } from "../../lap/gpu-batch.js";
import type { Parity } from "../dual/steps.js";
import { type GpuMemory, TRACKS } from "./gpu-memory.js";
import type { GpuPhases } from "./gpu-phases.js";
import { linksAmong } from "./gpu-read.js";
import type { KernelRuns } from "./kernel-runs.js";

/** Tracks from the last assignment by `sweeps` rounds of [C12]'s move over the even and the odd pairs: see AscentSteps.repairTracks. */
export async function repairTracks(
  memory: GpuMemory,
  laps: GpuLapBatch,
  runs: KernelRuns,
  phases: GpuPhases,
  sweeps: number,
): Promise<Int32Array> {
  const { recorder } = runs;
  const { work } = memory;
  recorder.copy(memory.laps.columnOfRow, laps.columnOfRow);
  recorder.copy(memory.laps.dual, laps.dual);
  phases.chooseFrom(TRACKS);
  for (let half = 0; half < 2 * sweeps; half++) {
    const parity = (half % 2) as Parity;
    runs.overRange("between", memory.pairTails[parity], TRACKS);
    recorder.kernel("tracks", (pass) => laps.encodeCosts(pass, work.buffer("local")));
    recorder.kernel("tracks", (pass) => laps.encodeSolve(pass, { warm: true, subset: parity + 1 }));
    phases.chooseFrom(TRACKS);
  }
  const [outEdges] = await runs.readBack([work.buffer(TRACKS.outEdge)]);
  return linksAmong(memory.graph, outEdges);
}
