import { invariant } from "../core/errors.js";
import type { ProofOptions } from "../formats/proof.js";
import type { Pricing } from "../formats/scenario.js";
import type { Graph } from "../map/instance/instance.js";
import type { ProblemOverrides, SolveOverrides } from "./overrides.js";

/** The options that a proof states, in its order. */
const STATED = [
  "seed",
  "cost",
  "costParameter",
  "prior",
  "gate",
  "births",
  "estimateVelocities",
  "maxGap",
  "divisions",
  "links",
  "columns",
  "properties",
  "dt",
  "zScale",
  "decimal",
  "dates",
  "triplets",
] as const;

/** The options of a run; of costs that are the user's own also how triplets were held, since whoever checks the proof may have another device and memory. */
export function proofOptions(overrides: SolveOverrides, pricing: Pricing | null, { triplets }: Graph): ProofOptions {
  const storage = typeof pricing?.cost === "object" && !("name" in pricing.cost) ? triplets.kind : undefined;
  const asked = { ...overrides, cost: statedCost(overrides.cost, pricing), triplets: overrides.triplets ?? storage };
  return Object.fromEntries(STATED.flatMap((key) => (asked[key] === undefined ? [] : [[key, asked[key]]])));
}

/** The cost that was asked for, with the digest of the file that was used. */
function statedCost(asked: ProblemOverrides["cost"], pricing: Pricing | null): ProofOptions["cost"] {
  if (typeof asked !== "object") return asked;
  const used = pricing?.cost;
  invariant(typeof used === "object" && "file" in used, () => `a cost of ${asked.file} priced as ${used}`);
  return { file: used.file, sha256: used.sha256 };
}
