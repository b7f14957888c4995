import { InputError } from "../core/errors.js";
import type { Sizes } from "../costs/sizes.js";
import { gigabytes, memoryBytes } from "../files/memory.js";
import type { PricedProblem } from "../map/instance/priced.js";
import { examinedOf, type SolveSizes, usefulThreads } from "./speed.js";

/**
 * Bytes that a run holds at its peak, priced problem, instance, multipliers, bundle and certificate together, rounded up: twice
 * what the arrays of a link take (docs/explanation/mathematics.md §1 and §3.4 name them), and the planes of a detection.
 */
const BYTES = { detection: 400, link: 240, triplet: 24 } as const;

/** Bytes that a run holds at its peak, about. */
export function hostBytes({ detections, links, triplets }: Sizes): number {
  return BYTES.detection * detections + BYTES.link * links + BYTES.triplet * (triplets ?? 0);
}

/**
 * Bytes of a process at its peak where the solve runs on the CPU and on a GPU: the program, the share that counts of what hostBytes says of detections and links, a thread that is worth its start, and a
 * triplet that elimination examines on several. Fitted by `node lab/scale/fit.mjs`, as the seconds are (lab/notes/gpu.md).
 */
export const PROCESS_BYTES = {
  cpu: { program: 8.4e7, share: 1.2, thread: 1.3e7, examined: 72 },
  gpu: { program: 2.7e8, share: 0.38, thread: 2.3e7, examined: 61 },
} as const;

/** How often each term counts. */
export function processTerms(sizes: SolveSizes & { readonly detections: number }, threads: number) {
  const others = 1 - 1 / usefulThreads(sizes, threads);
  return {
    program: 1,
    share: hostBytes({ detections: sizes.detections, links: sizes.edges, triplets: null }),
    thread: usefulThreads(sizes, threads) - 1,
    examined: examinedOf(sizes.triplets) * others,
  };
}

/** Bytes of stored triplets, of which births and deaths make a second copy. */
export function storedBytes(stored: number, hasBirths: boolean): number {
  return (hasBirths ? 1 : 0.5) * BYTES.triplet * stored;
}

/** Whether the memory holds a run of so many links and triplets. */
export function fits(sizes: Sizes, memory = memoryBytes()): boolean {
  return hostBytes(sizes) <= memory;
}

/**
 * Refuses a problem that the memory cannot hold.
 *
 * @param memory bytes available
 * @throws InputError with the count, the bytes it needs and the count that would fit
 */
export function requireMemory(sizes: Sizes, memory = memoryBytes()): void {
  const bytes = hostBytes(sizes);
  if (bytes <= memory) return;
  const { detections, links, triplets } = sizes;
  const base = BYTES.detection * detections;
  const ofLinks = BYTES.link * links;
  const stored = triplets !== null && base + ofLinks <= memory;
  const [count, what, each, rest] = stored
    ? [triplets, "stored triplets", BYTES.triplet, base + ofLinks]
    : [links, "links", BYTES.link, base];
  const room = Math.floor(Math.max(0, memory - rest) / each);
  const remedy = stored
    ? "use --triplets implicit where the costs allow it, or a narrower gate"
    : "use a narrower gate, or fewer frames";
  throw new InputError(
    `${count} ${what} need about ${gigabytes(bytes)}, but there are ${gigabytes(memory)}: ${room} would fit; ${remedy}`,
  );
}

/** Refuses a simulation of too many detections before one of them is drawn. */
export function requireMemoryToDraw(targets: number, frames: number, memory = memoryBytes()): void {
  // Position and velocity by target and once more by frame, and the target.
  const each = 2 * 4 * 8 + 4;
  const count = targets * frames;
  if (each * count <= memory) return;
  throw new InputError(
    `${count} detections need about ${gigabytes(each * count)}, but there are ${gigabytes(memory)}: ` +
      `${Math.floor(memory / each)} would fit; take fewer targets or frames`,
  );
}

/** The sizes of the instance of a priced problem. Without triplets every continuation is one. */
export function sizesOf({ links, triplets }: PricedProblem): Sizes {
  const { frameStart, tail, head } = links;
  const detections = frameStart[frameStart.length - 1];
  const sizes = { detections, links: tail.length };
  if (triplets?.kind === "implicit") return { ...sizes, triplets: null };
  if (triplets?.kind === "csr") return { ...sizes, triplets: triplets.rowStart[tail.length] };
  const leaving = new Uint32Array(detections);
  for (const i of tail) leaving[i]++;
  return { ...sizes, triplets: head.reduce((sum, j) => sum + leaving[j], 0) };
}
