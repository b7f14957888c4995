import { sharedUint32Of } from "../../core/shared-arrays.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { type Graph, tripletCost } from "./instance.js";
import type { Exclusions } from "./priced.js";

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
