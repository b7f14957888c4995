import type { Graph } from "../instance/instance.js";

/** All costs of an instance are whole multiples of its grain, and so is the cost of every set of tracks. */
export interface Grain {
  /** The greatest such number: 1 for whole costs without a common divisor. */
  readonly size: number;
  /** In f64 all multiples up to this magnitude are exact, and no sum of costs of a set of tracks exceeds it. */
  readonly exactUpTo: number;
}

/**
 * Sums of costs are at most this many times the power of two in the grain, far below the 2⁵³ up to which they are exact. A finer grain would
 * raise a bound by no more than rounding takes off it.
 */
const LARGEST_SUM = 2 ** 40;

const known = new WeakMap<Graph, Grain | null>();

/**
 * The grain of an instance, decided from its costs alone and without rounding: the remainder of two f64 numbers is exact. null where sums of costs may
 * be rounded, where births and deaths are not computed with as stated, and for squared triplets. Costs such as 0.1 have none: as f64 numbers their
 * common divisor is tiny.
 */
export function grainOf(graph: Graph): Grain | null {
  const before = known.get(graph);
  if (before !== undefined) return before;
  const grain = graph.surcharge === null ? findGrain(graph) : null;
  known.set(graph, grain);
  return grain;
}

/**
 * A part of an instance has the grain of the instance, none where that has none: else the same tracks would cost less in the part, where their sum is exact, than in the
 * instance, where it is rounded up.
 */
export function inheritGrain(part: Graph, whole: Graph): void {
  known.set(part, grainOf(whole));
}

function findGrain({ frames, frameStart, cost, triplets }: Graph): Grain | null {
  // A detection adds the edge out of it, its birth and the triplet through it at most.
  const divisor = new Divisor(3 * frameStart[frames]);
  if (triplets.kind === "csr") return divisor.seeAll(cost) && divisor.seeAll(triplets.cost) ? divisor.grain() : null;
  if (triplets.rule !== "absolute") return null;
  // |m_e − m_f| is a multiple of what both numbers are multiples of, and at most twice the greater one.
  return divisor.seeAll(cost) && divisor.seeAll(triplets.perEdge, 2) ? divisor.grain() : null;
}

/** The greatest common divisor of costs, while their sums are exact. */
class Divisor {
  #size = 0;
  #most = 0;
  /** The greatest power of two that divides it; Infinity before a number other than 0. */
  #power = Number.POSITIVE_INFINITY;

  /** @param terms of a sum at most */
  constructor(private readonly terms: number) {}

  /** @returns false where sums of multiples of the values up to `multiple` may be rounded */
  seeAll(values: Float64Array, multiple = 1): boolean {
    for (const value of values) {
      if (value === 0) continue;
      const size = Math.abs(value);
      this.#most = Math.max(this.#most, multiple * size);
      if (size % this.#size !== 0) {
        for (let rest = size; rest > 0; ) [this.#size, rest] = [rest, this.#size % rest];
        this.#power = powerIn(this.#size);
      }
      if (!(this.terms * this.#most <= LARGEST_SUM * this.#power)) return false;
    }
    return true;
  }

  /** null where all costs are 0. */
  grain(): Grain | null {
    return this.#size === 0 ? null : { size: this.#size, exactUpTo: LARGEST_SUM * this.#power };
  }
}

/** The greatest power of two that divides a number above 0. */
function powerIn(value: number): number {
  let power = 2 ** Math.floor(Math.log2(value));
  while (power > 0 && value % power !== 0) power /= 2;
  return power;
}

/** The least multiple of the grain that is not below a bound, which no set of tracks costs less than; the bound itself without a grain. */
export function roundUpToGrain(grain: Grain | null, bound: number): number {
  if (grain === null || !(Math.abs(bound) + grain.size <= grain.exactUpTo)) return bound;
  // A quotient that is rounded up stays below the same whole number, so that nothing too high is claimed. Adding 0 turns −0 into 0.
  return Math.max(bound, Math.ceil(bound / grain.size) * grain.size + 0);
}

/**
 * Less than the grain, by which a cheaper set of tracks is cheaper at least; 0 without a grain. A share of it is left, so that what costs just as little
 * is told from what costs less.
 */
export function leastSaving(grain: Grain | null): number {
  return grain === null ? 0 : (1 - 2 ** -10) * grain.size;
}
