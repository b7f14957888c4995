import type { PricedProblem } from "../../src/map/instance/priced.js";

/**
 * The optimum by enumeration, straight from the priced problem: all (partial) matchings of every frame pair, and dynamic
 * programming over the pairs. Nothing here is shared with src/map, and a set of tracks is named by detections alone:
 * next[d] is the detection that follows d on its track, −1 where there is none.
 */
export interface BruteForce {
  readonly cost: number;
  /** The cost without any rounding, in units of 2⁻³⁰⁰. */
  readonly exact: bigint;
  readonly next: Int32Array;
}

/** A matching of one frame pair: local column of each row, or −1. */
type Matching = readonly number[];

/** The best set of tracks among those whose matching of every pair is `admitted`; null when there is none. */
export function bruteForce(
  problem: PricedProblem,
  admitted: (pair: number, matching: Matching) => boolean = () => true,
): BruteForce | null {
  const { frameStart } = problem.links;
  const pairs = frameStart.length - 2;
  const costs = costsOf(problem);
  const matchings = Array.from({ length: pairs }, (_, p) => allMatchings(problem, p).filter((m) => admitted(p, m)));
  if (matchings.some((all) => all.length === 0)) return null;

  /** Least cost of all tracks up to a pair, by its matching; null where triplets forbid them all. */
  let best: (bigint | null)[] = matchings[0].map((m) => pairCost(problem, costs, 0, m));
  const from: number[][] = [];
  for (let p = 1; p < pairs; p++) {
    const back: number[] = [];
    best = matchings[p].map((after) => {
      let least: bigint | null = null;
      let choice = -1;
      matchings[p - 1].forEach((earlier, b) => {
        let value = best[b];
        if (value !== null) value = plus(value, costBetween(problem, costs, p, earlier, after));
        if (value === null || (least !== null && value >= least)) return;
        least = value;
        choice = b;
      });
      back.push(choice);
      return plus(least, pairCost(problem, costs, p, after));
    });
    from.push(back);
  }
  const exact = best.reduce((least, value) => (least === null || (value !== null && value < least) ? value : least));
  if (exact === null) return null;
  const next = new Int32Array(frameStart[pairs + 1]).fill(-1);
  let at = best.indexOf(exact);
  for (let p = pairs - 1; p >= 0; p--) {
    matchings[p][at].forEach((j, i) => {
      if (j >= 0) next[frameStart[p] + i] = frameStart[p + 1] + j;
    });
    if (p > 0) at = from[p - 1][at];
  }
  return { cost: inF64(exact), exact, next };
}

/**
 * The least cost of a set of tracks with each matching of each frame pair, null where triplets forbid all: what a link, a birth or a death is worth
 * follows from the matchings with it and those without.
 */
export function leastThrough(
  problem: PricedProblem,
): readonly (readonly { readonly matching: Matching; readonly cost: bigint | null }[])[] {
  const { frameStart } = problem.links;
  const pairs = frameStart.length - 2;
  const costs = costsOf(problem);
  const all = Array.from({ length: pairs }, (_, p) => allMatchings(problem, p));
  const own = all.map((matchings, p) => matchings.map((matching) => pairCost(problem, costs, p, matching)));
  const least = (values: readonly (bigint | null)[]) =>
    values.reduce((a, b) => (a === null || (b !== null && b < a) ? b : a), null);
  /** Triplets between a matching of pair p − 1 and each one of pair p. */
  const between = all
    .slice(1)
    .map((after, q) =>
      all[q].map((earlier) => after.map((later) => costBetween(problem, costs, q + 1, earlier, later))),
    );
  const upTo: (bigint | null)[][] = [own[0]];
  for (let p = 1; p < pairs; p++)
    upTo.push(
      own[p].map((cost, a) => plus(cost, least(upTo[p - 1].map((value, b) => plus(value, between[p - 1][b][a]))))),
    );
  const after: (bigint | null)[][] = [];
  after[pairs - 1] = own[pairs - 1].map(() => 0n);
  for (let p = pairs - 2; p >= 0; p--)
    after[p] = all[p].map((_, b) =>
      least(all[p + 1].map((_, a) => plus(between[p][b][a], plus(own[p + 1][a], after[p + 1][a])))),
    );
  return all.map((matchings, p) => matchings.map((matching, m) => ({ matching, cost: plus(upTo[p][m], after[p][m]) })));
}

