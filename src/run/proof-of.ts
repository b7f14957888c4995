import { digestOf } from "../formats/digest.js";
import type { ProofFile } from "../formats/proof.js";
import { toFile } from "../map/proof/file-order.js";
import type { Run } from "./run.js";

/** Edges up to which there is a proof.json: about 11 bytes each and stage. */
export const MOST_PROVED_EDGES = 4_000_000;

/** What proof.json says of a run; null where nothing was proved, or the problem is too large. */
export function proofOf({ graph, solution, overrides }: Run): ProofFile | null {
  const { tracks, proof, lowerBound, upperBound } = solution;
  if (tracks === null || proof === null || graph.edges > MOST_PROVED_EDGES) return null;
  return { instance: digestOf(graph), overrides, lowerBound, upperBound, ...toFile(graph, { tracks, proof }) };
}
