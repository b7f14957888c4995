import { bisectRight, group, range } from "d3-array";
import { type RandomStream, randomStreams } from "../../core/random.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { type Incidence, incidenceOf } from "../instance/incidence.js";
import type { Graph } from "../instance/instance.js";
import { numberTracks } from "../primal/tracks.js";
import type { Stage } from "../proof/proof.js";
import { type TrackEdges, trackEdgesOf } from "../proof/track-edges.js";
import { type ExactOptions, progressOf } from "./exact-run.js";
import { costOf, paidBy } from "./paid.js";
import { iterationWork } from "./patience.js";
import { cutRegion, type RegionBounds } from "./region.js";
import { solveExactly } from "./solve-exactly.js";
import { type ReducedCosts, reduceCore } from "./stages.js";

export type RegionSearchOptions = Pick<
  ExactOptions,
  "open" | "time" | "now" | "interrupted" | "pause" | "progress" | "worked"
>;

/** Tracks of the first regions, and by how much the next ones are larger once these are searched. */
const FIRST_SIZE = 25;
const LARGER = 1.4;
/** Frames of a region at most. */
const FRAMES = 10;
/** Regions in a row without better tracks after which the present size is searched: as many of each detection at which the tracks pay, by the tracks of a region, and no fewer than these. */
const TRIES = 2;
const LEAST_TRIES = 8;
/** Limits of the exact solve of a region. */
const MOST_TRIPLETS = 40_000;
const MOST_LEAVES = 10;
const MOST_SECONDS = 5;
/** Iterations of the ascent over the frames of a region that take as long as the region without its linear programs: measured as SIMPLEX_WORK was (patience.ts). */
const REGION_ITERATIONS = 4;

/** How much the order in which a region grows is shaken. */
const SHAKE = 1;

/**
 * Searches for better tracks by solving regions of the instance exactly (large neighbourhood search: Shaw, "Using constraint programming and local
 * search methods to solve vehicle routing problems", CP 1998): some tracks that are close to each other in reduced costs, over a few frames, with
 * all others fixed. Few edges of a region cost less than the tracks pay there, so that most regions are solved in milliseconds. Regions begin where
 * the tracks pay most; they grow until they are too large to be solved.
 * @param stage multipliers of the instance, which may weigh its exclusions
 * @returns tracks that cost no more than the given ones
 */
export async function searchRegions(
  graph: Graph,
  stage: Stage,
  tracks: Int32Array,
  options: RegionSearchOptions,
): Promise<Int32Array> {
  const { now } = options;
  const end = now() + options.time;
  const incidence = incidenceOf(graph);
  const reduced = reduceCore({ graph, incidence, removed: new Uint8Array(graph.edges) }, stage);
  const frames = Math.min(FRAMES, graph.frames);
  const [random] = randomStreams(0);
  let best = tracks;
  let cost = costOf(graph, best);
  let regions = regionsAround(reduced, incidence, best);
  if (!Number.isFinite(cost) || !Number.isFinite(reduced.constant) || regions.paid === 0) return tracks;

  for (let size = FIRST_SIZE; ; size = Math.ceil(LARGER * size)) {
    let [tried, large] = [0, 0];
    for (let since = 0; since < Math.max(LEAST_TRIES, (TRIES * regions.payers) / size); since++) {
      await options.pause?.();
      const left = end - now();
      if (left <= 0 || options.interrupted?.() === true) return best;
      const chosen = regions.choose(random, size, frames);
      const region = cutRegion(reduced, regions.trackEdges, chosen.detections, chosen.bounds, 10 * MOST_TRIPLETS);
      options.worked?.((REGION_ITERATIONS * iterationWork(graph) * frames) / graph.frames);
      tried++;
      const solved =
        region &&
        (await solveExactly(region.graph, region.stage, region.tracks, {
          ...options,
          mostTriplets: MOST_TRIPLETS,
          mostLeaves: MOST_LEAVES,
          gap: 0,
          time: Math.min(left, MOST_SECONDS),
          progress: () => {},
        }));
      if (solved === null || solved.outcome !== "closed") large++;
      if (region === null || solved === null || solved.tracks === region.tracks) continue;
      const candidate = Int32Array.from(best);
      for (const [n, d] of region.detections.entries()) {
        if (d >= graph.frameStart[chosen.bounds.last]) continue;
        const link = solved.tracks[n];
        candidate[d] = link === UNASSIGNED ? UNASSIGNED : region.edgeOf[link];
      }
      // An improvement of the region is one of the instance; the price confirms it.
      const price = costOf(graph, candidate);
      if (!(price < cost)) continue;
      [best, cost, since] = [candidate, price, -1];
      options.progress?.(progressOf(graph, reduced.constant, cost));
      regions = regionsAround(reduced, incidence, best);
    }
    if (size >= regions.count || 2 * large > tried) return best;
  }
}

