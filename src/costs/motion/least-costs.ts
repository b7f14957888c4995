import { byRow, longestRow, type Rows } from "../../core/rows.js";
import { CLEARLY, type Continuations, type DropLimits } from "./continuations.js";
import { cheapest, expectedX, expectedY, type Points, pointsOf, putFalloffs } from "./falloffs.js";
import type { TrackCosts } from "./links.js";

/** The least falloff into each link from earlier links of one span, and the link that attains it. */
interface LeastInto {
  readonly falloff: Float64Array;
  readonly from: Int32Array;
}

/** The cheapest D into and out of each link; Infinity where no link precedes or follows it. */
export class LeastCosts {
  readonly into: Float64Array;
  readonly out: Float64Array;
  /** The links that attain them, −1 for none. */
  readonly #before: Int32Array;
  readonly #after: Int32Array;
  /** The links into each detection. */
  readonly #incoming: Rows;
  readonly #falloffs: Float64Array;
  /** Links before one link, and the deviations expected after each. */
  readonly #earlier: Uint32Array;
  readonly #expected: Points;
  /** By span of the earlier link, less 1: the saving of each link, Infinity of dropped ones, so that they are never the cheapest. */
  readonly #weight: readonly Float64Array[];

  /** Looks at all pairs of links. */
  constructor(private readonly continuations: Continuations) {
    const { links, rules, whitened, runStart } = continuations;
    const count = links.head.length;
    const infinite = () => new Float64Array(count).fill(Number.POSITIVE_INFINITY);
    const none = () => new Int32Array(count).fill(-1);
    [this.into, this.out, this.#before, this.#after] = [infinite(), infinite(), none(), none()];
    this.#incoming = byRow(links.head, (runStart.length - 1) / rules.length);
    const widest = Math.max(longestRow(runStart), longestRow(this.#incoming.rowStart));
    [this.#falloffs, this.#earlier, this.#expected] = [
      new Float64Array(widest),
      new Uint32Array(widest),
      pointsOf(widest),
    ];
    this.#weight = whitened.map(({ saving }) => saving.slice());
    const least: LeastInto[] = rules.map(() => ({ falloff: infinite(), from: none() }));
    // Detection by detection, so that the links out of it stay in the cache while those into it are gone through.
    for (const e of this.#incoming.item) {
      this.#findAfter(e, least[links.span[e] - 1]);
    }
    least.forEach(({ falloff, from }, a) => {
      for (let f = 0; f < count; f++) this.#lowerInto(f, a, falloff[f], from[f]);
    });
  }

  /**
   * Mends the costs after some links were dropped: the cheapest changes only where the link that attains it is gone. Those of dropped links stay.
   * @param kept 1 for the links that are left
   */
  mend(kept: Uint8Array): void {
    for (const weight of this.#weight) {
      for (let f = 0; f < kept.length; f++) if (kept[f] === 0) weight[f] = Number.POSITIVE_INFINITY;
    }
    for (let e = 0; e < kept.length; e++) {
      if (kept[e] === 0) continue;
      if (this.#after[e] >= 0 && kept[this.#after[e]] === 0) this.#findAfter(e, null);
      if (this.#before[e] >= 0 && kept[this.#before[e]] === 0) this.#findBefore(e, kept);
    }
  }

  /** Finds the cheapest link after e, and lowers the least falloffs into the links after e. */
  #findAfter(e: number, least: LeastInto | null): void {
    const { links, rules, whitened, runStart } = this.continuations;
    const { head, span, zx, zy } = links;
    const falloffs = this.#falloffs;
    const a = span[e] - 1;
    const weight = this.#weight[a];
    this.out[e] = Number.POSITIVE_INFINITY;
    this.#after[e] = -1;
    for (let b = 0; b < rules.length; b++) {
      const begin = runStart[rules.length * head[e] + b];
      const end = runStart[rules.length * head[e] + b + 1];
      if (begin === end) continue;
      const rule = rules[a][b];
      const [x, y] = [expectedX(rule, zx[e], zy[e]), expectedY(rule, zx[e], zy[e])];
      putFalloffs(rule, x, y, whitened[a], begin, end, falloffs);
      for (let f = begin; least !== null && f < end; f++) {
        if (falloffs[f - begin] < least.falloff[f]) {
          least.falloff[f] = falloffs[f - begin];
          least.from[f] = e;
        }
      }
      const n = cheapest(falloffs, end - begin, weight, begin);
      if (n < 0) continue;
      const cost = rule.peak + rule.slope * Math.log(falloffs[n] * weight[begin + n]);
      if (cost < this.out[e]) {
        this.out[e] = cost;
        this.#after[e] = begin + n;
      }
    }
  }

  #findBefore(f: number, kept: Uint8Array): void {
    const { links, rules, whitened } = this.continuations;
    const { tail, span, zx, zy } = links;
    const { rowStart, item } = this.#incoming;
    this.into[f] = Number.POSITIVE_INFINITY;
    this.#before[f] = -1;
    for (let a = 0; a < rules.length; a++) {
      const rule = rules[a][span[f] - 1];
      let count = 0;
      for (let k = rowStart[tail[f]]; k < rowStart[tail[f] + 1]; k++) {
        const e = item[k];
        if (span[e] !== a + 1 || kept[e] === 0) continue;
        this.#earlier[count] = e;
        this.#expected.x[count] = expectedX(rule, zx[e], zy[e]);
        this.#expected.y[count] = expectedY(rule, zx[e], zy[e]);
        count++;
      }
      if (count === 0) continue;
      const { x, y } = whitened[a];
      putFalloffs(rule, x[f], y[f], this.#expected, 0, count, this.#falloffs);
      let least = 0;
      for (let n = 1; n < count; n++) if (this.#falloffs[n] < this.#falloffs[least]) least = n;
      this.#lowerInto(f, a, this.#falloffs[least], this.#earlier[least]);
    }
  }

  /** Takes the falloff into f from link e of span a + 1, where that is the cheapest so far. */
  #lowerInto(f: number, a: number, falloff: number, e: number): void {
    if (e < 0) return;
    const { rules, offset, links } = this.continuations;
    const { peak, slope } = rules[a][links.span[f] - 1];
    const cost = peak + slope * Math.log(falloff) - offset[f];
    if (cost < this.into[f]) {
      this.into[f] = cost;
      this.#before[f] = e;
    }
  }
}

export type CheapestCosts = Pick<LeastCosts, "into" | "out">;

/** Takes the mark of links that no best set of tracks needs (docs/explanation/motion.md §3); returns their number. */
export function dropNeedless(
  { links: { tail, head } }: Continuations,
  cost: Float64Array,
  { into, out }: CheapestCosts,
  { birth, death }: NonNullable<TrackCosts["ends"]>,
  kept: Uint8Array,
): number {
  let dropped = 0;
  const isNeeded = (e: number): boolean =>
    cost[e] + Math.min(0, into[e]) + Math.min(0, out[e]) < death[tail[e]] + birth[head[e]] + CLEARLY;
  for (let e = 0; e < kept.length; e++) {
    if (kept[e] === 0 || isNeeded(e)) continue;
    kept[e] = 0;
    dropped++;
  }
  return dropped;
}

/** A triplet is dropped where cutting its later, or its earlier, link undercuts it with the cheapest on the other side. */
export function dropLimits(
  { links: { tail, head } }: Continuations,
  cost: Float64Array,
  { into, out }: CheapestCosts,
  { birth, death }: NonNullable<TrackCosts["ends"]>,
): DropLimits {
  const byLater = new Float64Array(cost.length);
  const byEarlier = new Float64Array(cost.length);
  for (let e = 0; e < cost.length; e++) {
    const cut = death[tail[e]] + birth[head[e]] - cost[e] + CLEARLY;
    byLater[e] = cut - Math.min(0, out[e]);
    byEarlier[e] = cut - Math.min(0, into[e]);
  }
  return { byLater, byEarlier };
}
