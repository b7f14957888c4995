import type { PricedProblem } from "../../src/map/instance/priced.js";

/**
 * The optimum by enumeration, straight from the priced problem: all (partial) matchings of every frame pair, and dynamic
 * programming over the pairs. Nothing here is shared with src/map, and a set of tracks is named by detections alone:
 * next[d] is the detection that follows d on its track, −1 where there is none.
 */
export interface BruteForce {
  readonly cost: number;
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

  let best = matchings[0].map((m) => pairCost(problem, costs, 0, m));
  const from: number[][] = [];
  for (let p = 1; p < pairs; p++) {
    const rows = frameStart[p];
    const back: number[] = [];
    const next = matchings[p].map((after) => {
      let least = Number.POSITIVE_INFINITY;
      let choice = -1;
      matchings[p - 1].forEach((before, b) => {
        let value = best[b];
        before.forEach((j, i) => {
          if (j >= 0 && after[j] >= 0) {
            value += costs.triplet(frameStart[p - 1] + i, rows + j, frameStart[p + 1] + after[j]);
          }
        });
        if (value < least) {
          least = value;
          choice = b;
        }
      });
      back.push(choice);
      return least + pairCost(problem, costs, p, after);
    });
    best = next;
    from.push(back);
  }
  const cost = Math.min(...best);
  if (cost === Number.POSITIVE_INFINITY) return null;
  const next = new Int32Array(frameStart[pairs + 1]).fill(-1);
  let at = best.indexOf(cost);
  for (let p = pairs - 1; p >= 0; p--) {
    matchings[p][at].forEach((j, i) => {
      if (j >= 0) next[frameStart[p] + i] = frameStart[p + 1] + j;
    });
    if (p > 0) at = from[p - 1][at];
  }
  return { cost, next };
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

interface Costs {
  link(i: number, j: number): number;
  /** Infinity when forbidden. */
  triplet(i: number, j: number, k: number): number;
}

function costsOf({ links, triplets }: PricedProblem): Costs {
  const { frameStart, tail, head, cost } = links;
  const detections = frameStart[frameStart.length - 1];
  const linkCost = new Map<number, number>();
  const tripletCost = new Map<number, number>();
  const linkOf = new Map<number, number>();
  tail.forEach((i, e) => {
    linkCost.set(i * detections + head[e], cost[e]);
    linkOf.set(i * detections + head[e], e);
    if (triplets?.kind !== "csr") return;
    for (let t = triplets.start[e]; t < triplets.start[e + 1]; t++) {
      const f = triplets.successor[t];
      tripletCost.set((i * detections + tail[f]) * detections + head[f], triplets.cost[t]);
    }
  });
  return {
    link: (i, j) => linkCost.get(i * detections + j) ?? Number.POSITIVE_INFINITY,
    triplet: (i, j, k) => {
      if (triplets === null) return 0;
      if (triplets.kind === "csr") {
        return tripletCost.get((i * detections + j) * detections + k) ?? Number.POSITIVE_INFINITY;
      }
      const [e, f] = [linkOf.get(i * detections + j) ?? Number.NaN, linkOf.get(j * detections + k) ?? Number.NaN];
      const m = triplets.perLink;
      if (triplets.rule === "absolute") return Math.abs(m[e] - m[f]);
      return (m[2 * e] - m[2 * f]) ** 2 + (m[2 * e + 1] - m[2 * f + 1]) ** 2;
    },
  };
}

function pairCost({ links, birthDeath }: PricedProblem, costs: Costs, pair: number, matching: Matching): number {
  const rows = links.frameStart[pair];
  const columns = links.frameStart[pair + 1];
  let sum = 0;
  matching.forEach((j, i) => {
    sum += j >= 0 ? costs.link(rows + i, columns + j) : (birthDeath?.death[rows + i] ?? Number.POSITIVE_INFINITY);
  });
  for (let j = columns; j < links.frameStart[pair + 2]; j++) {
    if (!matching.includes(j - columns)) sum += birthDeath?.birth[j] ?? Number.POSITIVE_INFINITY;
  }
  return sum;
}

/** A double as an integer multiple of 2⁻³⁰⁰, exactly, so that sums and comparisons round nothing. */
export function exactly(value: number): bigint {
  const scaled = value * 2 ** 300;
  if (!Number.isInteger(scaled)) throw new Error(`${value} is no multiple of 2^-300`);
  return BigInt(scaled);
}

/** The cost of a set of tracks without any rounding, in units of 2⁻³⁰⁰; null when it is not an allowed set of tracks. */
export function exactCost(problem: PricedProblem, next: Int32Array): bigint | null {
  const { links, birthDeath } = problem;
  const { frameStart } = links;
  const costs = costsOf(problem);
  const detections = frameStart[frameStart.length - 1];
  const lastFrame = frameStart[frameStart.length - 2];
  const previous = new Int32Array(detections).fill(-1);
  const terms: number[] = [];
  for (let d = 0; d < detections; d++) {
    if (next[d] < 0) {
      if (d < lastFrame) terms.push(birthDeath?.death[d] ?? Number.POSITIVE_INFINITY);
      continue;
    }
    if (next[d] >= detections || previous[next[d]] >= 0) return null;
    previous[next[d]] = d;
    terms.push(costs.link(d, next[d]));
  }
  for (let d = frameStart[1]; d < detections; d++) {
    if (previous[d] < 0) terms.push(birthDeath?.birth[d] ?? Number.POSITIVE_INFINITY);
    else if (next[d] >= 0) terms.push(costs.triplet(previous[d], d, next[d]));
  }
  if (terms.includes(Number.POSITIVE_INFINITY)) return null;
  return terms.reduce((sum, term) => sum + exactly(term), 0n);
}
