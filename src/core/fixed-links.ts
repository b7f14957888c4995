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
