import { randomStreams } from "../../src/core/random.js";
import { type CpuOptions, createCpuSteps } from "../../src/map/dual/cpu-steps.js";
import { buildGraph } from "../../src/map/instance/build.js";
import type { Graph } from "../../src/map/instance/instance.js";
import type { PricedProblem, PricedTriplets } from "../../src/map/instance/priced.js";
import { likeTheirMothers, withTwins } from "../../src/map/instance/twins.js";
import type { Solution, SolveOptions } from "../../src/map/solution.js";
import { solve } from "../../src/map/solve.js";

/** Small random problems for the tests of this folder, and a short way to solve them. */
export interface Recipe {
  readonly seed: number;
  /** Detections of each frame. */
  readonly counts: readonly number[];
  /** Share of the possible links and triplets that are allowed [1]. */
  readonly links?: number;
  readonly triplets?: number;
  /** Range of the costs [0, 1]; births and deaths up to half of `most` more than links. */
  readonly least?: number;
  readonly most?: number;
  /** Grid the costs lie on: with a power of two every sum of costs is exact [2⁻⁴², of which sums are too large for a grain]. */
  readonly grid?: number;
  /** Whether tracks may start and end anywhere [false]. */
  readonly births?: boolean;
  /** Whether each inner and outer detection may be unused at a cost of its own, and detections of one frame exclude each other in sets [false]. */
  readonly exclusions?: boolean;
  /** Whether half of the detections of inner frames may divide [false]. */
  readonly divisions?: boolean;
  /** How triplets are given ["csr"]; "free" and the implicit ones allow them all. */
  readonly storage?: "csr" | "absolute" | "square" | "free";
  /** Allows the links and triplets of one complete set of tracks whatever the densities [true]. */
  readonly planted?: boolean;
}

export function randomProblem(recipe: Recipe): PricedProblem {
  const { counts, links = 1, triplets = 1, least = 0, most = 1, grid = 2 ** -42, births = false } = recipe;
  const { planted = !births, storage = "csr" } = recipe;
  const random = randomStreams(recipe.seed).next().value;
  const draw = (low: number, high: number) => grid * Math.round(random.uniform(low, high) / grid);
  const frameStart = Uint32Array.from([0, ...counts].map((_, p) => counts.slice(0, p).reduce((a, b) => a + b, 0)));
  const detections = frameStart[counts.length];

  const tail: number[] = [];
  const head: number[] = [];
  const onPlanted: boolean[] = [];
  for (let p = 0; p + 1 < counts.length; p++) {
    for (let i = 0; i < counts[p]; i++) {
      for (let j = 0; j < counts[p + 1]; j++) {
        const straight = planted && i === j;
        if (random.uniform(0, 1) >= links && !straight) continue;
        tail.push(frameStart[p] + i);
        head.push(frameStart[p + 1] + j);
        onPlanted.push(straight);
      }
    }
  }
  const rowStart = [0];
  const successor: number[] = [];
  for (let e = 0; e < tail.length; e++) {
    for (let f = e + 1; f < tail.length; f++) {
      if (tail[f] !== head[e]) continue;
      if (random.uniform(0, 1) < triplets || (onPlanted[e] && onPlanted[f])) successor.push(f);
    }
    rowStart.push(successor.length);
  }
  const cost = Float64Array.from(tail, () => draw(least, most));
  const priced: PricedTriplets | null =
    storage === "free"
      ? null
      : storage === "csr"
        ? {
            kind: "csr",
            rowStart: Uint32Array.from(rowStart),
            successor: Uint32Array.from(successor),
            cost: Float64Array.from(successor, () => draw(least, most)),
          }
        : {
            kind: "implicit",
            rule: storage,
            perLink: Float64Array.from({ length: (storage === "square" ? 2 : 1) * tail.length }, () =>
              draw(least, most),
            ),
          };
  const rim = () => Float64Array.from({ length: detections }, () => draw(least, 1.5 * most));
  const ends = births ? { birth: rim(), death: rim() } : null;
  const problem = {
    links: {
      frameStart,
      tail: Int32Array.from(tail),
      head: Int32Array.from(head),
      cost,
    },
    triplets: priced,
    birthDeath: ends,
  };
  const exclusive = recipe.exclusions === true && ends !== null ? { ...problem, ...randomExclusions() } : problem;
  if (recipe.divisions !== true) return exclusive;
  const last = frameStart[counts.length - 1];
  const divides = rim().map((cost, d) => (d < last && random.uniform(0, 1) < 0.5 ? cost : Number.NaN));
  return withTwins(exclusive, likeTheirMothers(exclusive, divides)).problem;

  function randomExclusions(): Pick<PricedProblem, "birthDeath" | "exclusions"> {
    // Half of the detections may be unused at a cost of their own; the others cost a birth and a death.
    const unused = rim().map((cost) => (random.uniform(0, 1) < 0.5 ? cost - most : Number.NaN));
    const sets: number[][] = [];
    for (let p = 0; p < counts.length; p++) {
      for (let s = 0; s < counts[p]; s++) {
        const members = Array.from({ length: counts[p] }, (_, n) => frameStart[p] + n);
        const chosen = members.filter(() => random.uniform(0, 1) < 0.6);
        if (chosen.length > 1) sets.push(chosen);
      }
    }
    const exclusions = {
      setStart: Uint32Array.from([0, ...sets], (_, s) => sets.slice(0, s).reduce((sum, { length }) => sum + length, 0)),
      member: Uint32Array.from(sets.flat()),
    };
    return { birthDeath: ends && { ...ends, unused }, exclusions };
  }
}

