import { bisectRight } from "d3-array";
import { byRow } from "../../core/rows.js";
import { sharedFloat64, sharedUint8, sharedUint32, sharedUint32Of } from "../../core/shared-arrays.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { membersOf, setCount } from "./exclusions.js";
import type { Graph } from "./instance.js";
import { orphanMayPay } from "./twins.js";

/**
 * What an instance demands of detections of one frame: at most one of some *facts* is true. Of an exclusion they are that its detections are used; of a division, that a twin
 * is used, and that her mother ends.
 */
export interface Restriction {
  readonly kind: "exclusion" | "division";
  /** The set, or the twin. */
  readonly of: number;
  /** The frame pair whose subproblem has all its facts: the one before the detections, and the first for those of the first frame. */
  readonly pair: number;
  /** 2d: detection d is used (docs/explanation/mathematics.md §1.2). 2d + 1: d ends, its death follows an edge into it or, in the first frame, is taken. */
  readonly facts: readonly number[];
}

/** Whether detections of an instance exclude each other, or are twins. */
export function isRestricted({ exclusions, motherOf }: Pick<Graph, "exclusions" | "motherOf">): boolean {
  return (exclusions ?? motherOf) !== null;
}

/** The exclusions by the number of their set, then the divisions whose orphans may pay. */
export function restrictionsOf(graph: Graph): Restriction[] {
  const { exclusions, motherOf, frameStart } = graph;
  const pairBefore = (d: number): number => Math.max(0, bisectRight(frameStart, d) - 2);
  const found: Restriction[] = [];
  for (let set = 0; exclusions !== null && set < setCount(exclusions); set++) {
    const members = membersOf(exclusions, set);
    const facts = Array.from(members, (d) => 2 * d);
    found.push({ kind: "exclusion", of: set, pair: pairBefore(members[0]), facts });
  }
  motherOf?.forEach((mother, twin) => {
    if (mother === UNASSIGNED || !orphanMayPay(graph, twin)) return;
    found.push({ kind: "division", of: twin, pair: pairBefore(twin), facts: [2 * twin, 2 * mother + 1] });
  });
  return found;
}

/**
 * The restrictions of an instance with their multipliers μ ≥ 0, in order of their frame pairs and in shared memory. With the charge of a fact, Σ μ of the restrictions
 * that have it, on the costs of a pair's edges and triplets, and Σ μ taken from its value, L stays a sum over frame pairs.
 */
export interface WeighedRestrictions {
  /** By frame pair, one more than there are: where its restrictions begin. */
  readonly pairStart: Uint32Array;
  /** The number of each in `restrictionsOf`. */
  readonly number: Uint32Array;
  /** The facts of restriction k: fact[factStart[k]] … fact[factStart[k + 1] − 1]. */
  readonly factStart: Uint32Array;
  readonly fact: Uint32Array;
  /** The detections of each frame pair's facts: from detectionStart[p] on. */
  readonly detectionStart: Uint32Array;
  readonly detection: Uint32Array;
  /** μ at present, and that which an ascent can return to. */
  readonly mu: Float64Array;
  readonly kept: Float64Array;
  /** G: the facts that are true, in the last assignment or in the bundle's combination, which is a share of each. */
  readonly sum: Float64Array;
  /** By fact. */
  readonly charge: Float64Array;
  readonly combined: Float64Array;
  /** The facts of each detection in the last assignment. */
  readonly present: Uint8Array;
}

/** null where an instance has none. */
export function weighRestrictions(graph: Graph): WeighedRestrictions | null {
  if (!isRestricted(graph)) return null;
  const { frames, frameStart } = graph;
  const all = restrictionsOf(graph);
  if (all.length === 0) return null;
  const { rowStart, item } = byRow(
    all.map(({ pair }) => pair),
    frames - 1,
  );
  const facts = Array.from(item, (k) => all[k].facts);
  const factStart = sharedUint32(facts.length + 1);
  for (const [k, { length }] of facts.entries()) factStart[k + 1] = factStart[k] + length;
  const byPair = Array.from({ length: frames - 1 }, (_, p) => {
    const ofPair = facts.slice(rowStart[p], rowStart[p + 1]).flatMap((some) => some.map((fact) => fact >> 1));
    return [...new Set(ofPair)].sort((a, b) => a - b);
  });
  const detectionStart = sharedUint32(frames);
  for (const [p, { length }] of byPair.entries()) detectionStart[p + 1] = detectionStart[p] + length;
  const detections = frameStart[frames];
  return {
    pairStart: sharedUint32Of(rowStart),
    number: sharedUint32Of(item),
    factStart,
    fact: sharedUint32Of(facts.flat()),
    detectionStart,
    detection: sharedUint32Of(byPair.flat()),
    mu: sharedFloat64(facts.length),
    kept: sharedFloat64(facts.length),
    sum: sharedFloat64(facts.length),
    charge: sharedFloat64(2 * detections),
    combined: sharedFloat64(2 * detections),
    present: sharedUint8(detections),
  };
}
