/** Reasons for which no set of tracks can exist, or its cost is not held, told before anything is solved. */
import { InputError } from "../../core/errors.js";
import { type FrameNumbers, frameNumber } from "../../core/frame-numbers.js";
import type { EdgeIndex } from "./edges.js";
import type { PricedLinks, PricedProblem } from "./priced.js";

export function requireEqualCounts(frameStart: Uint32Array, numbers: FrameNumbers): void {
  const first = frameStart[1] - frameStart[0];
  for (let p = 1; p + 1 < frameStart.length; p++) {
    const count = frameStart[p + 1] - frameStart[p];
    if (count === first) continue;
    const [frame, other] = [p, 0].map((one) => frameNumber(numbers, one));
    throw new InputError(
      `frame ${frame}: ${count} detections, but frame ${other} has ${first}; unequal counts need birth and death costs`,
    );
  }
}

const REMEDY = "widen the gate or give birth and death costs";

/** Every detection needs a link to the next frame. */
function requireLinks({ frameStart, tail }: PricedLinks, numbers: FrameNumbers): void {
  const left = new Uint8Array(frameStart[frameStart.length - 1]);
  for (const i of tail) left[i] = 1;
  for (let p = 0; p + 2 < frameStart.length; p++) {
    const [frame, next] = [p, p + 1].map((one) => frameNumber(numbers, one));
    const marked = left.subarray(frameStart[p], frameStart[p + 1]);
    const lonely = marked.indexOf(0);
    if (lonely < 0) continue;
    const what = marked.includes(1) ? `detection ${lonely} of frame ${frame} has no edge` : "there is no edge";
    throw new InputError(`frame pair ${frame}–${next}: ${what}; ${REMEDY}`);
  }
}

/** Of every detection a link to the next frame is left, once those that lie on no complete track are gone. */
export function requireEdges(
  { linkStart, linkEnd }: Pick<EdgeIndex, "linkStart" | "linkEnd">,
  links: PricedLinks,
  numbers: FrameNumbers,
): void {
  const { frameStart } = links;
  const lastFrame = frameStart[frameStart.length - 2];
  let p = 0;
  for (let d = 0; d < lastFrame; d++) {
    while (d >= frameStart[p + 1]) p++;
    if (linkEnd[d] > linkStart[d]) continue;
    requireLinks(links, numbers);
    const [frame, next] = [p, p + 1].map((one) => frameNumber(numbers, one));
    throw new InputError(
      `frame pair ${frame}–${next}: detection ${d - frameStart[p]} of frame ${frame} has no edge that lies on a ` +
        `complete track; ${REMEDY}`,
    );
  }
}

/** Of the dearest link, triplet or unused detection: what rounding may take off the cost of an unused detection. */
const MOST_LOST = 2 ** -30;

/**
 * Costs of unused detections that births and deaths leave room for: they are held as the difference to these (docs/explanation/mathematics.md §1.2), and births that stand for "never", such as
 * 10²⁰, would round them away.
 */
export function requireUnusedCosts({ links, triplets, birthDeath }: PricedProblem, numbers: FrameNumbers): void {
  if (birthDeath?.unused === undefined) return;
  const { birth, death, unused } = birthDeath;
  const { frameStart } = links;
  const stored = triplets?.kind === "csr" ? triplets.cost : [];
  const most = Math.max(...[links.cost, stored, unused].map(greatest));
  if (most === 0) return;
  // In the first frame and in the last, an edge has the cost itself.
  for (let p = 1; p + 2 < frameStart.length; p++)
    for (let d = frameStart[p]; d < frameStart[p + 1]; d++) {
      const ends = birth[d] + death[d];
      const lost = Math.abs(roundedOff(birth[d], death[d]) - roundedOff(unused[d], -ends));
      if (lost > MOST_LOST * most)
        throw new InputError(
          `frame ${frameNumber(numbers, p)}: detection ${d - frameStart[p]} costs ${unused[d]} unused, which a birth of ${birth[d]} and a death of ${death[d]} round away; give births and deaths of ${1e6 * most} at most`,
        );
    }
}

function greatest(values: Iterable<number>): number {
  let most = 0;
  for (const value of values) if (Math.abs(value) > most) most = Math.abs(value);
  return most;
}

/** What rounding takes off a + b (D. E. Knuth, The Art of Computer Programming 2, §4.2.2). */
function roundedOff(a: number, b: number): number {
  const sum = a + b;
  const ofB = sum - a;
  return a - (sum - ofB) + (b - ofB);
}