/** One link (or triplet, by its three detections) per line of a hand-made problem. */
export interface HandMade {
  readonly counts: readonly number[];
  /** [tail, head, cost], sorted; detections numbered through. */
  readonly links: readonly (readonly [number, number, number])[];
  /** [i, j, k, cost]; left out: all are free. */
  readonly triplets?: readonly (readonly [number, number, number, number])[];
  readonly birth?: readonly number[];
  readonly death?: readonly number[];
}

export function problemOf({ counts, links, triplets, birth, death }: HandMade): PricedProblem {
  const frameStart = Uint32Array.from([0, ...counts].map((_, p) => counts.slice(0, p).reduce((a, b) => a + b, 0)));
  const rows = links.map(([, j]) =>
    links.flatMap(([i, k], f) => (i === j ? [{ f, k }] : [])).map(({ f, k }) => ({ f, j, k })),
  );
  const priced = rows.map((row, e) =>
    row.flatMap(({ f, j, k }) =>
      (triplets ?? [])
        .filter(([a, b, c]) => a === links[e][0] && b === j && c === k)
        .map(([, , , cost]) => ({ f, cost })),
    ),
  );
  const entries = priced.flat();
  return {
    links: {
      frameStart,
      tail: Int32Array.from(links, ([i]) => i),
      head: Int32Array.from(links, ([, j]) => j),
      cost: Float64Array.from(links, ([, , cost]) => cost),
    },
    triplets: triplets
      ? {
          kind: "csr",
          rowStart: Uint32Array.from([0, ...priced], (_, e) =>
            priced.slice(0, e).reduce((n, row) => n + row.length, 0),
          ),
          successor: Uint32Array.from(entries, ({ f }) => f),
          cost: Float64Array.from(entries, ({ cost }) => cost),
        }
      : null,
    birthDeath: birth && death ? { birth: Float64Array.from(birth), death: Float64Array.from(death) } : null,
  };
}

export const seconds = (): number => performance.now() / 1000;

/** Builds and solves; gap 0 and 300 iterations of the default ascent unless told. */
export async function solveProblem(
  problem: PricedProblem,
  options: Partial<SolveOptions> = {},
  cpu: Partial<CpuOptions> = {},
): Promise<{ graph: Graph; solution: Solution }> {
  const { graph } = buildGraph(problem);
  const steps = createCpuSteps(graph, { threads: 1, now: seconds, ...cpu });
  try {
    const solution = await solve(graph, steps, {
      ascent: "bundle",
      iterations: 300,
      gap: 0,
      time: 60,
      now: seconds,
      ...options,
    });
    return { graph, solution };
  } finally {
    await steps.close();
  }
}

/** The detection that follows each one on its track, −1 where the track ends: tracks free of any numbering of links. */
export function nextOf(graph: Graph, tracks: Int32Array): Int32Array {
  return tracks.map((e) => (e < 0 ? -1 : graph.head[e]));
}

/** The same tracks by the link each detection takes, as src/map has them. */
export function tracksOf({ edges, tail, head }: Graph, next: Int32Array): Int32Array {
  const tracks = new Int32Array(next.length).fill(-1);
  for (let e = 0; e < edges; e++) if (head[e] >= 0 && next[tail[e]] === head[e]) tracks[tail[e]] = e;
  return tracks;
}

/** Uniform in ±spread. */
export function randomMultipliers(length: number, spread: number, seed: number): Float64Array {
  const random = randomStreams(seed).next().value;
  return Float64Array.from({ length }, () => random.uniform(-spread, spread));
}
