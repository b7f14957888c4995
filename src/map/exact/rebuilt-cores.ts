import { priceTracks, refuteTracks } from "../certificate/certificate.js";
import type { Graph } from "../instance/instance.js";
import { wholeOf } from "../proof/core.js";
import { type Leaf, type Proof, refuteStage, type Stage } from "../proof/proof.js";
import type { EliminationLimits } from "./elimination-limits.js";
import { goalOf, narrow, narrowBelow, reduceCore } from "./stages.js";

/** Limits of the elimination that cut the cores of proofs of the format rmap-proof-1. They stay when the solver gets others. */
const LIMITS_OF_FORMAT_1: EliminationLimits = { rounds: 20, crowdedShare: 0.95, smallEdges: 100_000 };

/**
 * Proofs of the format rmap-proof-1 store no cores: each core follows from the multipliers of its stage by elimination and chains, in f64 and
 * up to the last rounding. The check says whether the cores hold all that they must. The proofs in `test/map/proof/rmap-proof-1` must stay
 * readable: whoever changes the order of operations of the solver's elimination keeps a copy of the present one for this function.
 * @param read renumbers a stage or leaf for its graph: those of a file have the numbers of files
 */
export function withRebuiltCores(
  graph: Graph,
  tracks: Int32Array,
  proof: Proof,
  read = <M extends Stage | Leaf>(_core: Graph, given: M): M => given,
): Proof {
  if (refuteTracks(graph, tracks) !== null || priceTracks(graph, tracks).status === "forbidden") return proof;
  const goal = goalOf(graph, tracks);
  if (goal === null) return proof;
  const stages: Stage[] = [];
  let core = wholeOf(graph, tracks);
  let below = Number.POSITIVE_INFINITY;
  for (const given of proof.stages) {
    const stage = read(core.graph, given);
    // The check says the same of this stage, and looks at none after it.
    if (refuteStage(core.graph, stage) !== null) return { ...proof, stages: [...stages, stage] };
    const reduced = reduceCore(core, stage);
    below = Math.min(below, stage.below ?? below);
    const next =
      below < Number.POSITIVE_INFINITY
        ? narrowBelow(core, reduced, below, Number.POSITIVE_INFINITY)
        : (narrow(core, reduced, goal, Number.POSITIVE_INFINITY, LIMITS_OF_FORMAT_1)?.core ?? null);
    // Nothing is left, or nothing is proved: in both cases the check looked at nothing that follows.
    if (next === null) return { stages: [...stages, stage], leaves: [] };
    stages.push({ ...stage, core: next.choice });
    core = next;
  }
  return { stages, leaves: proof.leaves.map((leaf) => read(core.graph, leaf)) };
}
