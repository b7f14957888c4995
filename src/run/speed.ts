/**
 * Seconds of a solve from its first price to its certificate, linear in its work, the edges and the stored triplets; the threads of the CPU share a part. Fitted by
 * `node lab/scale/fit.mjs` to every other problem of rows that an H200 with 16 cores made, and judged by the others (lab/notes/gpu.md).
 */
export const SECONDS = {
  cpu: { start: 0.35, work: 5.2e-6, shared: 4.6e-5 },
  gpu: { start: 1.7, work: 5.2e-6 },
} as const;

/** Work that keeps one more thread busy. */
const WORK_OF_THREAD = 20_000;

/** Threads that have work. */
export function usefulThreads(work: number, threads: number): number {
  return Math.max(1, Math.min(threads, work / WORK_OF_THREAD));
}

/** Seconds that a solve is expected to take on each device; `stored` is the number of stored triplets. */
export function expectedSeconds(
  edges: number,
  stored: number,
  threads: number,
): { readonly cpu: number; readonly gpu: number } {
  const work = edges + stored;
  const { cpu, gpu } = SECONDS;
  const shared = cpu.shared / usefulThreads(work, threads);
  return { cpu: cpu.start + work * (cpu.work + shared), gpu: gpu.start + work * gpu.work };
}
