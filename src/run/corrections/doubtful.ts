import { edgesOf } from "../../formats/branches.js";
import type { TrackMargins } from "../../formats/tracks.js";
import type { Numbered } from "./answer.js";

/** A link, start or end of an answer that a user may look at, by detections of the input. */
export interface DoubtfulItem {
  readonly kind: "link" | "start" | "end";
  /** The tail of a link, or the detection where a track ends; −1 for a start. */
  readonly from: number;
  /** The head of a link, or the detection where a track starts; −1 for an end. */
  readonly to: number;
  readonly margin: number;
}

/**
 * What an answer decided, the least margin first: links, and the starts and ends of tracks inside the recording. Starts and ends of single detections are left out, as both say that it is
 * false, and so are daughters' starts, which are links from their mothers, and what the ends of the recording decide. A link of which nothing is proved has the margin −Infinity.
 */
export function doubtfulItems({
  track,
  parents,
  margins,
}: Numbered & { readonly margins: TrackMargins | null }): DoubtfulItem[] {
  if (margins === null) return [];
  const { link, birth, death } = margins;
  const links = edgesOf({ track, parent: parents });
  const [entered, left] = [new Uint8Array(track.length), new Uint8Array(track.length)];
  for (const [from, to] of links) left[from] = entered[to] = 1;
  const items: DoubtfulItem[] = links.map(([from, to]) => {
    const isDaughter = track[from] !== track[to];
    return { kind: "link", from, to, margin: isDaughter ? (birth?.[to] ?? Number.NaN) : link[from] };
  });
  track.forEach((_, d) => {
    if (entered[d] === left[d]) return;
    if (left[d] === 1 && birth !== null) items.push({ kind: "start", from: -1, to: d, margin: birth[d] });
    if (entered[d] === 1 && death !== null) items.push({ kind: "end", from: d, to: -1, margin: death[d] });
  });
  return items
    .filter(({ kind, margin }) => kind === "link" || !Number.isNaN(margin))
    .map((item) => (Number.isNaN(item.margin) ? { ...item, margin: Number.NEGATIVE_INFINITY } : item))
    .sort((a, b) => a.margin - b.margin);
}
