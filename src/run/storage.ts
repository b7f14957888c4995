import { InputError } from "../core/errors.js";
import { type FrameNumbers, frameNumber } from "../core/frame-numbers.js";
import type { PricedProblem } from "../map/instance/priced.js";

/**
 * How triplets can be asked for. implicit: computed from numbers per link where they are needed. csr: every triplet with its cost.
 * dense: the same, and nothing may be gated out.
 */
export const TRIPLET_STORAGES = ["implicit", "csr", "dense"] as const;

export type TripletStorage = (typeof TRIPLET_STORAGES)[number];

/**
 * Refuses a problem in which a link or a triplet is missing.
 * @param numbers of its frames, in messages
 * @throws InputError that names the place and ends with `remedy`
 */
export function requireComplete({ links, triplets }: PricedProblem, numbers: FrameNumbers, remedy: string): void {
  const { frameStart, tail, head } = links;
  const frames = frameStart.length - 1;
  const size = (p: number): number => (p < frames ? frameStart[p + 1] - frameStart[p] : 0);
  const pair = (p: number): string => `frame pair ${frameNumber(numbers, p)}–${frameNumber(numbers, p + 1)}`;
  let e = 0;
  for (let p = 0; p + 1 < frames; p++) {
    const first = e;
    while (e < tail.length && tail[e] < frameStart[p + 1]) e++;
    const all = size(p) * size(p + 1);
    if (e - first < all) {
      throw new InputError(`--triplets dense: ${pair(p)} has ${e - first} of ${all} links; ${remedy}`);
    }
    for (let link = first; triplets?.kind === "csr" && link < e; link++) {
      const count = triplets.rowStart[link + 1] - triplets.rowStart[link];
      if (count === size(p + 2)) continue;
      const [i, j] = [tail[link] - frameStart[p], head[link] - frameStart[p + 1]];
      throw new InputError(
        `--triplets dense: link ${i} → ${j} of ${pair(p)} has ${count} of ${size(p + 2)} triplets; ${remedy}`,
      );
    }
  }
}
