import { type DenseProblem, denseProblem } from "./dense.js";
import { randomStreams } from "./random.js";

export interface AuthorsProblem extends DenseProblem {
  /** Target of each detection: the hidden labels c. */
  readonly target: Int32Array;
}

/**
 * The dense cost generator that [K23]'s authors time their engine on (docs/algorithm.md §7). Detection i of
 * frame p hides the label c^p_i, a random permutation of 0 … N − 1 per frame; the costs are
 *
 *     C^p_ij  ~ N( |c^{p+1}_j − c^p_i| − 1, 0.3 )
 *     D^p_ijk ~ N( C^p_ij + C^{p+1}_jk, 0.2 )     (C as drawn; 0.3 and 0.2 are standard deviations)
 *
 * so that following the labels costs about −1 a link and −2 a triplet. "A random cycle per frame" is read as any permutation:
 * permuting a frame only renumbers its detections, so rotations or cyclic permutations give the same problems.
 */
export function simulateAuthorsGenerator(targets: number, frames: number, seed: number): AuthorsProblem {
  const random = randomStreams(seed).next().value;
  const target = new Int32Array(targets * frames);
  const labels = Uint32Array.from({ length: targets }, (_, n) => n);
  for (let p = 0; p < frames; p++) {
    random.shuffle(labels);
    target.set(labels, p * targets);
  }
  const problem = denseProblem(
    targets,
    frames,
    (p, i, j) => Math.abs(target[(p + 1) * targets + j] - target[p * targets + i]) - 1 + 0.3 * random.normal(),
    (e, f, pairCosts) => pairCosts[e] + pairCosts[f] + 0.2 * random.normal(),
  );
  return { ...problem, target };
}
