import { certifyBound, stateBound } from "../certificate/certificate.js";
import { relativeGap } from "../certificate/gap.js";
import { grainOf, leastSaving } from "../certificate/grain.js";
import { type PricedTracks, priceTracks, refuteTracks } from "../certificate/price-tracks.js";
import { certifySurcharge } from "../certificate/surcharge.js";
import { type Graph, tripletCost } from "../instance/instance.js";
import type { Chains } from "./chains.js";
import { type CheckedCost, checkPart, type LookedAt, type Proved, type Refuted } from "./check-part.js";
import { type Core, wholeOf } from "./core.js";
import type { Left } from "./elimination.js";
import { integers, type Numbers, rounded } from "./numbers.js";
import { placesOf } from "./places.js";
import { type Proof, type RegionProof, type Stage, stagesOf } from "./proof.js";
import { type Reduced, reduce } from "./reduced.js";
import { type RegionInstance, Regions, refuteRegions } from "./regions.js";
import { type TrackEdges, trackEdgesOf } from "./track-edges.js";

export type { Refuted } from "./check-part.js";

export type CheckedProof =
  | {
      readonly valid: true;
      /** No set of tracks costs less, births and deaths as stated; proved in f64 with rounding counted. */
      readonly lowerBound: number;
      /** Cost of the given tracks as stated, rounded up. */
      readonly upperBound: number;
      /** Relative, the larger of that between these and that in the costs that are computed with (mathematics.md §1.1). */
      readonly gap: number;
      /** Nothing is cheaper than the tracks but by rounding (settled.ts). */
      readonly optimal: boolean;
      /** All costs are multiples of it, and the bound was rounded up to one; null where they have no grain. */
      readonly grain: number | null;
      /** The stages, cuts and leaves that were looked at: nothing that follows a stage which proves the tracks optimal. */
      readonly stages: number;
      readonly cuts: number;
      readonly leaves: number;
      /** Triplets that were left for the leaves; 0 where the stages alone prove the tracks optimal. */
      readonly triplets: number;
    }
  | Refuted;

export type ExactlyChecked =
  | {
      readonly valid: true;
      /** In units of 2^−shift, births and deaths as stated: no set of tracks costs less than `lowerBound`, and the tracks cost `upperBound`. */
      readonly lowerBound: bigint;
      readonly upperBound: bigint;
      readonly shift: number;
    }
  | Refuted;

/**
 * Checks a proof about an instance and a set of tracks in f64. Stage by stage the multipliers bound the present core, and all that is not in the
 * next core must be dominated; the leaves cover the last core, and each has a bound of its own. Nothing here searches.
 * @param progress called with the stages and leaves that were checked, and their number
 * @param basis of a stage that was reduced before
 */
export function checkProof(
  graph: Graph,
  tracks: Int32Array,
  proof: Proof,
  progress?: Progress,
  basis?: Basis,
): CheckedProof {
  const priced = priceAllowed(graph, tracks);
  if ("why" in priced) return priced;
  const grain = grainOf(graph);
  const { least, computed: most } = priced;
  const cost = { least, most, saving: leastSaving(grain), inF64: most };
  const checked = check(rounded, graph, tracks, proof, cost, progress, basis);
  if (!checked.valid) return checked;
  const { bound, closed, ...looked } = checked;
  // The certificate and the reduced costs round the same multipliers differently, and both bounds hold.
  const certified = (basis?.stage === proof.stages[0] ? basis?.certified : undefined) ?? certifyFirst(graph, proof);
  const { lowerBound, computed } = stateBound(graph, Math.max(rounded.f64(bound), certified));
  const gap = Math.max(relativeGap(lowerBound, priced.cost), relativeGap(computed, priced.computed));
  // Tracks that are the cheapest as computed with are so as stated, where they leave out no more than any must (mathematics.md §1.1).
  const optimal = (closed || computed >= priced.computed) && priced.beyond === 0;
  return { ...looked, lowerBound, upperBound: priced.cost, gap, optimal, grain: grain?.size ?? null };
}

