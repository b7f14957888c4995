import { sharedFloat64, sharedUint8 } from "../../core/shared-arrays.js";
import type { Work } from "../../core/team-work.js";
import { UNASSIGNED } from "../../lap/lap.js";
import type { Graph } from "../instance/instance.js";
import { type CompensatedSum, ROUNDOFF } from "./compensated-sum.js";
import { continuationAt } from "./continuation.js";
import { divisionRows } from "./divisions.js";

/** What a frame pair proves: duals, nothing, or that there are no tracks. */
const [PROVED, NOTHING, IMPOSSIBLE] = [0, 1, 2];

/** The duals of all X-LAPs, no Ĉ_e below them in exact arithmetic, by detection as a column and then by detection as a row; in shared memory. */
export interface DualsMemory {
  readonly graph: Graph;
  readonly v: Float64Array;
  readonly columnDual: Float64Array;
  readonly dual: Float64Array;
  /** The amount that each gave up for rounding. */
  readonly allowance: Float64Array;
  /** By frame pair. */
  readonly outcome: Uint8Array;
}

export function dualsMemory(graph: Graph, v: Float64Array, columnDual: Float64Array): DualsMemory {
  const places = 2 * graph.frameStart[graph.frames];
  const [dual, allowance] = [sharedFloat64(places), sharedFloat64(places)];
  return { graph, v, columnDual, dual, allowance, outcome: sharedUint8(graph.frames - 1) };
}

/** An item is a frame pair: β, cut to the slack of the births, and α_i, the least slack of the edges out of a detection. */
export function bindDuals({ graph, v, columnDual, dual, allowance, outcome }: DualsMemory): Work {
  const { frames, frameStart, birthStart, edgeStart, linkStart, linkEnd, deathOf, head, cost, motherOf } = graph;
  const continuation = continuationAt(graph, v);
  const rows = frameStart[frames];
  /** The amount that the last slack gave up. */
  let ofSlack = 0;
  /** Where there are twins: the slack of each edge of a pair, and what it gave up. */
  const places = motherOf === null ? 0 : mostEdges(graph);
  const [slackAt, givenAt] = [new Float64Array(places), new Float64Array(places)];

  /** At most Ĉ_e − dual; Infinity where e cannot be used, −Infinity where the numbers prove nothing. */
  const slackOf = (e: number, beta: number, unmultiplied: boolean): number => {
    const delta = continuation(e);
    if (delta === Number.POSITIVE_INFINITY) return delta;
    const price = cost[e] + (unmultiplied ? 0 : v[e]);
    const reduced = price + delta;
    const computed = reduced - beta;
    ofSlack = 3 * ROUNDOFF * (Math.abs(delta) + Math.abs(price) + Math.abs(reduced) + Math.abs(computed));
    const least = computed - ofSlack;
    return Number.isNaN(least) ? Number.NEGATIVE_INFINITY : least;
  };
  /** A mother and her twin take what both may take together, which may be more than each takes alone. */
  const joinRows = (twin: number, mother: number, from: number): void => {
    const { least } = divisionRows(graph, twin, (e) => slackAt[e - from]);
    const given = 3 * ROUNDOFF * Math.abs(least.of);
    if (!(least.of - given > dual[rows + mother] + dual[rows + twin])) return;
    dual[rows + mother] = least.of - given;
    allowance[rows + mother] = givenAt[least.mother - from] + givenAt[least.twin - from] + given;
    dual[rows + twin] = 0;
    allowance[rows + twin] = 0;
  };
  const lower = (place: number, slack: number): void => {
    if (slack >= dual[place]) return;
    dual[place] = slack;
    allowance[place] = ofSlack;
  };

  return (_, pair) => {
    const [first, columns, end] = [frameStart[pair], frameStart[pair + 1], frameStart[pair + 2]];
    for (let j = columns; j < end; j++) {
      if (!Number.isFinite(columnDual[j])) {
        outcome[pair] = NOTHING;
        return;
      }
      dual[j] = columnDual[j];
    }
    // A birth has no predecessor, so its multiplier is 0 in every pair.
    for (let e = birthStart[pair]; e < edgeStart[pair + 1]; e++) lower(head[e], slackOf(e, 0, true));
    const from = edgeStart[pair];
    const lowerRow = (i: number, e: number, beta: number): void => {
      const slack = slackOf(e, beta, pair === 0);
      lower(rows + i, slack);
      if (motherOf === null) return;
      slackAt[e - from] = slack;
      givenAt[e - from] = ofSlack;
    };
    for (let i = first; i < columns; i++) {
      dual[rows + i] = Number.POSITIVE_INFINITY;
      if (deathOf[i] !== UNASSIGNED) lowerRow(i, deathOf[i], 0);
      for (let e = linkStart[i]; e < linkEnd[i]; e++) lowerRow(i, e, dual[head[e]]);
      if (dual[rows + i] === Number.POSITIVE_INFINITY) {
        outcome[pair] = IMPOSSIBLE;
        return;
      }
    }
    for (let i = first; motherOf !== null && i < columns; i++)
      if (motherOf[i] !== UNASSIGNED) joinRows(i, motherOf[i], from);
  };
}

function mostEdges({ frames, edgeStart }: Graph): number {
  let most = 0;
  for (let p = 0; p + 1 < frames; p++) most = Math.max(most, edgeStart[p + 1] - edgeStart[p]);
  return most;
}

/**
 * Adds the duals of frame pairs `from` … `to` − 1, one by one, to each of `sums`.
 * @returns the amount given up for rounding; null where the numbers prove nothing, "impossible" where some detection can take no edge
 */
export function addDuals(
  { graph: { frames, frameStart }, dual, allowance, outcome }: DualsMemory,
  [from, to]: readonly [from: number, to: number],
  sums: readonly CompensatedSum[],
): number | null | "impossible" {
  const rows = frameStart[frames];
  let given = 0;
  const add = (begin: number, end: number): void => {
    for (const sum of sums) sum.addAll(dual, begin, end);
    for (let place = begin; place < end; place++) given += allowance[place];
  };
  for (let pair = from; pair < to; pair++) {
    if (outcome[pair] !== PROVED) return outcome[pair] === NOTHING ? null : "impossible";
    add(frameStart[pair + 1], frameStart[pair + 2]);
    add(rows + frameStart[pair], rows + frameStart[pair + 1]);
  }
  return given;
}
