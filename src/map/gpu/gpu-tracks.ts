import { writeStorage } from "../../gpu/buffers.js";
import type { GpuLapBatch } from "../../lap/gpu-batch.js";
import { UNASSIGNED } from "../../lap/lap.js";
import type { DeviceTracks, Parity } from "../dual/steps.js";
import type { Sides } from "./gpu-kernels.js";
import type { Range } from "./gpu-lists.js";
import { type GpuMemory, TRACKS } from "./gpu-memory.js";
import type { GpuPhases } from "./gpu-phases.js";
import { linksAmong } from "./gpu-read.js";
import type { KernelRuns } from "./kernel-runs.js";

/** Sweeps over even and odd pairs with which tracks are repaired: nearly all improvement is in the first few. */
export const SWEEPS = 6;

/** [C12]'s move keeps the tracks on both sides of a frame pair. */
const BOTH: Sides = { behind: 1, ahead: 1 };

/** Tracks made and repaired on the device, as feasible.ts does it on the host; `laps` are the ascent's, with buffers for tracks beside. */
export function createGpuTracks(
  memory: GpuMemory,
  laps: GpuLapBatch,
  runs: KernelRuns,
  phases: GpuPhases,
  sweeps: number,
): DeviceTracks {
  const { recorder } = runs;
  const { graph, work } = memory;
  const { frames, frameStart, edges, edgeStart, deathStart, head } = graph;
  const local = work.buffer("local");

  /** The X-LAPs at the costs of some links. */
  const solve = (links: Range, sides: Sides, choice: { lap: number } | { subset: number }): void => {
    runs.overElements("between", links.count, { ...links, ...sides }, TRACKS);
    recorder.kernel("tracks", (pass) => {
      laps.encodeCosts(pass, local, "lap" in choice ? choice.lap : undefined);
      laps.encodeSolve(pass, { warm: true, ...choice });
    });
  };

  const begin = (first: number, end: number, sides: Sides): void => {
    const range = { first: frameStart[first], count: frameStart[end] - frameStart[first] };
    runs.overElements("begin-tracks", range.count, { ...range, ...sides }, { ...TRACKS, ascentDual: "dual" });
  };

  const construct = (direction: "forward" | "backward"): void => {
    const sides: Sides = direction === "forward" ? { behind: 1, ahead: 0 } : { behind: 0, ahead: 1 };
    for (let step = 0; step + 1 < frames; step++) {
      const pair = direction === "forward" ? step : frames - 2 - step;
      if (frameStart[pair] === frameStart[pair + 2]) continue;
      // Limits and duals of the pairs beside it are written too, which these do themselves before they are solved.
      begin(pair, pair + 2, sides);
      solve({ first: edgeStart[pair], count: deathStart[pair] - edgeStart[pair] }, sides, { lap: pair });
      phases.chooseFrom(pair, pair + 1, TRACKS);
    }
  };

  /** The tracks in the buffers, repaired. */
  const repair = async (): Promise<Int32Array> => {
    begin(0, frames, BOTH);
    for (let half = 0; half < 2 * sweeps; half++) {
      solve({ first: 0, count: edges }, BOTH, { subset: ((half % 2) as Parity) + 1 });
      phases.chooseFrom(0, frames - 1, TRACKS);
    }
    return await runs.decoded([work.buffer(TRACKS.outEdge)], ([outEdges]) => linksAmong(graph, outEdges));
  };

  return {
    async from(seed) {
      recorder.copy(memory.laps.columnOfRow, laps.columnOfRow);
      phases.chooseFrom(0, frames - 1, TRACKS);
      if (seed !== "assignment") construct(seed);
      return await repair();
    },
    async repaired(tracks) {
      const columnOfRow = new Int32Array(frameStart[frames - 1]).fill(UNASSIGNED);
      for (let p = 0; p + 1 < frames; p++) {
        for (let d = frameStart[p]; d < frameStart[p + 1]; d++) {
          if (tracks[d] !== UNASSIGNED) columnOfRow[d] = head[tracks[d]] - frameStart[p + 1];
        }
      }
      recorder.submit();
      writeStorage(work.session, laps.columnOfRow, columnOfRow);
      phases.chooseFrom(0, frames - 1, TRACKS);
      return await repair();
    },
  };
}
