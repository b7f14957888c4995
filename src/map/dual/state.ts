import { sharedFloat64, sharedInt32, sharedUint8, sharedUint32 } from "../../core/shared-arrays.js";
import { type LapProblem, type LapSolution, UNASSIGNED } from "../../lap/lap.js";
import { type Graph, pairRuns } from "../instance/instance.js";

/**
 * The state of the dual ascent: multipliers, reduced costs and the current assignment, in shared memory.
 * Symbols as in docs/algorithm.md: v, Δ (`delta`), Ĉ (`reduced`), α (`rowDual`), β (`columnDual`).
 */
export interface AscentState {
  /** v_f, the multiplier of Σ_e y_ef = x_f; zero on the first frame pair. Length edges. */
  readonly v: Float64Array;
  /** Δ_e = min_f (D_ef − v_f) over the triplets of e; 0 for deaths and for edges into the last frame, which have none. Length edges. */
  readonly delta: Float64Array;
  /** The edge f that attains Δ_e, or −1. Length edges. */
  readonly bestSuccessor: Int32Array;
  /** Ĉ_e = C_e + v_e + Δ_e. Length edges. */
  readonly reduced: Float64Array;
  /** The last X-LAPs' solution. By detection as tail (rows) and as head (columns); length detections. */
  readonly rowDual: Float64Array;
  readonly columnDual: Float64Array;
  /** Local column of each detection as a row of its frame pair, or UNASSIGNED. */
  readonly columnOfRow: Int32Array;
  /** Link chosen by each detection as a row, or UNASSIGNED (its death edge). */
  readonly linkOfRow: Int32Array;
  /** Local row of each detection as a column of its frame pair, or UNASSIGNED (its birth edge). */
  readonly rowOfColumn: Int32Array;
  /** 1 once the pair's X-LAP has a solution to start the next solve from; length frames − 1. */
  readonly warm: Uint8Array;
  /** LAP value of each frame pair at the last solve; length frames − 1. */
  readonly pairValue: Float64Array;
  /** g_e = x_e − Σ y_·e, the subgradient of the last `subgradient` step, and its squared norm by pair. */
  readonly gradient: Float64Array;
  readonly pairNorm: Float64Array;
  /** The multipliers that an ascent can return to: the best found, or the centre of the bundle. Length edges. */
  readonly kept: Float64Array;
  /** Local column (head within its frame) of each link; length links. */
  readonly column: Uint32Array;
}

export function createAscentState(graph: Graph): AscentState {
  const { frames, frameStart, links, edges, head } = graph;
  const detections = frameStart[frames];
  const column = sharedUint32(links);
  for (let p = 0; p + 1 < frames; p++) {
    const { linkStart, linkEnd } = pairRuns(graph, p);
    for (let e = linkStart; e < linkEnd; e++) column[e] = head[e] - frameStart[p + 1];
  }
  return {
    v: sharedFloat64(edges),
    delta: sharedFloat64(edges),
    bestSuccessor: sharedInt32(edges).fill(-1),
    reduced: sharedFloat64(edges),
    rowDual: sharedFloat64(detections),
    columnDual: sharedFloat64(detections),
    columnOfRow: sharedInt32(detections).fill(UNASSIGNED),
    linkOfRow: sharedInt32(detections).fill(UNASSIGNED),
    rowOfColumn: sharedInt32(detections).fill(UNASSIGNED),
    warm: sharedUint8(frames - 1),
    pairValue: sharedFloat64(frames - 1),
    gradient: sharedFloat64(edges),
    pairNorm: sharedFloat64(frames - 1),
    kept: sharedFloat64(edges),
    column,
  };
}

/** The LAP between two empty frames, shared by all of them: a recording may have a million, and each set of empty views takes memory. */
const NOTHING: ReturnType<typeof pairLap> = {
  problem: {
    rows: 0,
    columns: 0,
    rowStart: new Uint32Array(1),
    column: new Uint32Array(0),
    cost: new Float64Array(0),
    rowUnassigned: null,
    columnUnassigned: null,
  },
  solution: {
    columnOfRow: new Int32Array(0),
    entryOfRow: new Int32Array(0),
    rowOfColumn: new Int32Array(0),
    rowDual: new Float64Array(0),
    columnDual: new Float64Array(0),
  },
};

/** The X-LAP of frame pair p as views of the state: rows are detections of frame p, columns those of frame p + 1. */
export function pairLap(
  graph: Graph,
  state: AscentState,
  pair: number,
  cost: Float64Array = state.reduced,
): { problem: LapProblem; solution: LapSolution } {
  const { frameStart, outStart, links, edges } = graph;
  const runs = pairRuns(graph, pair);
  const from = frameStart[pair];
  const to = frameStart[pair + 1];
  const end = frameStart[pair + 2];
  if (from === end) return NOTHING;
  const hasBirths = edges > links;
  return {
    problem: {
      rows: to - from,
      columns: end - to,
      rowStart: outStart.subarray(from, to + 1),
      column: state.column,
      cost,
      rowUnassigned: hasBirths ? cost.subarray(runs.deathStart, runs.deathEnd) : null,
      columnUnassigned: hasBirths ? cost.subarray(runs.birthStart, runs.birthEnd) : null,
    },
    solution: {
      columnOfRow: state.columnOfRow.subarray(from, to),
      entryOfRow: state.linkOfRow.subarray(from, to),
      rowOfColumn: state.rowOfColumn.subarray(to, end),
      rowDual: state.rowDual.subarray(from, to),
      columnDual: state.columnDual.subarray(to, end),
    },
  };
}
