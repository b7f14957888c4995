import { type Cut, refuteCut } from "../certificate/cuts.js";
import type { Graph } from "../instance/instance.js";

/** Multipliers: v and β by edge and detection of an instance or a core, and cuts by its edges. */
export interface Multipliers {
  readonly v: Float64Array;
  readonly columnDual: Float64Array;
  readonly cuts: readonly Cut[];
  /** μ ≥ 0 of each cut. */
  readonly cutMultipliers: Float64Array;
}

/** Which part of an instance a core is: all else is proved to be dominated. */
export interface CoreChoice {
  /** A bit for each edge of the instance: 1 for the edges of the core, which has those of the tracks at least. */
  readonly edges: Uint8Array;
  /** A bit for each triplet of two such edges in the order of `eachTriplet`: 1 for the triplets of the core. */
  readonly triplets: Uint8Array;
}

/** One step from an instance or a core to a smaller core. */
export interface Stage extends Multipliers {
  /** The core of the next stage, or of the leaves. Only the last stage has none, where no leaves follow. */
  readonly core?: CoreChoice;
  /**
   * The core has everything that costs less than this, and not everything that is cheaper than the tracks, so that nothing above it is proved
   * from here on [the cost of the tracks].
   */
  readonly below?: number;
}

/** A decision of the tree: an edge is not used (0) or used (1). */
export type Decision = readonly [edge: number, value: 0 | 1];

/** All that the check of a bound needs: stages, each of which narrows the instance, and the leaves of the last core. */
export interface Proof {
  readonly stages: readonly Stage[];
  readonly leaves: readonly Leaf[];
  /** Regions in which any tracks cost something beyond the bound of the first stage (regions.ts) [none]. */
  readonly regions?: readonly RegionProof[];
}

/** A region with a proof about it as an instance of its own, of links that cost less than a limit. */
export interface RegionProof {
  /** In order. */
  readonly detections: Uint32Array;
  readonly limit: number;
  readonly tracks: Int32Array;
  readonly proof: Proof;
}

/** A part of the last core: the decisions that lead there, and a proof about it, of one stage at least. */
export interface Leaf extends Proof {
  readonly decisions: readonly Decision[];
}

/** The stages of a proof and of all its leaves, without those of regions. */
export function stagesOf({ stages, leaves }: Proof): Stage[] {
  return [...stages, ...leaves.flatMap(stagesOf)];
}

/** The leaves that have none of their own. */
export function countLeaves({ leaves }: Proof): number {
  return leaves.reduce((sum, leaf) => sum + (countLeaves(leaf) || 1), 0);
}

/** Why a stage cannot be about an instance or a core; null where it can. */
export function refuteStage(graph: Graph, { v, columnDual, cuts, cutMultipliers, below = 0 }: Stage): string | null {
  const { edges, frameStart, frames } = graph;
  if (v.length !== edges) return `has ${v.length} multipliers for ${edges} edges`;
  if (columnDual.length !== frameStart[frames]) return `has duals of ${columnDual.length} detections`;
  if (cutMultipliers.length !== cuts.length) return "has no multiplier for each cut";
  for (const [name, values] of [
    ["multiplier", v],
    ["dual", columnDual],
    ["multiplier of a cut", cutMultipliers],
    ["limit", [below]],
  ] as const) {
    const wrong = values.findIndex((value) => !Number.isFinite(value));
    if (wrong >= 0) return `has the ${name} ${values[wrong]}`;
  }
  for (const [k, cut] of cuts.entries()) {
    const why = refuteCut(graph, cut);
    if (why !== null) return `has a cut ${k} that does not hold: ${why}`;
    if (cutMultipliers[k] < 0) return `has the multiplier ${cutMultipliers[k]} of cut ${k}`;
  }
  return null;
}
