import { EXAMINED_TRIPLETS } from "../map/exact/examine.js";

/** What counts in the seconds of a solve. */
export interface SolveSizes {
  readonly edges: number;
  readonly triplets: number;
  /** Of these, the stored ones. */
  readonly stored: number;
}

/** Seconds of each term. */
export interface Seconds {
  readonly startOfCpu: number;
  readonly startOfGpu: number;
  /** An edge or a stored triplet where a GPU does the rest, and on the CPU that of one thread. */
  readonly edgeOfGpu: number;
  readonly edgeOfCpu: number;
  /** A triplet on the CPU, shared by its threads. */
  readonly triplet: number;
  /** A triplet of an instance that elimination examines. */
  readonly examined: number;
}

export type Terms = Partial<Seconds>;

/**
 * Seconds of a solve from its first price to its certificate. Fitted by `node lab/scale/fit.mjs` to every other problem of rows that an H200 with 16 cores made, and
 * judged by the others (lab/notes/gpu.md).
 */
export const SECONDS: Seconds = {
  startOfCpu: 0.34,
  startOfGpu: 1.1,
  edgeOfGpu: 7.4e-7,
  edgeOfCpu: 1.3e-6,
  triplet: 2e-6,
  examined: 4.9e-7,
};

/** Work that keeps one more thread busy. */
const WORK_OF_THREAD = 50_000;

/** How often each term counts on either device. */
export function termsOf(
  { edges, triplets, stored }: SolveSizes,
  threads: number,
): { readonly cpu: Terms; readonly gpu: Terms } {
  const work = edges + stored;
  const useful = Math.max(1, Math.min(threads, work / WORK_OF_THREAD));
  const examined = triplets <= EXAMINED_TRIPLETS ? triplets : 0;
  return {
    cpu: { startOfCpu: 1, edgeOfCpu: work, triplet: triplets / useful, examined },
    gpu: { startOfGpu: 1, edgeOfGpu: work, examined },
  };
}

export function expectedBy(seconds: Seconds, terms: Terms): number {
  const names = Object.keys(terms) as (keyof Seconds)[];
  return names.reduce((sum, name) => sum + seconds[name] * (terms[name] ?? 0), 0);
}

/** Seconds that a solve is expected to take on each device. */
export function expectedSeconds(sizes: SolveSizes, threads: number): { readonly cpu: number; readonly gpu: number } {
  const { cpu, gpu } = termsOf(sizes, threads);
  return { cpu: expectedBy(SECONDS, cpu), gpu: expectedBy(SECONDS, gpu) };
}

/**
 * Seconds of either device where each has the triplets of a user's function as suits it: the CPU, whose V8 takes ten times as long to compute one as to read one, stored, and a GPU
 * computed.
 */
export function expectedWithOwnTriplets(
  edges: number,
  triplets: number,
  threads: number,
): { readonly cpu: number; readonly gpu: number } {
  const { cpu } = expectedSeconds({ edges, triplets, stored: triplets }, threads);
  const { gpu } = expectedSeconds({ edges, triplets, stored: 0 }, threads);
  return { cpu, gpu };
}
