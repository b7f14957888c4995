import { readStorage } from "../../gpu/buffers.js";
import type { GpuSession } from "../../gpu/session.js";
import type { GpuMemory } from "./gpu-memory.js";

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
  readonly own: Float32Array;
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

/** Reads all of it back, for tests and for inspecting a run; it is far too much for an iteration. */
export async function readGpuState(session: GpuSession, memory: GpuMemory, planes: number): Promise<GpuState> {
  const { graph, buffers, layout } = memory;
  const { frames, frameStart, edges } = graph;
  const detections = frameStart[frames];
  const lastStart = frameStart[frames - 1];
  const pairs = frames - 1;
  const bytes = await readStorage(session, [
    buffers.v,
    buffers.kept,
    buffers.delta,
    buffers.reduced,
    buffers.own,
    buffers.passed,
    buffers.constants,
    buffers.dual,
    buffers.best,
    buffers.columnOfRow,
    buffers.outEdge,
    buffers.intoEdge,
    buffers.plane,
    buffers.clocks,
    buffers.slots,
  ]);
  const [v, kept, delta, reduced, own, passed] = bytes.slice(0, 6).map((part) => new Float32Array(part, 0, edges));
  const constant = new Float32Array(bytes[6], 0, pairs);
  const dual = new Float32Array(bytes[7]);
  const [best, columnOfRow, outEdge, intoEdge, plane] = bytes.slice(8, 13).map((part) => new Int32Array(part));
  const rowDual = new Float32Array(detections);
  rowDual.set(dual.subarray(0, lastStart));
  const columnDual = new Float32Array(detections);
  columnDual.set(dual.subarray(lastStart, lastStart + detections - frameStart[1]), frameStart[1]);

  const clocks = layout.struct("Clock").unpack<{ stamp: number }>(bytes[13]).slice(0, pairs);
  const slots = layout.struct("Slot").unpack<{ stamp: number; constant: number }>(bytes[14]);
  const bySlotAndPair = Array.from(
    { length: planes * pairs },
    (_, k) => slots[(k % pairs) * planes + Math.floor(k / pairs)],
  );
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
    own,
    passed,
    constant,
    planeEdge: plane.subarray(0, planes * detections),
    planeSuccessor: plane.subarray(planes * detections, 2 * planes * detections),
    planeConstant: Float32Array.from(bySlotAndPair, ({ constant }) => constant),
    planeStamp: Uint32Array.from(bySlotAndPair, ({ stamp }) => stamp),
    clock: Uint32Array.from(clocks, ({ stamp }) => stamp),
  };
}
