import { bisectRight } from "d3-array";
import { byRow, startsOf } from "../../core/rows.js";
import { sharedFloat64, sharedInt32, sharedUint8, sharedUint32Of } from "../../core/shared-arrays.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { type Graph, tripletCost } from "./instance.js";
import type { Exclusions } from "./priced.js";
import { twinsOf } from "./twins.js";

/** The same in memory that threads share. */
export function sharedExclusions({ setStart, member }: Exclusions): Exclusions {
  return { setStart: sharedUint32Of(setStart), member: sharedUint32Of(member) };
}

/** The detections of a set. */
export function membersOf({ setStart, member }: Exclusions, set: number): Uint32Array {
  return member.subarray(setStart[set], setStart[set + 1]);
}

/** The number of sets. */
export function setCount({ setStart }: Exclusions): number {
  return setStart.length - 1;
}

/** The sets that each detection is in. */
export function setsByDetection({ exclusions, birthOf }: Pick<Graph, "exclusions" | "birthOf">): number[][] {
  const sets: number[][] = Array.from(birthOf, () => []);
  for (let set = 0; exclusions !== null && set < setCount(exclusions); set++)
    for (const d of membersOf(exclusions, set)) sets[d].push(set);
  return sets;
}

/** What the sets and the divisions of an instance come to by detection, in memory that threads share. */
export interface Conflicts {
  /** The detections that detection d excludes, each once: other[from[d]] … other[from[d + 1] − 1]. */
  readonly from: Uint32Array;
  readonly other: Uint32Array;
  /** The twin of each detection, UNASSIGNED for those that have none. */
  readonly twinOf: Int32Array;
}

/** Every cut of a proof asks. */
const known = new WeakMap<Graph, Conflicts>();

export function conflictsOf(graph: Graph): Conflicts {
  const conflicts = known.get(graph) ?? makeConflicts(graph);
  known.set(graph, conflicts);
  return conflicts;
}

function makeConflicts({ exclusions, birthOf, motherOf }: Graph): Conflicts {
  const others = Array.from(birthOf, () => new Set<number>());
  for (let s = 0; exclusions !== null && s < setCount(exclusions); s++) {
    const members = membersOf(exclusions, s);
    for (const d of members) for (const other of members) if (other !== d) others[d].add(other);
  }
  return {
    from: sharedUint32Of(startsOf(others.map(({ size }) => size))),
    other: sharedUint32Of(others.flatMap((each) => [...each])),
    twinOf: twinsOf(motherOf, sharedInt32(others.length)),
  };
}

export function excludes({ from, other }: Conflicts, a: number, b: number): boolean {
  for (let n = from[a]; n < from[a + 1]; n++) if (other[n] === b) return true;
  return false;
}

/** 1 for each detection that a link touches; tracks are given by the link that each detection takes. */
export function usedIn({ head }: Pick<Graph, "head">, tracks: Int32Array): Uint8Array {
  const used = new Uint8Array(tracks.length);
  tracks.forEach((link, d) => {
    if (link === UNASSIGNED) return;
    used[d] = 1;
    used[head[link]] = 1;
  });
  return used;
}

/** A set of which more than one detection is used; −1 where there is none. */
export function violatedSet({ exclusions }: Pick<Graph, "exclusions">, used: Uint8Array): number {
  if (exclusions === null) return -1;
  for (let set = 0; set < setCount(exclusions); set++) {
    let count = 0;
    for (const d of membersOf(exclusions, set)) count += used[d];
    if (count > 1) return set;
  }
  return -1;
}

/** D of the birth and the death of each detection of the inner frames; null where all are 0, as they are unless costs of unused detections are stated. */
export function loneCosts(graph: Graph): Float64Array | null {
  const { birthOf, deathOf, triplets } = graph;
  if (triplets.kind === "implicit") return null;
  const lone = Float64Array.from(birthOf, (birth, d) =>
    birth === UNASSIGNED || deathOf[d] === UNASSIGNED ? 0 : tripletCost(graph, birth, deathOf[d]),
  );
  return lone.some((cost) => cost !== 0) ? lone : null;
}

/** Whether detections of an instance exclude each other, or are twins. */
export function isRestricted({ exclusions, motherOf }: Pick<Graph, "exclusions" | "motherOf">): boolean {
  return (exclusions ?? motherOf) !== null;
}

/**
 * The exclusions of an instance with their multipliers μ ≥ 0, in order of their frame pairs and in shared memory. With the charge of a detection that is used, Σ μ of its
 * sets, on the costs of a pair's edges and triplets, and Σ μ taken from its value, L stays a sum over frame pairs.
 */
export interface WeighedExclusions {
  /** By frame pair, one more than there are: where its sets begin. A set is of the pair before its detections, and of the first where they are in the first frame. */
  readonly pairStart: Uint32Array;
  /** The number of each in the instance. */
  readonly number: Uint32Array;
  /** The detections of set k: member[setStart[k]] … member[setStart[k + 1] − 1]. */
  readonly setStart: Uint32Array;
  readonly member: Uint32Array;
  /** The detections of each frame pair's sets: from detectionStart[p] on. */
  readonly detectionStart: Uint32Array;
  readonly detection: Uint32Array;
  /** μ at present, and that which an ascent can return to. */
  readonly mu: Float64Array;
  readonly kept: Float64Array;
  /** G: the detections that are used, in the last assignment or in the bundle's combination, which is a share of each. */
  readonly sum: Float64Array;
  /** By detection: the charge that its use is priced with, and its parts, of the sets and of rows of cliques (map/dual/cliques.ts). */
  readonly charge: Float64Array;
  readonly ofSets: Float64Array;
  readonly ofRows: Float64Array;
  readonly combined: Float64Array;
  /** 1 for each detection that the last assignment uses. */
  readonly used: Uint8Array;
}

/** null where an instance has none. */
export function weighExclusions({ exclusions, frames, frameStart }: Graph): WeighedExclusions | null {
  if (exclusions === null || setCount(exclusions) === 0) return null;
  const all = Array.from({ length: setCount(exclusions) }, (_, set) => Array.from(membersOf(exclusions, set)));
  const { rowStart, item } = byRow(
    all.map(([first]) => Math.max(0, bisectRight(frameStart, first) - 2)),
    frames - 1,
  );
  const sets = Array.from(item, (k) => all[k]);
  const byPair = Array.from({ length: frames - 1 }, (_, p) =>
    [...new Set(sets.slice(rowStart[p], rowStart[p + 1]).flat())].sort((a, b) => a - b),
  );
  const detections = frameStart[frames];
  return {
    pairStart: sharedUint32Of(rowStart),
    number: sharedUint32Of(item),
    setStart: sharedUint32Of(startsOf(sets.map(({ length }) => length))),
    member: sharedUint32Of(sets.flat()),
    detectionStart: sharedUint32Of(startsOf(byPair.map(({ length }) => length))),
    detection: sharedUint32Of(byPair.flat()),
    mu: sharedFloat64(sets.length),
    kept: sharedFloat64(sets.length),
    sum: sharedFloat64(sets.length),
    charge: sharedFloat64(detections),
    ofSets: sharedFloat64(detections),
    ofRows: sharedFloat64(detections),
    combined: sharedFloat64(detections),
    used: sharedUint8(detections),
  };
}
