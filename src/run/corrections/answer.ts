import type { FixedLinks } from "../../core/fixed-links.js";
import { edgesOf } from "../../formats/branches.js";
import type { TrackMargins } from "../../formats/tracks.js";
import type { Parents } from "../lineage.js";

export interface Numbered {
  /** Track of each detection. */
  readonly track: Int32Array;
  readonly parents: Parents;
}

/** A link between detections of the input. */
export type InputLink = readonly [from: number, to: number];

/** The tracks with the numbers of those before that begin at the same detections or go through these, each number once. */
export function withNumbersOf(before: Int32Array, { track, parents }: Numbered): Numbered {
  const numbers = new Map<number, number>();
  const taken = new Set<number>();
  const give = (own: number, number: number): void => {
    numbers.set(own, number);
    taken.add(number);
  };
  track.forEach((own, d) => {
    if (!numbers.has(own) && !taken.has(before[d])) give(own, before[d]);
  });
  let next = 0;
  for (const own of track) {
    if (numbers.has(own)) continue;
    while (taken.has(next)) next++;
    give(own, next);
  }
  const numberOf = (own: number): number => numbers.get(own) as number;
  return {
    track: track.map(numberOf),
    parents: new Map([...parents].map(([daughter, mother]) => [numberOf(daughter), numberOf(mother)])),
  };
}

/** The links of one answer that another does not have, and the reverse. */
export function differences(
  before: Numbered,
  after: Numbered,
): { readonly gone: InputLink[]; readonly added: InputLink[] } {
  const [had, has] = [before, after].map(({ track, parents }) => edgesOf({ track, parent: parents }));
  const name = ([from, to]: InputLink): string => `${from} ${to}`;
  const [hadNames, hasNames] = [had, has].map((links) => new Set(links.map(name)));
  return {
    gone: had.filter((link) => !hasNames.has(name(link))),
    added: has.filter((link) => !hadNames.has(name(link))),
  };
}

/** Margins that tracks outside a part bear out as well, which cost at least `most` more; those of required links are Infinity. */
export function marginsWithin(
  { link, birth, death }: TrackMargins,
  most: number,
  { next, previous }: FixedLinks,
): TrackMargins {
  const within = (values: Float64Array, fixed: Int32Array | null): Float64Array =>
    values.map((margin, d) =>
      Number.isNaN(margin) ? margin : (fixed?.[d] ?? -1) >= 0 ? Number.POSITIVE_INFINITY : Math.min(margin, most),
    );
  return { link: within(link, next), birth: birth && within(birth, previous), death: death && within(death, null) };
}