/**
 * Checks a proof without any rounding. Costs, multipliers and duals are f64 numbers, multiples of a power of two, and everything that a proof
 * makes of them is sums, differences and minima: in units of the smallest such power all of them are integers.
 */
export function checkExactly(graph: Graph, tracks: Int32Array, proof: Proof, progress?: Progress): ExactlyChecked {
  const priced = priceAllowed(graph, tracks);
  if ("why" in priced) return priced;
  const shift = placesOf(graph, proof);
  const numbers = integers(shift);
  const { of, total } = numbers;
  const { computed, stated } = termsOf(graph, trackEdgesOf(graph, tracks));
  const grain = grainOf(graph);
  const cost = { ...total(computed.map(of)), saving: of(leastSaving(grain)), inF64: priced.computed };
  const checked = check(numbers, graph, tracks, proof, cost, progress);
  if (!checked.valid) return checked;
  const { bound } = checked;
  if (typeof bound === "number") return { valid: false, why: "nothing is proved" };
  return {
    valid: true,
    lowerBound:
      grain === null
        ? (total([bound, of(certifySurcharge(graph).least)]).least as bigint)
        : roundUp(bound, of(grain.size) as bigint),
    upperBound: total(stated.map(of)).least as bigint,
    shift,
  };
}

/** The bound of the multipliers with which a proof begins, as the certificate of an ascent has it; −Infinity where they weigh cuts. */
function certifyFirst(graph: Graph, { stages: [first] }: Proof): number {
  if (first === undefined || first.cuts.length > 0) return Number.NEGATIVE_INFINITY;
  return certifyBound(graph, first.v, first.columnDual).computed;
}

type Progress = (done: number, total: number) => void;

/**
 * The reduced costs of an instance by a stage, their chains, and what elimination leaves next to tracks, in f64: they depend on nothing else, so a solve that has them need
 * not have them computed again.
 */
export interface Basis {
  readonly stage: Stage;
  readonly reduced: Reduced;
  readonly chains: Chains;
  readonly tracks: Int32Array;
  readonly left: Left | null;
  /** The bound of the multipliers as the certificate of an ascent has it. */
  readonly certified?: number | undefined;
}

function priceAllowed(graph: Graph, tracks: Int32Array): Refuted | Extract<PricedTracks, { status: "feasible" }> {
  const noTracks = refuteTracks(graph, tracks);
  if (noTracks !== null) return { valid: false, why: `the tracks are none: ${noTracks}` };
  const priced = priceTracks(graph, tracks);
  if (priced.status === "feasible" && Number.isFinite(priced.computed)) return priced;
  return { valid: false, why: "the tracks are not allowed" };
}

type Looked = Proved & LookedAt;

function check(
  numbers: Numbers,
  graph: Graph,
  tracks: Int32Array,
  proof: Proof,
  cost: CheckedCost,
  progress?: Progress,
  basis?: Basis,
): Looked | Refuted {
  const parts = stagesOf(proof).length;
  const looked = { stages: 0, cuts: 0, leaves: 0 };
  let done = 0;
  const known = basis && { ...basis, left: basis.tracks.every((e, d) => e === tracks[d]) ? basis.left : null };
  const checking = { numbers, cost, looked, step: () => progress?.(done++, parts), known };
  const whole = wholeOf(graph, tracks);
  const checked = checkPart(checking, whole, proof, cost.most);
  if (!checked.valid || proof.regions === undefined || checked.closed)
    return checked.valid ? { ...checked, ...looked } : checked;
  // In f64, also where all else is exact: costs that are rounded down bound as well.
  const inF64 = numbers === rounded;
  const reduced = inF64 && basis?.stage === proof.stages[0] ? basis.reduced : undefined;
  const inRegions = boundOfRegions(whole, proof, looked, inF64, reduced as ReducedInF64 | undefined);
  if (!inRegions.valid) return inRegions;
  const most = [numbers.of(inRegions.bound), cost.least].reduce((a, b) => (a < b ? a : b));
  return { ...checked, ...looked, bound: most > checked.bound ? most : checked.bound };
}