/** Every matching of a frame pair over its links; without births and deaths only the complete ones. */
function allMatchings({ links, birthDeath }: PricedProblem, pair: number): Matching[] {
  const { frameStart, tail, head } = links;
  const rows = frameStart[pair + 1] - frameStart[pair];
  const columns = frameStart[pair + 2] - frameStart[pair + 1];
  const choices: number[][] = Array.from({ length: rows }, () => (birthDeath === null ? [] : [-1]));
  tail.forEach((d, e) => {
    if (d >= frameStart[pair] && d < frameStart[pair + 1])
      choices[d - frameStart[pair]].push(head[e] - frameStart[pair + 1]);
  });
  let partial: number[][] = [[]];
  for (const choice of choices) {
    partial = partial.flatMap((m) => choice.filter((j) => j < 0 || !m.includes(j)).map((j) => [...m, j]));
  }
  return birthDeath === null ? partial.filter((m) => m.length === columns) : partial;
}

/** In units of 2⁻³⁰⁰; null when forbidden. */
interface Costs {
  link(i: number, j: number): bigint | null;
  triplet(i: number, j: number, k: number): bigint | null;
}

function costsOf({ links, triplets }: PricedProblem): Costs {
  const { frameStart, tail, head, cost } = links;
  const detections = frameStart[frameStart.length - 1];
  const linkCost = new Map<number, bigint>();
  const tripletCost = new Map<number, bigint>();
  const linkOf = new Map<number, number>();
  tail.forEach((i, e) => {
    linkCost.set(i * detections + head[e], exactly(cost[e]));
    linkOf.set(i * detections + head[e], e);
    if (triplets?.kind !== "csr") return;
    for (let t = triplets.rowStart[e]; t < triplets.rowStart[e + 1]; t++) {
      const f = triplets.successor[t];
      tripletCost.set((i * detections + tail[f]) * detections + head[f], exactly(triplets.cost[t]));
    }
  });
  /** Implicit costs are the f64 numbers that their formulas give. */
  const byFormula = (e: number, f: number): number => {
    if (triplets?.kind !== "implicit") return 0;
    const m = triplets.perLink;
    if (triplets.rule === "absolute") return Math.abs(m[e] - m[f]);
    return (m[2 * e] - m[2 * f]) ** 2 + (m[2 * e + 1] - m[2 * f + 1]) ** 2;
  };
  return {
    link: (i, j) => linkCost.get(i * detections + j) ?? null,
    triplet: (i, j, k) => {
      const key = (i * detections + j) * detections + k;
      const known = tripletCost.get(key);
      if (known !== undefined || triplets?.kind === "csr") return known ?? null;
      const [e, f] = [linkOf.get(i * detections + j), linkOf.get(j * detections + k)];
      if (e === undefined || f === undefined) return null;
      const computed = exactly(byFormula(e, f));
      tripletCost.set(key, computed);
      return computed;
    },
  };
}

const plus = (a: bigint | null, b: bigint | null) => (a === null || b === null ? null : a + b);

/** The triplets of two matchings, and the detections of the frame between them that are not used; null where they are forbidden. */
function costBetween(
  problem: PricedProblem,
  costs: Costs,
  frame: number,
  earlier: Matching,
  later: Matching,
): bigint | null {
  const { frameStart } = problem.links;
  const [before, here, next] = frameStart.subarray(frame - 1, frame + 2);
  let sum: bigint | null = 0n;
  earlier.forEach((j, i) => {
    if (j >= 0 && later[j] >= 0) sum = plus(sum, costs.triplet(before + i, here + j, next + later[j]));
  });
  const isUsed = (d: number): boolean => later[d - here] >= 0 || earlier.includes(d - here);
  for (let d = here; d < next; d++) if (!isUsed(d)) sum = plus(sum, loneCost(problem, d));
  return excludes(problem, here, next, isUsed) ? null : sum;
}

/** What a detection without links costs beyond its birth and its death in an inner frame: the f64 number that the instance has. */
function loneCost({ birthDeath }: PricedProblem, d: number): bigint {
  const unused = birthDeath?.unused?.[d] ?? Number.NaN;
  return birthDeath === null || Number.isNaN(unused)
    ? 0n
    : exactly(unused - (birthDeath.birth[d] + birthDeath.death[d]));
}

/** Births or deaths; in the first and the last frame they say that a detection has no link. */
function endCost({ birthDeath }: PricedProblem, kind: "birth" | "death", d: number, isRim: boolean): bigint {
  const unused = isRim ? (birthDeath?.unused?.[d] ?? Number.NaN) : Number.NaN;
  return exactly(Number.isNaN(unused) ? (birthDeath?.[kind][d] ?? Number.NaN) : unused);
}

/** Whether two detections of one set are used, of those from `begin` to `end`. */
function excludes({ exclusions }: PricedProblem, begin: number, end: number, isUsed: (d: number) => boolean): boolean {
  if (exclusions === undefined) return false;
  const { setStart, member } = exclusions;
  return Array.from(setStart.subarray(1)).some((last, s) => {
    const members = [...member.subarray(setStart[s], last)];
    return members.filter((d) => d >= begin && d < end && isUsed(d)).length > 1;
  });
}

