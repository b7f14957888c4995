import { readStorage } from "../../../src/gpu/buffers.js";
import type { GpuSession } from "../../../src/gpu/session.js";
import { PLANES } from "../../../src/map/dual/proximal-step.js";
import type { GpuMemory } from "../../../src/map/gpu/gpu-memory.js";
import type { GpuSteps } from "../../../src/map/gpu/gpu-steps.js";

/**
 * The state that the kernels have left on the device, in its order there: by edge, by detection (as a row: d; as a column: d as well, though
 * the device leaves out the frames that have none), by frame pair. An edge that is none is −1. Symbols as in AscentState and Bundle.
 */
export interface GpuState {
  readonly v: Float32Array;
  readonly kept: Float32Array;
  readonly delta: Float32Array;
  readonly bestSuccessor: Int32Array;
  readonly reduced: Float32Array;
  /** Zero for the detections that are no row, or no column. */
  readonly rowDual: Float32Array;
  readonly columnDual: Float32Array;
  /** Local column of each row, or −1. */
  readonly columnOfRow: Int32Array;
  /** The edge each detection leaves by, and the one it is entered by. */
  readonly outEdge: Int32Array;
  readonly intoEdge: Int32Array;
  readonly taken: Float32Array;
  readonly passed: Float32Array;
  readonly constant: Float32Array;
  /** By (slot, detection), as planeEdge and planeSuccessor of Bundle. */
  readonly planeEdge: Int32Array;
  readonly planeSuccessor: Int32Array;
  /** By (slot, pair). */
  readonly planeConstant: Float32Array;
  readonly planeStamp: Uint32Array;
  /** The number of stamps that were given to planes, by pair. */
  readonly clock: Uint32Array;
}

interface Slot {
  readonly stamp: number;
  readonly constant: number;
}

export interface InspectedSteps extends GpuSteps {
  /** Runs what is recorded and reads everything back; the edges of the last X-LAPs are chosen if they were not yet. */
  inspect(): Promise<GpuState>;
}

export function inspected(session: GpuSession, steps: GpuSteps): InspectedSteps {
  return {
    ...steps,
    async inspect() {
      await steps.read();
      return await readGpuState(session, steps.memory);
    },
  };
}

async function readGpuState(session: GpuSession, { graph, work, laps, layout }: GpuMemory): Promise<GpuState> {
  const { frames, frameStart, edges } = graph;
  const detections = frameStart[frames];
  const lastStart = frameStart[frames - 1];
  const pairs = frames - 1;
  const read = (...names: string[]) =>
    readStorage(
      session,
      names.map((name) => work.buffer(name)),
    );
  const [v, kept, delta, reduced, taken, passed] = (await read("v", "kept", "delta", "reduced", "taken", "passed")).map(
    (part) => new Float32Array(part, 0, edges),
  );
  const [planeRecords] = await read("planes");
  const [best, outEdge, intoEdge, plane] = (await read("best", "outEdge", "intoEdge", "plane")).map(
    (part) => new Int32Array(part),
  );
  const [duals, columns] = await readStorage(session, [laps.dual, laps.columnOfRow]);
  const [dual, columnOfRow] = [new Float32Array(duals), new Int32Array(columns)];
  const rowDual = new Float32Array(detections);
  rowDual.set(dual.subarray(0, lastStart));
  const columnDual = new Float32Array(detections);
  columnDual.set(dual.subarray(lastStart, lastStart + detections - frameStart[1]), frameStart[1]);

  const planes = layout
    .struct("Planes")
    .unpack<Slot & { readonly slots: readonly Slot[] }>(planeRecords)
    .slice(0, pairs);
  const bySlotAndPair = Array.from({ length: PLANES }, (_, slot) => planes.map(({ slots }) => slots[slot])).flat();
  return {
    v,
    kept,
    delta,
    bestSuccessor: best.subarray(0, edges),
    reduced,
    rowDual,
    columnDual,
    columnOfRow: columnOfRow.subarray(0, lastStart),
    outEdge: outEdge.subarray(0, detections),
    intoEdge: intoEdge.subarray(0, detections),
    taken,
    passed,
    constant: Float32Array.from(planes, ({ constant }) => constant),
    planeEdge: plane.subarray(0, PLANES * detections),
    planeSuccessor: plane.subarray(PLANES * detections, 2 * PLANES * detections),
    planeConstant: Float32Array.from(bySlotAndPair, ({ constant }) => constant),
    planeStamp: Uint32Array.from(bySlotAndPair, ({ stamp }) => stamp),
    clock: Uint32Array.from(planes, ({ stamp }) => stamp),
  };
}
