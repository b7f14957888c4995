import { byRow, type Rows, rowStarts } from "../../core/rows.js";
import { continuationsThrough } from "../../costs/motion/least-costs.js";
import type { PricedLinks, PricedProblem } from "../../map/instance/priced.js";
import { twinsOf } from "../../map/instance/twins.js";
import type { MotionPass } from "../motion-passes.js";

/** A link of the input's detections as one of a problem's, or as the chain of its links over missed frames, by their ends. */
export type Chain = readonly (readonly [tail: number, head: number])[];

/** A continuation through a link, by the ends of its links. */
export interface Through {
  readonly earlier: Chain[number];
  readonly later: Chain[number];
  readonly cost: number;
  /** Whether it goes on from the link, and does not lead to it. */
  readonly isBehind: boolean;
}

/** Where the input's detections and links are in a problem. */
export class Places {
  /** Input detection behind each detection of the problem, −1 for placeholders and twins. */
  readonly origin: Int32Array;
  /** Detection of the problem by that of the input. */
  readonly place: Uint32Array;
  /** The twin of each detection of the problem, −1 for none. */
  readonly twinOf: Int32Array;
  readonly #chains: ReadonlyMap<string, Chain>;
  /** The links that were priced; null where other costs price them. */
  readonly #kept: LinkIndex | null;
  readonly #through = new Map<string, readonly Through[]>();

  constructor(
    { links, motherOf }: PricedProblem,
    private readonly motion: MotionPass | null,
  ) {
    const count = links.frameStart[links.frameStart.length - 1];
    let inputs = 0;
    this.origin =
      motion?.priced.origin ??
      Int32Array.from({ length: count }, (_, d) => ((motherOf?.[d] ?? -1) < 0 ? inputs++ : -1));
    this.place = new Uint32Array(this.origin.reduce((most, d) => Math.max(most, d + 1), 0));
    this.origin.forEach((d, at) => {
      if (d >= 0) this.place[d] = at;
    });
    this.twinOf = twinsOf(motherOf ?? null, new Int32Array(count));
    this.#kept = motion && new LinkIndex(motion.priced.kept, motion.recording.x.length);
    this.#chains = new Map(motion === null ? [] : chainsOf(motion));
  }

  /** The links of the problem that a link between detections of consecutive frames, or over missed ones, is made of. */
  chain(from: number, to: number): Chain {
    return this.#chains.get(`${from} ${to}`) ?? [[this.place[from], this.place[to]]];
  }

  /** The continuations of a link, by ends of links of the problem, that come before and behind it. */
  through(from: number, to: number): readonly Through[] {
    const { motion } = this;
    if (motion === null || this.#kept === null) return [];
    const name = `${from} ${to}`;
    const known = this.#through.get(name);
    if (known !== undefined) return known;
    const { kept } = motion.priced;
    const own = this.#kept.find([from, to]);
    const near = Uint32Array.from([...this.#kept.into(from), own, ...this.#kept.outOf(to)]).sort();
    const chain = (n: number): Chain => this.chain(kept.tail[n], kept.head[n]);
    const found = continuationsThrough(kept, own, near, motion.fit.model, motion.costs).map(
      ({ earlier, later, cost }) => ({
        earlier: chain(earlier)[chain(earlier).length - 1],
        later: chain(later)[0],
        cost,
        isBehind: earlier === own,
      }),
    );
    this.#through.set(name, found);
    return found;
  }
}

/** The chains of links over missed frames. */
function chainsOf({ priced: { kept, edgeOf, links, origin } }: MotionPass): (readonly [string, Chain])[] {
  const linkStart = rowStarts(links.tail, origin.length);
  const chains: (readonly [string, Chain])[] = [];
  kept.tail.forEach((i, n) => {
    if (kept.span[n] === 1) return;
    const chain: (readonly [number, number])[] = [];
    // A placeholder has one link out of it.
    for (let e = edgeOf[n], parts = kept.span[n]; parts > 0; e = linkStart[links.head[e]], parts--)
      chain.push([links.tail[e], links.head[e]]);
    chains.push([`${i} ${kept.head[n]}`, chain]);
  });
  return chains;
}

/** Finds links of a problem by their ends, which they are sorted by. */
export class LinkIndex {
  readonly linkStart: Uint32Array;
  readonly #into: Rows;

  constructor(
    private readonly links: Pick<PricedLinks, "tail" | "head">,
    detections: number,
  ) {
    const { tail, head } = links;
    this.linkStart = rowStarts(tail, detections);
    this.#into = byRow(head, detections);
  }

  /** −1 where there is none. */
  find([tail, head]: readonly [number, number]): number {
    for (let e = this.linkStart[tail]; e < this.linkStart[tail + 1]; e++) if (this.links.head[e] === head) return e;
    return -1;
  }

  outOf(d: number): number[] {
    const [begin, end] = [this.linkStart[d], this.linkStart[d + 1]];
    return Array.from({ length: end - begin }, (_, n) => begin + n);
  }

  into(d: number): Uint32Array {
    const { rowStart, item } = this.#into;
    return item.subarray(rowStart[d], rowStart[d + 1]);
  }
}
