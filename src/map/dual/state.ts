import { sharedFloat64, sharedInt32, sharedUint8, sharedUint32 } from "../../core/shared-arrays.js";
import { type LapProblem, type LapSolution, UNASSIGNED } from "../../lap/lap.js";
import { isRestricted, type WeighedExclusions, weighExclusions } from "../instance/exclusions.js";
import type { Graph } from "../instance/instance.js";
import { type WeighedCliques, weighCliques } from "./clique-memory.js";

/**
 * Multipliers and the prices that follow from them, by edge and in shared memory.
 * Symbols as in docs/explanation/mathematics.md: v, Δ (`delta`), Ĉ (`reduced`).
 */
export interface Multipliers {
  /** v_f, the multiplier of Σ_e y_ef = x_f; 0 on the first frame pair and for births. */
  readonly v: Float64Array;
  /** The multipliers that an ascent can return to: the best ones, or the centre of the bundle. */
  readonly kept: Float64Array;
  /** Δ_e = min_f (D_ef − v_f) over the triplets of e; 0 for deaths and for edges into the last frame, which have none. */
  readonly delta: Float64Array;
  /** The edge f that attains Δ_e, or −1. */
  readonly bestSuccessor: Int32Array;
  /** Ĉ_e = C_e + v_e + Δ_e. */
  readonly reduced: Float64Array;
}

/** The X-LAPs' last solutions: α (`rowDual`), β (`columnDual`), and the matching. Length detections unless told. */
export interface Assignment {
  readonly rowDual: Float64Array;
  readonly columnDual: Float64Array;
  /** Local column of each detection as a row of its frame pair, or UNASSIGNED. */
  readonly columnOfRow: Int32Array;
  /** Link chosen by each detection as a row, or UNASSIGNED where that is its death. */
  readonly linkOfRow: Int32Array;
  /** Local row of each detection as a column of its frame pair, or UNASSIGNED where it is born. */
  readonly rowOfColumn: Int32Array;
  /** 1 once the pair's X-LAP has a solution from which the next solve can begin; length frames − 1. */
  readonly warm: Uint8Array;
  /** LAP value of each frame pair at the last solve; length frames − 1. */
  readonly pairValue: Float64Array;
  /** Local column of each link, its head within the frame; length edges. */
  readonly column: Uint32Array;
  /** The links of each row by frame pair, one number more than the pair has rows: those of pair p from frameStart[p] + p on. */
  readonly rowStart: Uint32Array;
}

/** Results of a step for the next one. */
export interface Scratch {
  /** g_e = x_e − Σ y_·e, the subgradient of the last `subgradient` step, and its squared norm by pair. */
  readonly gradient: Float64Array;
  readonly pairNorm: Float64Array;
  /** 1 where v of an edge out of a detection may have moved since Δ of the edges into it was made; length detections. */
  readonly staleDelta: Uint8Array;
}

/** All that a dual ascent works on. */
export type AscentState = Multipliers &
  Assignment &
  Scratch & {
    /** null where an instance has none. */
    readonly exclusions: WeighedExclusions | null;
    readonly cliques: WeighedCliques | null;
    /**
     * Whether frame pairs share nothing but which detections go on, as where triplets are free. Then L depends on v of a death less that of the links beside it, which is 0; and on nothing of a
     * twin, which is always born.
     */
    readonly tiedByUse: boolean;
  };

export function createAscentState(graph: Graph): AscentState {
  const { edges, frames, frameStart } = graph;
  return {
    v: sharedFloat64(edges),
    kept: sharedFloat64(edges),
    delta: sharedFloat64(edges),
    bestSuccessor: sharedInt32(edges).fill(-1),
    reduced: sharedFloat64(edges),
    ...createAssignment(graph),
    gradient: sharedFloat64(edges),
    pairNorm: sharedFloat64(frames - 1),
    staleDelta: sharedUint8(frameStart[frames]).fill(1),
    exclusions: weighExclusions(graph),
    cliques: weighCliques(graph),
    tiedByUse: isTiedByUse(graph),
  };
}

/** Whether an ascent's state begins as `tiedByUse`. */
export function isTiedByUse(graph: Graph): boolean {
  return isRestricted(graph) && graph.triplets.kind === "csr" && graph.triplets.areFree === true;
}

export function createAssignment(graph: Graph): Assignment {
  const { frames, frameStart } = graph;
  const detections = frameStart[frames];
  return {
    rowDual: sharedFloat64(detections),
    columnDual: sharedFloat64(detections),
    columnOfRow: sharedInt32(detections).fill(UNASSIGNED),
    linkOfRow: sharedInt32(detections).fill(UNASSIGNED),
    rowOfColumn: sharedInt32(detections).fill(UNASSIGNED),
    warm: sharedUint8(frames - 1),
    pairValue: sharedFloat64(frames - 1),
    column: localColumns(graph),
    rowStart: rowStarts(graph),
  };
}

/** The head of each link within its frame; length edges. */
export function localColumns({ frames, frameStart, edges, edgeStart, deathStart, head }: Graph): Uint32Array {
  const column = sharedUint32(edges);
  for (let p = 0; p + 1 < frames; p++) {
    for (let e = edgeStart[p]; e < deathStart[p]; e++) column[e] = head[e] - frameStart[p + 1];
  }
  return column;
}

function rowStarts({ frames, frameStart, linkStart, deathStart }: Graph): Uint32Array {
  const rowStart = sharedUint32(frameStart[frames - 1] + frames - 1);
  for (let p = 0; p + 1 < frames; p++) {
    rowStart.set(linkStart.subarray(frameStart[p], frameStart[p + 1]), frameStart[p] + p);
    rowStart[frameStart[p + 1] + p] = deathStart[p];
  }
  return rowStart;
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

/** The X-LAP of frame pair p as views of costs by edge and of the assignment: rows are detections of frame p, columns those of frame p + 1. */
export function pairLap(
  graph: Graph,
  assignment: Assignment,
  cost: Float64Array,
  pair: number,
): { problem: LapProblem; solution: LapSolution } {
  const { frameStart, links, edges, edgeStart, deathStart, birthStart, inStart, inEdge, tail } = graph;
  const from = frameStart[pair];
  const to = frameStart[pair + 1];
  const end = frameStart[pair + 2];
  if (from === end) return NOTHING;
  const hasBirths = edges > links;
  return {
    problem: {
      rows: to - from,
      columns: end - to,
      rowStart: assignment.rowStart.subarray(from + pair, to + pair + 1),
      column: assignment.column,
      cost,
      rowUnassigned: hasBirths ? cost.subarray(deathStart[pair], birthStart[pair]) : null,
      columnUnassigned: hasBirths ? cost.subarray(birthStart[pair], edgeStart[pair + 1]) : null,
      byColumn: { start: inStart.subarray(to, end + 1), entry: inEdge, row: tail, firstRow: from },
    },
    solution: {
      columnOfRow: assignment.columnOfRow.subarray(from, to),
      entryOfRow: assignment.linkOfRow.subarray(from, to),
      rowOfColumn: assignment.rowOfColumn.subarray(to, end),
      rowDual: assignment.rowDual.subarray(from, to),
      columnDual: assignment.columnDual.subarray(to, end),
    },
  };
}