/**
 * Of a matching that `allMatchings` made: its links exist, and its births and deaths may be used. null where it uses detections of the first or the last frame that
 * exclude each other, or a twin without its mother.
 */
function pairCost(problem: PricedProblem, costs: Costs, pair: number, matching: Matching): bigint | null {
  const { frameStart } = problem.links;
  const [rows, columns, end] = frameStart.subarray(pair, pair + 3);
  const isLast = pair + 3 === frameStart.length;
  if (
    problem.motherOf
      ?.subarray(rows, columns)
      .some((mother, i) => mother >= 0 && matching[i] >= 0 && matching[mother - rows] < 0)
  )
    return null;
  if (pair === 0 && excludes(problem, rows, columns, (d) => matching[d - rows] >= 0)) return null;
  if (isLast && excludes(problem, columns, end, (d) => matching.includes(d - columns))) return null;
  let sum = 0n;
  matching.forEach((j, i) => {
    const own = j >= 0 ? costs.link(rows + i, columns + j) : endCost(problem, "death", rows + i, pair === 0);
    if (own === null) throw new Error(`detections ${rows + i} and ${columns + j} have no link`);
    sum += own;
  });
  for (let j = columns; j < end; j++) {
    if (!matching.includes(j - columns)) sum += endCost(problem, "birth", j, isLast);
  }
  return sum;
}

/** A double as an integer multiple of 2⁻³⁰⁰, exactly, so that sums and comparisons round nothing. */
export function exactly(value: number): bigint {
  const scaled = value * 2 ** 300;
  if (!Number.isInteger(scaled)) throw new Error(`${value} is no multiple of 2^-300`);
  return BigInt(scaled);
}

/** The nearest f64 of a multiple of 2⁻³⁰⁰, to two roundings. */
export function inF64(value: bigint): number {
  return Number(value) * 2 ** -300;
}

/** The cost of a set of tracks without any rounding, in units of 2⁻³⁰⁰; null when it is not an allowed set of tracks. */
export function exactCost(problem: PricedProblem, next: Int32Array): bigint | null {
  return exactTerms(problem, next)?.reduce((sum, { cost }) => sum + cost, 0n) ?? null;
}

/** What a set of tracks is made of, in units of 2⁻³⁰⁰: `end` is the frame pair of a birth or a death, null for links and triplets. */
export interface Term {
  /** Its kind and its detections. */
  readonly of: string;
  readonly cost: bigint;
  readonly end: number | null;
}

/** null when `next` is not an allowed set of tracks. */
export function exactTerms(problem: PricedProblem, next: Int32Array): Term[] | null {
  const { links, birthDeath } = problem;
  const { frameStart } = links;
  const costs = costsOf(problem);
  const frames = frameStart.length - 1;
  const previous = new Int32Array(frameStart[frames]).fill(-1);
  const terms: Term[] = [];
  let allowed = true;
  const add = (of: string, cost: bigint | null | undefined, end: number | null = null): void => {
    if (cost === null || cost === undefined) allowed = false;
    else terms.push({ of, cost, end });
  };
  const ending = (kind: "birth" | "death", d: number, isRim: boolean) =>
    birthDeath === null ? null : endCost(problem, kind, d, isRim);
  for (let p = 0; p + 1 < frames; p++) {
    for (let d = frameStart[p]; d < frameStart[p + 1]; d++) {
      if (next[d] < 0) add(`death ${d}`, ending("death", d, p === 0), p);
      else if (next[d] >= frameStart[frames] || previous[next[d]] >= 0) return null;
      else {
        previous[next[d]] = d;
        add(`link ${d} ${next[d]}`, costs.link(d, next[d]));
      }
    }
  }
  for (let p = 1; p < frames; p++) {
    for (let d = frameStart[p]; d < frameStart[p + 1]; d++) {
      if (previous[d] < 0) add(`birth ${d}`, ending("birth", d, p + 1 === frames), p - 1);
      if (p + 1 < frames && previous[d] < 0 && next[d] < 0) add(`unused ${d}`, loneCost(problem, d));
      else if (previous[d] >= 0 && next[d] >= 0)
        add(`triplet ${previous[d]} ${d} ${next[d]}`, costs.triplet(previous[d], d, next[d]));
    }
  }
  const isUsed = (d: number): boolean => next[d] >= 0 || previous[d] >= 0;
  if (problem.motherOf?.some((mother, d) => mother >= 0 && next[d] >= 0 && next[mother] < 0)) return null;
  return allowed && !excludes(problem, 0, frameStart[frames], isUsed) ? terms : null;
}
