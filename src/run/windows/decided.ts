import { createHash } from "node:crypto";
import { invariant } from "../../core/errors.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { addPairBounds, addPairCosts } from "../../map/certificate/certificate.js";
import { CompensatedSum, type PartialSum } from "../../map/certificate/compensated-sum.js";
import { detectionRange, edgeRange, type Piece, usedMultipliers } from "../../map/window/piece.js";

/** A window both of whose borders are decided. */
export interface Closing {
  readonly window: number;
  readonly piece: Piece;
  /** As in PricedWindow. */
  readonly place: Int32Array;
  /** The frame pairs that it decides, counted in the recording: `border` … `next` − 1. */
  readonly border: number;
  readonly next: number;
  /** Whether the recording ends at frame `next`. */
  readonly isLast: boolean;
}

/** What is decided of a window: its share of the bound and the cost, and its links. Plain data, that of a thread or of a file. */
export interface DecidedWindow {
  /** Sums over its frame pairs: of a bound of the whole, and of the cost of its tracks. Without a bound the first is no number. */
  readonly bound: PartialSum;
  readonly cost: PartialSum;
  /** Certified bound of its frame pairs, the multipliers at both borders given; −Infinity where there is none. */
  readonly lowerBound: number;
  /** Cost of the tracks in its frame pairs, with the same multipliers counted; never below the bound but for rounding. */
  readonly upperBound: number;
  /**
   * Digests of the costs, multipliers and links of the frame pairs that begin at its first frame and at the one behind it, null at the ends of a recording. The
   * sums of two neighbours add up to a bound and a cost only where both have the same there (docs/explanation/mathematics.md §4.1).
   */
  readonly borders: readonly [begin: string | null, end: string | null];
  readonly edges: number;
  readonly triplets: number;
  readonly iterations: number;
  /** By its frames and the one behind them: where the detections of each begin, of those of the problem; the first at 0. */
  readonly frameStart: Uint32Array;
  /** Place in the next frame of the detection that each is linked to, −1 where its track ends; and of its second daughter, −1 where it does not divide. */
  readonly linked: Int32Array;
  readonly second: Int32Array;
  /** Number within its frame of the input of each detection; −1 for one that stands in for a missed one, and for a twin. */
  readonly place: Int32Array;
}

/** Certifies and prices a window both of whose borders are decided. */
export function closeWindow({ window, piece, place, border, next, isLast }: Closing): DecidedWindow {
  const { graph, first, v, columnDual, tracks, iterations } = piece;
  const range = [border - first, next - first] as const;
  const [bound, cost] = [new CompensatedSum(), new CompensatedSum()];
  // A sum over numbers that prove nothing is no bound either.
  if (typeof addPairBounds(graph, v, columnDual, range, [bound]) !== "number") bound.add(Number.NaN);
  const forbidden = addPairCosts(graph, tracks, range, [cost]);
  invariant(forbidden === null, () => `window ${window}: its tracks use a triplet that is not there`);
  const { edgeStart, triplets, head, motherOf } = graph;
  const [begin, end] = range.map((pair) => edgeStart[pair]);
  const received = border === 0 ? 0 : usedMultipliers(piece, range[0]);
  const passed = isLast ? 0 : usedMultipliers(piece, range[1]);
  const frameStart = graph.frameStart.slice(range[0], range[1] + 2);
  const firstDetection = frameStart[0];
  const detections = frameStart[next - border + 1] - firstDetection;
  const linked = new Int32Array(detections).fill(UNASSIGNED);
  const second = linked.slice();
  for (let p = 0; p < next - border; p++) {
    for (let d = frameStart[p]; d < frameStart[p + 1]; d++) {
      if (tracks[d] === UNASSIGNED) continue;
      const mother = motherOf?.[d] ?? UNASSIGNED;
      const [links, at] = mother === UNASSIGNED ? [linked, d] : [second, mother];
      links[at - firstDetection] = head[tracks[d]] - frameStart[p + 1];
    }
  }
  return {
    bound: bound.partial(),
    cost: cost.partial(),
    lowerBound: bound.lower,
    upperBound: cost.upper + received - passed,
    borders: [border === 0 ? null : pairDigest(piece, border), isLast ? null : pairDigest(piece, next)],
    edges: end - begin,
    triplets: triplets.kind === "csr" ? triplets.rowStart[end] - triplets.rowStart[begin] : 0,
    iterations,
    frameStart: frameStart.map((detection) => detection - firstDetection),
    linked,
    second,
    place: place.slice(firstDetection, firstDetection + detections),
  };
}

/** Of all that a window's bound, cost and tracks have of a frame pair. */
function pairDigest(piece: Piece, pair: number): string {
  const [begin, end] = edgeRange(piece, pair, pair + 1);
  const links = piece.tracks.subarray(...detectionRange(piece, pair, pair + 1));
  const hash = createHash("sha256");
  for (const values of [piece.graph.cost, piece.v]) hash.update(values.slice(begin, end));
  hash.update(links.map((link) => (link === UNASSIGNED ? link : link - begin)));
  return hash.digest("hex");
}
