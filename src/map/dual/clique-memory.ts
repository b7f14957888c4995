import { sharedFloat64, sharedInt32, sharedUint8, sharedUint32, sharedUint32Of } from "../../core/shared-arrays.js";
import { type Conflicts, conflictsOf } from "../instance/exclusions.js";
import type { Graph } from "../instance/instance.js";
import { payingTwins } from "../instance/twins.js";
import { PLANES } from "./proximal-step.js";

/**
 * Edges of one frame pair of which every two are in conflict, as rows Σ x ≤ 1 with multipliers μ ≥ 0, in shared memory (docs/explanation/proofs.md §4). Behind its edges a row may have *uses*, of
 * detections of the pair's first frame, which are seen in the pair before: item edges + d is the use of d. An ascent finds rows as it goes, so each frame pair has room for some.
 */
export interface WeighedCliques {
  readonly conflicts: Conflicts;
  /** By frame pair, one more than there are: where its room for rows begins, and that for items. */
  readonly rowStart: Uint32Array;
  readonly itemStart: Uint32Array;
  /** By frame pair, its rows, and the items of all of them. */
  readonly size: Uint32Array;
  readonly items: Uint32Array;
  readonly item: Int32Array;
  /** By row, where its items end, counted from itemStart[p], and a number that tells rows apart. */
  readonly itemEnd: Uint32Array;
  readonly hash: Uint32Array;
  /** μ at present, and that which an ascent can return to. */
  readonly mu: Float64Array;
  readonly kept: Float64Array;
  /** G: the edges that are taken in the last assignment or in the bundle's combination, and the uses in those of the pair before; and the edges in planes, by (slot, row). */
  readonly sum: Float64Array;
  readonly uses: Float64Array;
  readonly ofPlane: Uint8Array;
  /** x of the combination by edge, in units of its frame pair's scale. */
  readonly share: Float64Array;
  readonly scale: Float64Array;
  /** By frame pair, the rows that were found at the last search; Σ μ; Σ μ (G − 1) without uses, and Σ μ of these. */
  readonly found: Uint32Array;
  readonly constant: Float64Array;
  readonly value: Float64Array;
  readonly valueOfUses: Float64Array;
}

/** Room of a frame pair: a made embryo has a row of a hundred items for some 25 detections, and two of its divisions for each at first. */
const ROWS_A_DETECTION = 1;
const ITEMS_AN_EDGE = 4;

/** null where nothing is excluded, and no orphan may pay: then the rows bind no cheapest tracks, nor those of the relaxation. */
export function weighCliques(graph: Graph): WeighedCliques | null {
  const { exclusions, frames, frameStart, edges, edgeStart } = graph;
  if (exclusions === null && payingTwins(graph).length === 0) return null;
  const rowStart = sharedUint32(frames);
  for (let p = 0; p + 1 < frames; p++)
    rowStart[p + 1] = rowStart[p] + Math.ceil(ROWS_A_DETECTION * (frameStart[p + 2] - frameStart[p]));
  const rows = rowStart[frames - 1];
  return {
    conflicts: conflictsOf(graph),
    rowStart,
    itemStart: sharedUint32Of(edgeStart.map((begin) => ITEMS_AN_EDGE * begin)),
    size: sharedUint32(frames - 1),
    items: sharedUint32(frames - 1),
    item: sharedInt32(ITEMS_AN_EDGE * edges),
    itemEnd: sharedUint32(rows),
    hash: sharedUint32(rows),
    mu: sharedFloat64(rows),
    kept: sharedFloat64(rows),
    sum: sharedFloat64(rows),
    uses: sharedFloat64(rows),
    ofPlane: sharedUint8(PLANES * rows),
    share: sharedFloat64(edges),
    scale: sharedFloat64(frames - 1),
    found: sharedUint32(frames - 1),
    constant: sharedFloat64(frames - 1),
    value: sharedFloat64(frames - 1),
    valueOfUses: sharedFloat64(frames),
  };
}

/** Visits the rows of a pair, all or without the first ones, each with where its items begin and end. */
export function eachRow(
  { rowStart, itemStart, size, itemEnd }: WeighedCliques,
  p: number,
  visit: (row: number, begin: number, end: number) => void,
  first = 0,
): void {
  let begin = itemStart[p] + (first === 0 ? 0 : itemEnd[rowStart[p] + first - 1]);
  for (let row = rowStart[p] + first; row < rowStart[p] + size[p]; row++) {
    const end = itemStart[p] + itemEnd[row];
    visit(row, begin, end);
    begin = end;
  }
}

/** A number of the items in any order. */
export function hashOf(edges: readonly number[]): number {
  let hash = edges.length;
  for (const e of edges) {
    let bits = Math.imul(e ^ (e >>> 16), 0x45d9f3b);
    bits = Math.imul(bits ^ (bits >>> 16), 0x45d9f3b);
    hash = (hash + (bits ^ (bits >>> 16))) | 0;
  }
  return hash >>> 0;
}
