import { usableCores } from "../core/cores.js";
import { type NormalState, NormalStream, randomStreams } from "../core/random.js";
import { inParallel } from "../core/team.js";
import type { Work } from "../core/team-work.js";
import { type DenseProblem, denseProblem } from "./dense.js";

export interface AuthorsProblem extends DenseProblem {
  /** Target of each detection: the hidden labels c. */
  readonly target: Int32Array;
}

/**
 * The dense cost generator with which the authors of [K23] time their engine (docs/explanation/mathematics.md §7). Detection i of
 * frame p hides the label c^p_i, a random permutation of 0 … N − 1 per frame; the costs are
 *
 *     C^p_ij  ~ N( |c^{p+1}_j − c^p_i| − 1, 0.3 )
 *     D^p_ijk ~ N( C^p_ij + C^{p+1}_jk, 0.2 )     (C as drawn; 0.3 and 0.2 are standard deviations)
 *
 * so that following the labels costs about −1 a link and −2 a triplet. "A random cycle per frame" is read as any permutation:
 * permuting a frame only renumbers its detections, so rotations or cyclic permutations give the same problems.
 */
export async function simulateAuthorsGenerator(
  targets: number,
  frames: number,
  seed: number,
  { threads = usableCores(), poolFrom = 2e7 }: AuthorsOptions = {},
): Promise<AuthorsProblem> {
  const random = randomStreams(seed).next().value;
  const target = new Int32Array(targets * frames);
  const labels = Uint32Array.from({ length: targets }, (_, n) => n);
  for (let p = 0; p < frames; p++) {
    random.shuffle(labels);
    target.set(labels, p * targets);
  }
  const problem = denseProblem(targets, frames);
  const { tail, head, cost } = problem.links;
  const normals = random.normals();
  normals.fill(cost);
  for (let e = 0; e < cost.length; e++) {
    cost[e] = Math.abs(target[head[e]] - target[tail[e]]) - 1 + 0.3 * cost[e];
  }

  const { successor, cost: tripletCost } = problem.triplets;
  const arrays = { pairCost: cost, successor, tripletCost };
  // Skipping the numbers of the other threads takes so much of the time of drawing that two threads would gain nothing.
  if (threads <= 2 || tripletCost.length < poolFrom) {
    fillTriplets(arrays, targets, 0, tripletCost.length, normals);
  } else {
    const size = targets ** 3;
    const begin = Array.from({ length: frames - 2 }, () => {
      const { state } = normals;
      normals.skip(size);
      return state;
    });
    const memory = { ...arrays, targets, begin };
    await inParallel(threads, "#authors-worker", memory, drawTriplets(memory), begin.length);
  }
  return { ...problem, target };
}

export interface AuthorsOptions {
  /** Worker threads to use at most [all cores]. The result does not depend on it. */
  readonly threads?: number;
  /** Triplets below which a pool of threads is not worth its start [2e7]. */
  readonly poolFrom?: number;
}

interface Arrays {
  readonly pairCost: Float64Array;
  readonly successor: Uint32Array;
  readonly tripletCost: Float64Array;
}

/** The triplets from one frame after another, and the state of the normals before each. */
export type TripletMemory = Arrays & { readonly targets: number; readonly begin: readonly NormalState[] };

/** An item is a frame. */
export function drawTriplets({ targets, begin, ...arrays }: TripletMemory): Work {
  const size = targets ** 3;
  return (_, p) => fillTriplets(arrays, targets, p * size, (p + 1) * size, new NormalStream(begin[p]));
}

function fillTriplets(
  { pairCost, successor, tripletCost }: Arrays,
  targets: number,
  first: number,
  end: number,
  normals: NormalStream,
): void {
  for (let t = first; t < end; ) {
    const linkCost = pairCost[t / targets];
    // A row at a time, while its normals are in the cache.
    normals.fill(tripletCost, t, t + targets);
    for (const last = t + targets; t < last; t++) {
      tripletCost[t] = linkCost + pairCost[successor[t]] + 0.2 * tripletCost[t];
    }
  }
}
