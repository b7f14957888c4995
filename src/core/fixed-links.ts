/** Links that a user insists on or rules out; detections by their numbers among all. */
export interface FixedLinks {
  /** Head of the required link out of a detection, and tail of the one into it; −1 for none. Length detections. */
  readonly next: Int32Array;
  readonly previous: Int32Array;
  /** Heads of forbidden links by their tails. */
  readonly forbidden: ReadonlyMap<number, ReadonlySet<number>>;
  /** Frames that the longest required link spans; 0 where none is required. */
  readonly longest: number;
  /** How many of either kind. */
  readonly required: number;
  readonly ruledOut: number;
}

/** A link that a user insists on or rules out; detections by their numbers among all. */
export interface Correction {
  readonly kind: "required" | "forbidden";
  readonly from: number;
  readonly to: number;
}

/** Why a link cannot be added to those before it: at which end, and the remedy. */
export interface LinkRefusal {
  readonly end: "tail" | "head";
  readonly problem: string;
  readonly remedy: string;
}

/** Gathers links of which no two contradict each other. */
export class FixedLinksBuilder {
  readonly #next: Int32Array;
  readonly #previous: Int32Array;
  readonly #forbidden = new Map<number, Set<number>>();
  #longest = 0;
  #required = 0;
  #ruledOut = 0;

  constructor(detections: number) {
    this.#next = new Int32Array(detections).fill(-1);
    this.#previous = this.#next.slice();
  }

  /** @param span frames from i to j */
  require(i: number, j: number, span: number): LinkRefusal | null {
    const problem = "has a required link already";
    if (this.#next[i] >= 0) return { end: "tail", problem, remedy: "a detection has one next detection" };
    if (this.#previous[j] >= 0) return { end: "head", problem, remedy: "a detection has one detection before it" };
    this.#next[i] = j;
    this.#previous[j] = i;
    this.#longest = Math.max(this.#longest, span);
    this.#required++;
    return null;
  }

  forbid(i: number, j: number): void {
    this.#forbidden.set(i, (this.#forbidden.get(i) ?? new Set()).add(j));
    this.#ruledOut++;
  }

  build(): FixedLinks {
    const [next, previous, forbidden] = [this.#next, this.#previous, this.#forbidden];
    return { next, previous, forbidden, longest: this.#longest, required: this.#required, ruledOut: this.#ruledOut };
  }
}

/** Whether a link may be used beside the required ones. */
export function mayLink({ next, previous, forbidden }: FixedLinks, i: number, j: number): boolean {
  if (next[i] >= 0 || previous[j] >= 0) return next[i] === j;
  return forbidden.get(i)?.has(j) !== true;
}

/** A required link that tracks lack, or a forbidden one that they have, as [tail, head]; null where they keep to all. */
export function brokenLink({ next, forbidden }: FixedLinks, track: Int32Array): readonly [number, number] | null {
  const follower = new Map<number, number>();
  const last = new Map<number, number>();
  track.forEach((number, d) => {
    const before = number < 0 ? undefined : last.get(number);
    if (before !== undefined) follower.set(before, d);
    last.set(number, d);
  });
  for (let i = 0; i < next.length; i++) if (next[i] >= 0 && follower.get(i) !== next[i]) return [i, next[i]];
  for (const [i, heads] of forbidden) {
    const j = follower.get(i);
    if (j !== undefined && heads.has(j)) return [i, j];
  }
  return null;
}
