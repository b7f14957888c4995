import type { Graph } from "../instance/instance.js";
import type { Chains } from "./chains.js";
import type { Core } from "./core.js";
import type { Numbers, Value } from "./numbers.js";
import type { Reduced } from "./reduced.js";

/** Tracks at most, and steps: tracks looked at in one frame. A step takes some nanoseconds. */
export interface SearchLimits {
  readonly mostTracks: number;
  readonly mostSteps: number;
}

/** The check of a proof goes further than the solver, since it may round otherwise and take another way. */
export const CHECK_LIMITS: SearchLimits = { mostTracks: 4000, mostSteps: 16e7 };

/**
 * Frames and detections of an instance at most. Over more frames tracks that cost little are many, and linear programs with cuts are soon done; each detection takes part in every step of the search.
 */
const MOST_FRAMES = 3;
const MOST_DETECTIONS = 2000;

/** Whether an instance or core is small enough for any of its sets of tracks to be gone through. */
export function isExhaustible({ frames, frameStart, exclusions, motherOf }: Graph): boolean {
  const isFree = exclusions === null && motherOf === null;
  return isFree && frames <= MOST_FRAMES && frameStart[frames] <= MOST_DETECTIONS;
}

/** What is left of an instance or core: edges that are not dominated, and the limit from which on tracks are. */
interface Open {
  readonly active: Uint8Array;
  readonly chains: Chains;
  readonly limit: Value;
}

/** Sets of tracks, each through every detection once, of which none costs less than a limit beyond the bound but one that was found. */
export interface Exhausted {
  /** The edges of the cheapest set that costs less, other than the present tracks; null where there is none. */
  readonly found: readonly number[] | null;
}

/** A whole track, by its edges, that costs less than the limit beyond the bound. */
interface Track {
  readonly edges: readonly number[];
  /** In units of the search, rounded down. */
  readonly cost: number;
}

/** Costs are searched as whole numbers up to about 2⁴⁰, so that no sum of one a detection is rounded. */
const LIMIT_BITS = 40;

/**
 * Goes through all sets of tracks that cost less than a limit beyond the bound: of few tracks each of which costs less, detection by detection. What costs beyond the bound is at least 0 and adds up, so
 * that a set in which the tracks chosen so far and the least that the detections left over pay come to the limit is given up.
 * @param saving only sets that cost so much less than one that was found are looked for
 * @returns null where there are more tracks, or more steps to take, than the limits allow
 */
export function exhaust(
  numbers: Numbers,
  core: Core,
  reduced: Reduced,
  { active, chains, limit }: Open,
  { mostTracks, mostSteps }: SearchLimits,
  saving: Value = 0,
): Exhausted | null {
  if (!isExhaustible(core.graph)) return null;
  const most = -numbers.f64(-limit);
  if (!(most > 0)) return { found: null };
  const unit = 2 ** (Math.max(-1000, Math.floor(Math.log2(most))) - LIMIT_BITS);
  if (!Number.isFinite(most / unit)) return null;
  const tracks = tracksBelow(numbers, core, reduced, { active, chains, limit }, unit, { mostTracks, mostSteps });
  if (tracks === null) return null;
  const search = new Search(core, tracks, Math.ceil(most / unit), numbers.f64(saving) / unit, mostSteps);
  return search.run() ? { found: search.found?.flatMap((n) => tracks[n].edges) ?? null } : null;
}

