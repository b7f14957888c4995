import { bitAt } from "../../core/bits.js";
import { certifyBound, stateBound } from "../certificate/certificate.js";
import { relativeGap } from "../certificate/gap.js";
import { grainOf, leastSaving } from "../certificate/grain.js";
import { type PricedTracks, priceTracks, refuteTracks } from "../certificate/price-tracks.js";
import { certifySurcharge } from "../certificate/surcharge.js";
import { type Graph, tripletCost } from "../instance/instance.js";
import { type Chains, throughTriplet } from "./chains.js";
import { type Core, coreOf, eachTriplet, wholeOf } from "./core.js";
import { decide, leafCover } from "./decisions.js";
import { boundPart, type Cost, type Dominated, dominate, isFiniteValue } from "./dominated.js";
import type { Left } from "./elimination.js";
import { integers, type Numbers, rounded, type Value } from "./numbers.js";
import { placesOf } from "./places.js";
import { type CoreChoice, type Proof, refuteStage, type Stage } from "./proof.js";
import { type Reduced, reduce } from "./reduced.js";
import { type TrackEdges, trackEdgesOf } from "./track-edges.js";

/** Why a proof does not hold. */
export interface Refuted {
  readonly valid: false;
  readonly why: string;
}

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

/** The cost of the tracks as computed with. */
interface CheckedCost extends Cost {
  /** Rounded up. */
  readonly inF64: number;
}

interface Looked {
  readonly valid: true;
  /** In the costs that are computed with. */
  readonly bound: Value;
  /** Nothing is cheaper than the tracks but by rounding. */
  readonly closed: boolean;
  readonly stages: number;
  readonly cuts: number;
  readonly leaves: number;
  readonly triplets: number;
}

function check(
  numbers: Numbers,
  graph: Graph,
  tracks: Int32Array,
  { stages, leaves }: Proof,
  cost: CheckedCost,
  progress?: Progress,
  basis?: Basis,
): Looked | Refuted {
  const parts = stages.length + leaves.length;
  const looked = { stages: 0, cuts: 0, leaves: 0 };
  let bound: Value = Number.NEGATIVE_INFINITY;
  /** The present core has all that costs less than this, and nothing above it is proved. */
  let below = cost.most;
  const raise = (to: Value): void => {
    const most = leastOf(leastOf(to, below), cost.least);
    if (most > bound) bound = most;
  };
  const proved = (closed: boolean, triplets = 0): Looked => ({ valid: true, bound, closed, ...looked, triplets });

  let core = wholeOf(graph, tracks);
  for (const [n, stage] of stages.entries()) {
    const why = refuteStage(core.graph, stage);
    if (why !== null) return { valid: false, why: `stage ${n} ${why}` };
    progress?.(n, parts);
    looked.stages++;
    looked.cuts += stage.cuts.length;
    const known = n === 0 && basis?.stage === stage ? basis : undefined;
    const reduced = known?.reduced ?? reduce(numbers, core, stage, core.removed);
    if (!isFiniteValue(reduced.constant)) return { valid: false, why: `the multipliers of stage ${n} prove nothing` };
    raise(reduced.constant);
    if (stage.below !== undefined) {
      if (!(stage.below <= cost.inF64)) return { valid: false, why: `stage ${n} looks below ${stage.below}` };
      below = leastOf(below, numbers.of(stage.below));
    }
    const left = known?.tracks.every((e, d) => e === tracks[d]) ? known.left : null;
    const next = dominate(numbers, core, reduced, below, cost, undefined, known && { chains: known.chains, left });
    raise(next.bound);
    if (next.closed) return proved(true);
    if (stage.core === undefined) {
      if (n + 1 === stages.length && leaves.length === 0) return proved(false);
      return { valid: false, why: `stage ${n} has no core for what follows` };
    }
    const lacks = refuteCore(numbers, core, stage.core, reduced, next);
    if (lacks !== null) return { valid: false, why: `the core of stage ${n} ${lacks}` };
    core = coreOf(core, stage.core);
  }
  if (leaves.length === 0) return proved(false);

  const uncovered = leafCover(leaves.map(({ decisions }) => decisions));
  if (uncovered !== null) return { valid: false, why: uncovered };
  let ofAll: Value = Number.POSITIVE_INFINITY;
  let closed = below >= cost.most;
  for (const [n, leaf] of leaves.entries()) {
    const why = refuteStage(core.graph, leaf, leaf.decisions);
    if (why !== null) return { valid: false, why: `leaf ${n} ${why}` };
    progress?.(stages.length + n, parts);
    looked.leaves++;
    looked.cuts += leaf.cuts.length;
    const removed = core.removed.slice();
    for (const decision of leaf.decisions) decide(core, decision, removed);
    const part = boundPart(numbers, core, reduce(numbers, core, leaf, removed), removed, cost);
    closed &&= part.closed;
    ofAll = leastOf(ofAll, part.bound);
  }
  raise(ofAll);
  return proved(closed, core.graph.triplets.count);
}

/** The edge or triplet that a core lacks although it is not dominated, or the tracks use it; null where it lacks none. */
function refuteCore(
  numbers: Numbers,
  whole: Core,
  choice: CoreChoice,
  reduced: Reduced,
  { active, chains, limit }: Dominated,
): string | null {
  const { graph, trackEdges } = whole;
  const { edges, head } = graph;
  if (choice.edges.length !== Math.ceil(edges / 8)) return `has ${8 * choice.edges.length} marks for ${edges} edges`;
  const kept = new Uint8Array(edges);
  for (let e = 0; e < edges; e++) {
    kept[e] = Number(bitAt(choice.edges, e));
    if (kept[e] === 0 && (trackEdges.isOfTracks[e] === 1 || active[e] === 1)) return `lacks edge ${e}`;
  }
  const mayUse = (e: number): boolean => trackEdges.isOfTracks[e] === 1 || active[e] === 1;
  let lacks: string | null = null;
  const count = eachTriplet(whole, kept, (e, f, t, n) => {
    if (lacks !== null || !mayUse(e) || !mayUse(f) || bitAt(choice.triplets, n)) return;
    const ofTracks = trackEdges.into[head[e]] === e && trackEdges.out[head[e]] === f;
    if (ofTracks || throughTriplet(numbers, chains, reduced, [e, f, t]) < limit) lacks = `lacks triplet ${e}, ${f}`;
  });
  const { length } = choice.triplets;
  return length === Math.ceil(count / 8) ? lacks : `has ${8 * length} marks for ${count} triplets`;
}

/** The least multiple of `size` that is not below a value. */
function roundUp(value: bigint, size: bigint): bigint {
  return value + ((size - (value % size)) % size);
}

function leastOf(a: Value, b: Value): Value {
  return a < b ? a : b;
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
