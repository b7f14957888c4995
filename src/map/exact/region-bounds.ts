import type { Caller } from "../../core/executor.js";
import { inOrder } from "../../core/in-order.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { conflictsOf } from "../instance/exclusions.js";
import { type Graph, isLink } from "../instance/instance.js";
import { ownerOf } from "../instance/twins.js";
import { NearestDetections } from "../primal/nearest-detections.js";
import { type CheckedProof, checkProof, gainOf, knowRegions } from "../proof/check.js";
import { rounded } from "../proof/numbers.js";
import type { Proof, RegionProof, Stage } from "../proof/proof.js";
import { type RegionInstance, Regions } from "../proof/regions.js";
import { type TrackEdges, trackEdgesOf } from "../proof/track-edges.js";
import type { ExactOptions } from "./exact-run.js";
import type { OpenLinearProgram } from "./linear-program.js";
import { paidBy } from "./paid.js";
import { Patience } from "./patience.js";
import { solveExactly } from "./solve-exactly.js";
import type { ReducedCosts } from "./stages.js";

/** Detections of a region, and frames, at most. */
const EXTENT = { size: 500, frames: 12 };
/** What a detection pays at least around which a region is grown, and the distance of detections that a link without slack joins: as shares of what a link costs in the mean. */
const LEAST_PAID = 0.002;
const STEP = 0.005;
/** Limits of the exact solve of a region. */
const MOST_TRIPLETS = 40_000;
const MOST_LEAVES = 60;
/** In edges and triplets gone through (patience.ts), some five seconds: half of it leaves a third of what embryo-60x20-1's dearest region gains. */
const MOST_WORK = 4e7;
/** Links of a region that cost as much as this, by what the tracks pay in it, are left out, and no more is proved of it. */
const ROOM = 1.1;
/** Regions that are begun for each thread before the first one has ended: one may take as long as many others. */
const AHEAD = 8;
/** What the limit of a region whose core would be too large is divided by. */
const NARROWER = 1.5;
/** Share of the time for what comes after regions. */
const END_SHARE = 0.03;
/** A region that gains less of that is not worth its place in a proof. */
const LEAST_GAIN = 1e-3;

/** A region to be solved, by any thread. */
export interface RegionTask extends Pick<RegionInstance, "graph" | "stage"> {
  readonly tracks: Int32Array;
  readonly time: number;
}

export interface RegionAnswer {
  /** What a check finds; null where the region was not solved. */
  readonly checked: Extract<CheckedProof, { valid: true }> | null;
  readonly tracks: Int32Array;
  readonly proof: Proof;
  readonly work: number;
}

export type RegionCaller = Caller<RegionTask, RegionAnswer>;

export interface RegionBoundOptions extends Pick<ExactOptions, "time" | "now" | "interrupted" | "worked"> {
  /** Solves regions. */
  readonly caller: RegionCaller;
  /** Regions that are solved at a time. */
  readonly threads: number;
  /** Whether a bound is as high as was asked for. */
  readonly met: (bound: number) => boolean;
  readonly progress: (bound: number, of: { readonly cuts: number; readonly leaves: number }) => void;
}

/** A bound with regions that prove it, those that are proved, and the cuts and the leaves of all. */
export interface BoundInRegions {
  readonly lowerBound: number;
  readonly regions: readonly RegionProof[];
  readonly proved: number;
  readonly cuts: number;
  readonly leaves: number;
}

/** Solves a region and checks its proof. */
export async function solveRegion(
  { graph, stage, tracks, time }: RegionTask,
  open: OpenLinearProgram,
): Promise<RegionAnswer> {
  let work = 0;
  const counting = new Patience(Number.POSITIVE_INFINITY, (more) => {
    work += more;
  });
  const solved = await solveExactly(graph, stage, tracks, {
    open: counting.counting(open),
    mostTriplets: MOST_TRIPLETS,
    mostLeaves: MOST_LEAVES,
    gap: 0,
    time,
    now: () => performance.now() / 1000,
    worked: (more) => counting.took(more),
    interrupted: () => work >= MOST_WORK,
  });
  const proof = solved?.proof ?? NOTHING;
  const checked = solved && checkProof(graph, solved.tracks, proof);
  return { checked: checked?.valid === true ? checked : null, tracks: solved?.tracks ?? tracks, proof, work };
}

const NOTHING: Proof = { stages: [], leaves: [] };
const UNSOLVED = { checked: null, proof: NOTHING, work: 0 };

/** What comes within some seconds, or else. */
async function before<Of>(seconds: number, of: Promise<Of>, otherwise: Of): Promise<Of> {
  if (seconds === Number.POSITIVE_INFINITY) return of;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<Of>((resolve) => {
    timer = setTimeout(resolve, Math.min(1000 * seconds, 2 ** 31 - 1), otherwise);
  });
  return Promise.race([of, late]).finally(() => clearTimeout(timer));
}