/** All tracks that cost less than the limit; null where there are too many. */
function tracksBelow(
  numbers: Numbers,
  { graph, incidence, trackEdges }: Core,
  reduced: Reduced,
  { active, chains, limit }: Open,
  unit: number,
  { mostTracks, mostSteps }: SearchLimits,
): Track[] | null {
  const { down } = numbers;
  const { frames, frameStart, edges, tail, head, triplets } = graph;
  const { outFrom, outEdge } = incidence;
  const stored = triplets.kind === "csr" ? triplets : null;
  const isKept = (e: number): boolean => active[e] === 1 || trackEdges.isOfTracks[e] === 1;

  const tracks: Track[] = [];
  const path: number[] = [];
  let steps = 0;
  /** Goes on with a track that costs `cost` up to e; whether there are few enough. */
  const extend = (e: number, cost: Value): boolean => {
    path.push(e);
    const d = head[e];
    if (d < 0 || d >= frameStart[frames - 1]) {
      tracks.push({ edges: path.slice(), cost: Math.floor(numbers.f64(cost) / unit) });
    } else {
      const [from, to] = stored ? [stored.rowStart[e], stored.rowStart[e + 1]] : [outFrom[d], outFrom[d + 1]];
      for (let t = from; t < to && steps <= mostSteps && tracks.length <= mostTracks; t++) {
        const f = stored ? stored.successor[t] : outEdge[t];
        steps++;
        if (!isKept(f)) continue;
        const before = down(cost, reduced.triplet(e, f, t));
        if (down(before, chains.onward[f]) < limit) extend(f, down(before, reduced.edge[f]));
      }
    }
    path.pop();
    return steps <= mostSteps && tracks.length <= mostTracks;
  };
  for (let e = 0; e < edges; e++) {
    const begins = tail[e] < frameStart[1];
    if (begins && isKept(e) && chains.onward[e] < limit && !extend(e, reduced.edge[e])) return null;
  }
  return tracks;
}

/** The tracks that are left at a node of the search, and what each costs beyond what all detections pay at least. */
interface Left {
  readonly track: Int32Array;
  readonly cost: Float64Array;
}

/** A search in depth, detection by detection, first where the fewest tracks are left (as D. E. Knuth's algorithm X). */
class Search {
  found: number[] | null = null;
  readonly #frameStart: Uint32Array;
  /** Detection of each track in each frame, a frame after the other; −1 where it has none. */
  readonly #detection: Int32Array;
  readonly #isPresent: boolean[];
  readonly #left: Left[] = [];
  readonly #isCovered: Uint8Array;
  readonly #least: Float64Array;
  readonly #count: Uint32Array;
  readonly #chosen: number[] = [];
  #steps = 0;

  constructor(
    { graph: { frames, frameStart, tail, head }, trackEdges }: Core,
    private readonly tracks: readonly Track[],
    private limit: number,
    private readonly saving: number,
    private readonly mostSteps: number,
  ) {
    this.#frameStart = frameStart;
    const detections = frameStart[frames];
    const frameOf = new Uint32Array(detections);
    for (let frame = 0; frame < frames; frame++) frameOf.fill(frame, frameStart[frame], frameStart[frame + 1]);
    this.#detection = new Int32Array(frames * tracks.length).fill(-1);
    for (const [n, { edges }] of tracks.entries())
      for (const e of edges)
        for (const d of [tail[e], head[e]]) if (d >= 0) this.#detection[frameOf[d] * tracks.length + n] = d;
    this.#isPresent = tracks.map(({ edges }) => edges.every((e) => trackEdges.isOfTracks[e] === 1));
    this.#isCovered = new Uint8Array(detections);
    this.#least = new Float64Array(detections);
    this.#count = new Uint32Array(detections);
  }

  /** @returns whether everything was gone through */
  run(): boolean {
    const all = this.#leftAt(0);
    this.tracks.forEach(({ cost }, n) => {
      all.track[n] = n;
      all.cost[n] = cost;
    });
    this.#descend(0, this.tracks.length, 0);
    return this.#steps <= this.mostSteps;
  }