type ReducedInF64 = Reduced<number, Float64Array>;

/** What the check of some regions comes to. */
interface KnownRegions {
  /** The first stage of their proof. */
  readonly stage: Stage;
  readonly bound: number;
  readonly cuts: number;
  readonly leaves: number;
}

const checkedBefore = new WeakMap<readonly RegionProof[], KnownRegions>();

/** Keeps what was found when each of some regions was checked on its thread: a solve need not have them checked again. */
export function knowRegions(regions: readonly RegionProof[], known: KnownRegions): void {
  checkedBefore.set(regions, known);
}

/** Whether all that a proof has beside its first stage are such regions. */
export function areKnown({ stages, regions = [] }: Proof): boolean {
  return stages.length === 1 && checkedBefore.get(regions)?.stage === stages[0];
}

/** What any tracks cost at least beyond the bound in a region, by the bound of the region as an instance. */
export function gainOf({ constant }: Pick<RegionInstance, "constant">, limit: number, lowerBound: number): number {
  return Math.max(0, Math.min(limit, rounded.down(constant, lowerBound) as number));
}

/** The bound of the first stage, which was checked, with what any tracks cost beyond it in each region. */
function boundOfRegions(
  whole: Core,
  { stages: [stage], regions = [] }: Proof,
  looked: LookedAt,
  mayKnow: boolean,
  known?: ReducedInF64,
): { readonly valid: true; readonly bound: number } | Refuted {
  const before = mayKnow ? checkedBefore.get(regions) : undefined;
  if (before?.stage === stage && before !== undefined) {
    looked.cuts += before.cuts;
    looked.leaves += before.leaves;
    return { valid: true, bound: before.bound };
  }
  const why = stage === undefined ? "there is no stage for the regions" : refuteRegions(whole.graph, regions);
  if (why !== null) return { valid: false, why };
  const reduced = known ?? (reduce(rounded, whole, stage, whole.removed) as ReducedInF64);
  const members = regions.map(({ detections }) => detections);
  const places = new Regions(reduced, stage, members);
  const gains: number[] = [];
  for (const [n, { limit, tracks, proof }] of regions.entries()) {
    if (proof.stages.length === 0) continue;
    if (!(limit > 0)) return { valid: false, why: `region ${n} has the limit ${limit}` };
    const { graph, constant } = places.instance(n, limit);
    const checked = checkProof(graph, tracks, proof);
    if (!checked.valid) return { valid: false, why: `region ${n}: ${checked.why}` };
    gains.push(gainOf({ constant }, limit, checked.lowerBound));
    for (const what of ["cuts", "leaves"] as const) looked[what] += checked[what];
  }
  return { valid: true, bound: rounded.total([reduced.constant], gains).least as number };
}

/** The least multiple of `size` that is not below a value. */
function roundUp(value: bigint, size: bigint): bigint {
  return value + ((size - (value % size)) % size);
}

/** The terms of the cost of tracks: as computed with, and as stated. */
function termsOf(graph: Graph, trackEdges: TrackEdges) {
  const { frames, frameStart, cost, surcharge } = graph;
  const [first, last] = [frameStart[1], frameStart[frames - 1]];
  const triplets = Array.from({ length: last - first }, (_, n) =>
    tripletCost(graph, trackEdges.into[first + n], trackEdges.out[first + n]),
  );
  const stated = surcharge?.stated ?? cost;
  return {
    computed: [...Array.from(trackEdges.edges, (e) => cost[e]), ...triplets],
    stated: [...Array.from(trackEdges.edges, (e) => stated[e]), ...triplets],
  };
}
