import { inParallel } from "../../core/team.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { type Graph, tripletCost } from "../instance/instance.js";
import { CompensatedSum } from "./compensated-sum.js";
import { addDuals, bindDuals, dualsMemory } from "./duals.js";
import { grainOf, roundUpToGrain } from "./grain.js";
import { certifySurcharge } from "./surcharge.js";

/**
 * The proof, which shares no code with the solvers: a lower bound recomputed from the multipliers and the price of a set of tracks, both
 * in f64 with the rounding error counted against us. Any multipliers give a valid bound, so a device may find them in f32.
 */

export interface CertifiedBound {
  /**
   * A lower bound on the cost of every set of tracks. −Infinity, no bound, where a multiplier or dual is no finite number or
   * a sum overflows; Infinity where some detection can take no edge.
   */
  readonly lowerBound: number;
  /** The same in the costs that are computed with, which leave out births and deaths beyond any saving; else `lowerBound` itself. */
  readonly computed: number;
  /** The amount that the bound gives up for rounding: exact arithmetic on the same multipliers and duals gives at most this much more. 0 without a bound. */
  readonly roundingAllowance: number;
}

const infinite = (lowerBound: number): CertifiedBound => ({ lowerBound, computed: lowerBound, roundingAllowance: 0 });

/**
 * Bounds L(v) from below (docs/explanation/mathematics.md §4). `v` has one multiplier per edge, of which those of the first frame pair count as 0;
 * `columnDual` has one β per detection, found by any solver. With Δ_e = min_f (D_ef − v_f), Ĉ_e = C_e + v_e + Δ_e,
 * β_j cut to the birth's Ĉ and α_i = min_j (Ĉ_ij − β_j), also over the death's Ĉ, the sum Σα + Σβ is feasible for the dual
 * of every X-LAP, however v and β were found. Every entry of these minima first gives up what rounding may have added to it.
 *
 * An edge whose triplets are all forbidden cannot be used, except where tracks end with the recording.
 */
export function certifyBound(graph: Graph, v: Float64Array, columnDual: Float64Array): CertifiedBound {
  const bound = new CompensatedSum();
  return boundOf(graph, bound, addPairBounds(graph, v, columnDual, [0, graph.frames - 1], [bound]));
}

/** The same to the bit on up to `threads` threads, `v` and `columnDual` in shared memory. */
export async function certifyOnThreads(
  graph: Graph,
  v: Float64Array,
  columnDual: Float64Array,
  threads: number,
): Promise<CertifiedBound> {
  const memory = dualsMemory(graph, v, columnDual);
  const pairs = graph.frames - 1;
  await inParallel(threads, "#certificate-worker", memory, bindDuals(memory), pairs);
  const bound = new CompensatedSum();
  return boundOf(graph, bound, addDuals(memory, [0, pairs], [bound]));
}

function boundOf(graph: Graph, sum: CompensatedSum, given: ReturnType<typeof addDuals>): CertifiedBound {
  if (given === "impossible") return infinite(Number.POSITIVE_INFINITY);
  const { lower: computed } = sum;
  if (given === null || computed === Number.NEGATIVE_INFINITY) return infinite(Number.NEGATIVE_INFINITY);
  // Doubled, since the exact entry may lie as far above the computed one as below it.
  return { ...inStatedCosts(graph, computed), roundingAllowance: 2 * (given + sum.allowance) };
}

/**
 * Adds the part of frame pairs `from` … `to` − 1 in the bound, term by term, to each of `sums`. L(v) is a sum over frame pairs, so those of a
 * recording may be counted window by window, as long as windows agree on the multipliers at their borders (docs/explanation/mathematics.md §4.1).
 * @returns the amount given up for rounding; null where the numbers prove nothing, "impossible" where some detection can take no edge
 */
export function addPairBounds(
  graph: Graph,
  v: Float64Array,
  columnDual: Float64Array,
  range: readonly [from: number, to: number],
  sums: readonly CompensatedSum[],
): number | null | "impossible" {
  const memory = dualsMemory(graph, v, columnDual);
  const make = bindDuals(memory);
  for (let pair = range[0]; pair < range[1]; pair++) make(0, pair, 0);
  return addDuals(memory, range, sums);
}

/** A bound in the costs that are computed with, rounded up to their grain, and the bound in the stated costs that follows from it. */
export function stateBound(graph: Graph, computed: number): Omit<CertifiedBound, "roundingAllowance"> {
  return inStatedCosts(graph, roundUpToGrain(grainOf(graph), computed));
}

function inStatedCosts(graph: Graph, computed: number): Omit<CertifiedBound, "roundingAllowance"> {
  if (graph.surcharge === null || !Number.isFinite(computed)) return { lowerBound: computed, computed };
  const sum = new CompensatedSum();
  sum.add(computed);
  sum.add(certifySurcharge(graph).least);
  return { lowerBound: sum.lower, computed };
}

/**
 * Adds the cost of frame pairs `from` … `to` − 1, term by term, to each of `sums`: their links, the deaths before and the births after them, and the
 * triplets that begin with these. The tracks must go on to frame `to`, unless that is the last. For instances without surcharge.
 * @returns the triplet that is forbidden, null if none is
 */
export function addPairCosts(
  graph: Graph,
  linkOfRow: Int32Array,
  [from, to]: readonly [number, number],
  sums: readonly CompensatedSum[],
): readonly [number, number] | null {
  const { frames, frameStart, deathOf, birthOf, tail, head, cost, motherOf } = graph;
  if (graph.surcharge !== null) throw new Error("births and deaths are not computed with as they were stated");
  if (graph.exclusions !== null) throw new Error("the cost of a part of the frames knows no exclusions");
  const lastFrame = frameStart[frames - 1];
  const add = (value: number): void => {
    for (const sum of sums) sum.add(value);
  };
  for (let pair = from; pair < to; pair++) {
    const [rows, columns, end] = [frameStart[pair], frameStart[pair + 1], frameStart[pair + 2]];
    const into = birthOf.slice(columns, end);
    for (let i = rows; i < columns; i++) {
      const e = linkOfRow[i];
      if (e === UNASSIGNED) add(cost[deathOf[i]]);
      else {
        if (tail[e] !== i || head[e] === UNASSIGNED) throw new Error(`link ${e} does not leave detection ${i}`);
        const mother = motherOf?.[i] ?? UNASSIGNED;
        if (mother !== UNASSIGNED && linkOfRow[mother] === UNASSIGNED)
          throw new Error(`detection ${mother} has a second daughter and no first one`);
        if (into[head[e] - columns] !== birthOf[head[e]])
          throw new Error(`detection ${head[e]} is entered by two tracks`);
        into[head[e] - columns] = e;
      }
    }
    for (let j = columns; j < end; j++) {
      const e = into[j - columns];
      add(cost[e]);
      if (j >= lastFrame) continue;
      const f = linkOfRow[j] === UNASSIGNED ? deathOf[j] : linkOfRow[j];
      const between = tripletCost(graph, e, f);
      if (between === Number.POSITIVE_INFINITY) return [e, f];
      add(between);
    }
  }
  return null;
}
