import { type FrameNumbers, frameNumber } from "../core/frame-numbers.js";
import type { TrackMargins } from "../formats/tracks.js";
import { UNASSIGNED } from "../lap/lap.js";
import type { Graph } from "../map/instance/instance.js";
import type { Solution } from "../map/solution.js";
import { type ResultRow, WEAK_MARGIN } from "../rows/results.js";

/**
 * The margins of links, births and deaths by detection, as the columns of tracks.csv have them; null without tracks or margins.
 * @param origin input detection behind each problem detection, −1 for a placeholder; null where they are the same
 */
export function trackMargins(
  { frames, frameStart, links, edges, head }: Graph,
  { tracks, margins }: Solution,
  origin: Int32Array | null,
): TrackMargins | null {
  if (tracks === null || margins === null) return null;
  const none = () => new Float64Array(frameStart[frames]).fill(Number.NaN);
  const hasBirths = edges > links;
  const [link, birth, death] = [none(), hasBirths ? none() : null, hasBirths ? none() : null];
  const entered = new Uint8Array(frameStart[frames]);
  tracks.forEach((e, d) => {
    if (e !== UNASSIGNED) {
      link[d] = margins.out[d];
      entered[head[e]] = 1;
    } else if (death !== null) death[d] = margins.out[d];
  });
  for (let d = 0; birth !== null && d < birth.length; d++) if (entered[d] === 0) birth[d] = margins.into[d];
  const ofInput = (values: Float64Array) => (origin === null ? values : values.filter((_, at) => origin[at] >= 0));
  return { link: ofInput(link), birth: birth && ofInput(birth), death: death && ofInput(death) };
}

/** The number of links that the tracks have, of those proved to be in every optimal set of tracks, and of those with a small margin. */
export function countLinks(margins: TrackMargins | null): ResultRow["links"] {
  if (margins === null) return null;
  const link = margins.link.filter((margin) => !Number.isNaN(margin));
  const least = (wanted: (margin: number) => boolean) => link.filter(wanted).length;
  return { total: link.length, sure: least((m) => m > 0), weak: least((m) => m < WEAK_MARGIN) };
}

/** A link of the tracks with its margin; frames have the input's numbers, and detections count within theirs. */
export interface UnsureLink {
  readonly margin: number;
  readonly track: number;
  readonly frame: number;
  readonly detection: number;
  /** Detection of the track's next frame. */
  readonly next: number;
}

/** The links with a margin below `limit`, the smallest margin first; null without tracks or margins. */
export function unsureLinks(
  { frameStart, margins, track }: { frameStart: Uint32Array; margins: TrackMargins | null; track: Int32Array | null },
  numbers: FrameNumbers,
  limit: number,
): UnsureLink[] | null {
  if (margins === null || track === null) return null;
  const links: UnsureLink[] = [];
  const latest = new Map<number, Omit<UnsureLink, "next">>();
  for (let p = 0; p + 1 < frameStart.length; p++) {
    for (let d = frameStart[p]; d < frameStart[p + 1]; d++) {
      const before = latest.get(track[d]);
      const detection = d - frameStart[p];
      if (before !== undefined && before.margin < limit) links.push({ ...before, next: detection });
      latest.set(track[d], { margin: margins.link[d], track: track[d], frame: frameNumber(numbers, p), detection });
    }
  }
  return links.sort((a, b) => a.margin - b.margin);
}