interface Regions {
  readonly trackEdges: TrackEdges;
  /** Tracks in all. */
  readonly count: number;
  /** Paid by the tracks beyond the bound. */
  readonly paid: number;
  /** Detections at which they do, effectively. */
  readonly payers: number;
  /** `size` tracks over at most `frames` frames, around a detection at which they pay. */
  choose(random: RandomStream, size: number, frames: number): { detections: Uint32Array; bounds: RegionBounds };
}

/** The regions around a set of tracks. */
function regionsAround(reduced: ReducedCosts, { inFrom, inEdge }: Incidence, tracks: Int32Array): Regions {
  const { graph, edge: r } = reduced;
  const { frames, frameStart, linkStart, linkEnd, birthOf, head, tail, motherOf } = graph;
  const detections = frameStart[frames];
  const trackEdges = trackEdgesOf(graph, tracks);
  const track = numberTracks(graph, tracks);
  const count = track.reduce((most, one) => Math.max(most, one + 1), 0);
  const { sum: paid, at, payers } = paidBy(reduced, trackEdges);
  /** The other one of each mother and twin. */
  const partnerOf = new Int32Array(detections).fill(UNASSIGNED);
  motherOf?.forEach((mother, twin) => {
    if (mother === UNASSIGNED) return;
    partnerOf[mother] = twin;
    partnerOf[twin] = mother;
  });
  const paidUpTo = new Float64Array(detections + 1);
  for (let d = 0; d < detections; d++) paidUpTo[d + 1] = paidUpTo[d] + at[d];

  return {
    trackEdges,
    count,
    paid,
    payers,
    choose(random, size, wanted) {
      const place = random.uniform(0, paid);
      const seed = bisectRight(paidUpTo, place, 1, detections) - 1;
      const frame = bisectRight(frameStart, seed) - 1;
      const before = Math.floor(random.uniform(0, wanted));
      const first = Math.max(0, Math.min(frames - wanted, frame - before));
      const last = first + wanted - 1;
      const [begin, end] = [frameStart[first], frameStart[last + 1]];

      const members = group(range(begin, end), (d) => track[d]);
      /** Tracks that are next to those chosen: by the least reduced cost of an edge between, shaken. */
      const near = new Map<number, number>();
      const chosen = new Set<number>();
      const see = (other: number, e: number): void => {
        if (chosen.has(other)) return;
        const distance = r[e] * random.uniform(1 - SHAKE / 2, 1 + SHAKE / 2);
        if (distance < (near.get(other) ?? Number.POSITIVE_INFINITY)) near.set(other, distance);
      };
      const take = (one: number): void => {
        chosen.add(one);
        near.delete(one);
        for (const d of members.get(one) ?? []) {
          if (partnerOf[d] !== UNASSIGNED && !chosen.has(track[partnerOf[d]])) take(track[partnerOf[d]]);
          if (d < frameStart[last]) for (let e = linkStart[d]; e < linkEnd[d]; e++) see(track[head[e]], e);
          if (d < frameStart[first + 1]) continue;
          for (let k = inFrom[d]; k < inFrom[d + 1]; k++) {
            if (inEdge[k] !== birthOf[d]) see(track[tail[inEdge[k]]], inEdge[k]);
          }
        }
      };
      for (let next: number | undefined = track[seed]; next !== undefined && chosen.size < size; ) {
        take(next);
        next = undefined;
        let least = Number.POSITIVE_INFINITY;
        for (const [other, distance] of near) if (distance < least) [next, least] = [other, distance];
      }
      const inside = range(begin, end).filter((d) => chosen.has(track[d]));
      return { detections: Uint32Array.from(inside), bounds: { first, last } };
    },
  };
}