  #leftAt(depth: number): Left {
    const { length } = this.tracks;
    this.#left[depth] ??= { track: new Int32Array(length), cost: new Float64Array(length) };
    return this.#left[depth];
  }

  /**
   * @param size how many tracks are left at this depth
   * @param paid by the tracks that are chosen, and by all other detections at least
   */
  #descend(depth: number, size: number, paid: number): void {
    const { track, cost } = this.#leftAt(depth);
    const sum = this.#charge(this.#left[depth], size, paid);
    if (!(sum < this.limit)) return;
    // What costs too much with the least of all other detections is in no such set.
    let kept = 0;
    for (let n = 0; n < size; n++) {
      if (sum + cost[n] >= this.limit) continue;
      track[kept] = track[n];
      cost[kept++] = cost[n];
    }
    const next = this.#fewest(track, kept);
    if (next < 0) {
      if (this.#chosen.every((n) => this.#isPresent[n])) return;
      this.found = this.#chosen.slice();
      this.limit = sum - this.saving;
      return;
    }
    const tried: number[] = [];
    const frame = this.#frameStart.findIndex((start) => start > next) - 1;
    for (let n = 0; n < kept; n++) if (this.#detection[frame * this.tracks.length + track[n]] === next) tried.push(n);
    for (const n of tried.sort((a, b) => cost[a] - cost[b])) {
      this.#chosen.push(track[n]);
      this.#cover(track[n], 1);
      this.#descend(depth + 1, this.#disjoint(depth, kept), sum + cost[n]);
      this.#cover(track[n], 0);
      this.#chosen.pop();
      if (this.#steps > this.mostSteps) return;
    }
  }

  /** Takes from the tracks, frame by frame, the least cost of a track at each detection; returns what is paid in all then. */
  #charge({ track, cost }: Left, size: number, paid: number): number {
    const { length } = this.tracks;
    let sum = paid;
    for (let frame = 0; frame + 1 < this.#frameStart.length && sum < this.limit; frame++) {
      const [from, to] = [this.#frameStart[frame], this.#frameStart[frame + 1]];
      const detection = this.#detection.subarray(frame * length, (frame + 1) * length);
      this.#steps += size;
      this.#least.fill(Number.POSITIVE_INFINITY, from, to);
      for (let n = 0; n < size; n++) {
        const d = detection[track[n]];
        if (d >= 0 && cost[n] < this.#least[d]) this.#least[d] = cost[n];
      }
      for (let d = from; d < to; d++) if (this.#isCovered[d] === 0) sum += this.#least[d];
      for (let n = 0; n < size; n++) {
        const d = detection[track[n]];
        if (d >= 0) cost[n] -= this.#least[d];
      }
    }
    return sum;
  }

  /** The detection that the fewest tracks are left for; −1 where all are covered. */
  #fewest(track: Int32Array, size: number): number {
    this.#count.fill(0);
    for (let n = 0; n < size; n++)
      for (let at = track[n]; at < this.#detection.length; at += this.tracks.length)
        if (this.#detection[at] >= 0) this.#count[this.#detection[at]]++;
    let next = -1;
    for (let d = 0; d < this.#count.length; d++)
      if (this.#isCovered[d] === 0 && (next < 0 || this.#count[d] < this.#count[next])) next = d;
    return next;
  }

  /** Puts the tracks of a depth that have no covered detection into the next one; returns how many. */
  #disjoint(depth: number, size: number): number {
    const [from, to] = [this.#left[depth], this.#leftAt(depth + 1)];
    const { length } = this.tracks;
    this.#steps += size;
    let kept = 0;
    for (let n = 0; n < size; n++) {
      let isFree = true;
      for (let at = from.track[n]; isFree && at < this.#detection.length; at += length)
        isFree = this.#detection[at] < 0 || this.#isCovered[this.#detection[at]] === 0;
      if (!isFree) continue;
      to.track[kept] = from.track[n];
      to.cost[kept++] = from.cost[n];
    }
    return kept;
  }

  #cover(track: number, value: 0 | 1): void {
    for (let at = track; at < this.#detection.length; at += this.tracks.length)
      if (this.#detection[at] >= 0) this.#isCovered[this.#detection[at]] = value;
  }
}