/** Regions around where the tracks pay beyond the bound of a stage, with proofs of how much any tracks pay there: in one order, whatever the threads. */
export async function boundRegions(
  reduced: ReducedCosts,
  stage: Stage,
  tracks: Int32Array,
  { caller, threads, now, time, interrupted, worked, met, progress }: RegionBoundOptions,
): Promise<BoundInRegions> {
  const end = now() + (1 - END_SHARE) * time;
  const { at, members } = chooseRegions(reduced, stage, tracks);
  const places = new Regions(reduced, stage, members);
  const limits = members.map((all) => ROOM * all.reduce((sum, d) => sum + at[d], 0));
  const regions = members.map(
    (detections, n): RegionProof => ({ detections, limit: limits[n], tracks: new Int32Array(0), proof: NOTHING }),
  );
  const gains: number[] = [];
  let [lowerBound, cuts, leaves] = [reduced.constant, 0, 0];
  async function* tasks(): AsyncGenerator<{ readonly n: number; readonly region: RegionInstance }> {
    for (const n of members.keys()) {
      if (now() >= end) return;
      let region = places.instance(n, limits[n]);
      for (let tries = 0; tries < 10 && region.graph.triplets.count > MOST_TRIPLETS; tries++) {
        limits[n] /= NARROWER;
        region = places.instance(n, limits[n]);
      }
      yield { n, region };
    }
  }
  const solve = ({ region: { graph, stage, ...of } }: { readonly region: RegionInstance }): Promise<RegionAnswer> => {
    const first = tracksIn(reduced.graph, { graph, stage, ...of }, tracks);
    const left = Math.max(0, end - now());
    return before(left, caller.call({ graph, stage, tracks: first, time: left }), { ...UNSOLVED, tracks: first });
  };
  for await (const [{ n, region }, { checked, work, ...found }] of inOrder(tasks(), AHEAD * threads, solve)) {
    worked?.(work);
    const gain = checked === null ? 0 : gainOf(region, limits[n], checked.lowerBound);
    if (checked !== null && gain > LEAST_GAIN * limits[n]) {
      regions[n] = { ...regions[n], limit: limits[n], ...found };
      gains.push(gain);
      lowerBound = rounded.total([reduced.constant], gains).least as number;
      cuts += checked.cuts;
      leaves += checked.leaves;
      progress(lowerBound, { cuts, leaves });
    }
    if (interrupted?.() === true || met(lowerBound)) break;
  }
  knowRegions(regions, { stage, bound: lowerBound, cuts, leaves });
  return { lowerBound, regions, proved: gains.length, cuts, leaves };
}

/** The tracks by links of a region, as far as they are in it. */
function tracksIn(graph: Graph, region: RegionInstance, tracks: Int32Array): Int32Array {
  const found = new Int32Array(region.detections.length).fill(UNASSIGNED);
  for (const [m, e] of region.edgeOf.entries())
    if (isLink(region.graph, m) && tracks[graph.tail[e]] === e) found[region.graph.tail[m]] = m;
  region.graph.motherOf?.forEach((mother, twin) => {
    if (mother >= 0 && found[mother] < 0) found[twin] = UNASSIGNED;
  });
  return found;
}

/** Regions that have no detection in common, grown from those at which the tracks pay most; and what the tracks pay at each, the slack of cuts with it. */
function chooseRegions(reduced: ReducedCosts, stage: Stage, tracks: Int32Array) {
  const { graph } = reduced;
  const trackEdges = trackEdgesOf(graph, tracks);
  const { at } = paidBy(reduced, trackEdges);
  addSlack(graph, stage, trackEdges, at);
  const { twinOf } = conflictsOf(graph);
  for (let d = 0; d < at.length; d++) {
    if (twinOf[d] < 0) continue;
    at[d] += at[twinOf[d]];
    at[twinOf[d]] = 0;
  }
  const links = tracks.filter((e) => e !== UNASSIGNED);
  const mean = links.reduce((sum, e) => sum + Math.abs(graph.cost[e]), 0) / Math.max(1, links.length);
  const taken = new Uint8Array(at.length);
  const payers = Array.from(at.keys()).filter((d) => at[d] > LEAST_PAID * mean);
  const grow = grower(reduced, STEP * mean, taken);
  const members: Uint32Array[] = [];
  for (const seed of payers.sort((a, b) => at[b] - at[a] || a - b)) if (taken[seed] === 0) members.push(grow(seed));
  return { at, members };
}

/** What weighed cuts pay of which the tracks have no item. */
function addSlack(
  { head, tail }: Graph,
  { cuts, cutMultipliers }: Stage,
  { isOfTracks }: TrackEdges,
  at: Float64Array,
) {
  for (const [k, { items }] of cuts.entries()) {
    if (!(cutMultipliers[k] > 0)) continue;
    if (items.some(([e, f]) => isOfTracks[e] === 1 && (f < 0 || isOfTracks[f] === 1))) continue;
    const [e] = items[0];
    at[head[e] < 0 ? tail[e] : head[e]] += cutMultipliers[k];
  }
}

/** Grows a region from a detection by the slack of links, and marks its detections as taken. */
function grower({ graph, edge: r }: ReducedCosts, step: number, taken: Uint8Array): (seed: number) => Uint32Array {
  const { head, tail, linkStart, linkEnd, inStart, inEdge } = graph;
  const { from, other, twinOf } = conflictsOf(graph);
  const nearest = new NearestDetections(graph);
  return (seed) => {
    const found = nearest.around(seed, EXTENT, {
      admits: (d) => taken[d] === 0,
      neighbours(d, distance, see) {
        for (let n = from[d]; n < from[d + 1]; n++) see(ownerOf(graph, other[n]), distance + step);
        for (const row of twinOf[d] < 0 ? [d] : [d, twinOf[d]])
          for (let e = linkStart[row]; e < linkEnd[row]; e++) see(ownerOf(graph, head[e]), distance + step + r[e]);
        for (let k = inStart[d]; k < inStart[d + 1]; k++)
          if (isLink(graph, inEdge[k])) see(ownerOf(graph, tail[inEdge[k]]), distance + step + r[inEdge[k]]);
      },
    });
    const all = (found ?? []).flatMap((d) => (twinOf[d] < 0 ? [d] : [d, twinOf[d]]));
    for (const d of all) taken[d] = 1;
    return Uint32Array.from(all).sort();
  };
}
