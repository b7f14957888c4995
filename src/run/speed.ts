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
  /** An edge where a GPU does the rest, and on the CPU that of one thread. */
  readonly edgeOfGpu: number;
  readonly edgeOfCpu: number;
  /** A stored triplet with its price; the CPU's threads share theirs. */
  readonly storedOfGpu: number;
  readonly storedOfCpu: number;
  /** A triplet that the CPU computes, shared by its threads. */
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
  startOfCpu: 0.36,
  startOfGpu: 1.1,
  edgeOfGpu: 7.4e-7,
  edgeOfCpu: 1.7e-6,
  storedOfGpu: 1e-7,
  storedOfCpu: 2.7e-7,
  triplet: 2e-6,
  examined: 4.6e-7,
};

/** Work that keeps one more thread busy. */
const WORK_OF_THREAD = 50_000;

/** How often each term counts on either device. */
export function termsOf(
  { edges, triplets, stored }: SolveSizes,
  threads: number,
): { readonly cpu: Terms; readonly gpu: Terms } {
  const useful = usefulThreads({ edges, stored }, threads);
  const examined = examinedOf(triplets);
  const [storedOfCpu, triplet] = [stored / useful, (triplets - stored) / useful];
  return {
    cpu: { startOfCpu: 1, edgeOfCpu: edges, storedOfCpu, triplet, examined },
    gpu: { startOfGpu: 1, edgeOfGpu: edges, storedOfGpu: stored, examined },
  };
}

/** Triplets that elimination examines. */
export function examinedOf(triplets: number): number {
  return triplets <= EXAMINED_TRIPLETS ? triplets : 0;
}

/** Threads that are worth their start. */
export function usefulThreads({ edges, stored }: Pick<SolveSizes, "edges" | "stored">, threads: number): number {
  return Math.max(1, Math.min(threads, (edges + stored) / WORK_OF_THREAD));
}

/** The sum of all terms, each by what it takes. */
export function expectedBy<Name extends string>(
  each: Readonly<Record<Name, number>>,
  terms: Partial<Record<Name, number>>,
) {
  const names = Object.keys(terms) as Name[];
  return names.reduce((sum, name) => sum + each[name] * (terms[name] ?? 0), 0);
}

/** Seconds that a solve is expected to take on each device. */
export function expectedSeconds(sizes: SolveSizes, threads: number): { readonly cpu: number; readonly gpu: number } {
  const { cpu, gpu } = termsOf(sizes, threads);
  return { cpu: expectedBy(SECONDS, cpu), gpu: expectedBy(SECONDS, gpu) };
}
