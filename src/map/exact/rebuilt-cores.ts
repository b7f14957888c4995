import { priceTracks, refuteTracks } from "../certificate/certificate.js";
import { weighCuts } from "../certificate/cuts.js";
import { reduceCosts } from "../certificate/reduced-costs.js";
import type { Graph } from "../instance/instance.js";
import { wholeOf } from "../proof/core.js";
import { type Leaf, type Proof, refuteStage, type Stage } from "../proof/proof.js";
import { goalOf, narrow, narrowBelow } from "./stages.js";

/**
 * For proofs of the format rmap-proof-1 alone, which store no cores: each core follows from the multipliers of its stage by the solver's own
 * elimination and chains, in f64, up to the constants of these. Whether the cores hold everything that they must is for the check to say.
 * `test/map/proof/rmap-proof-1` has proofs that must stay readable: whoever changes the solver's elimination keeps a copy of the present one
 * here.
 * @param read makes a stage or leaf one of a graph: what is from a file has the numbers of files
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
    const { v, columnDual, cuts, cutMultipliers } = stage;
    const weighed = weighCuts(core.graph, cuts, cutMultipliers);
    const reduced = reduceCosts(core.graph, core.incidence, v, columnDual, { removed: core.removed, cuts: weighed });
    below = Math.min(below, stage.below ?? below);
    const next =
      below < Number.POSITIVE_INFINITY
        ? narrowBelow(core, reduced, below, Number.POSITIVE_INFINITY)
        : (narrow(core, reduced, goal, Number.POSITIVE_INFINITY)?.core ?? null);
    // Nothing is left, or nothing is proved: in both cases what follows was never looked at.
    if (next === null) return { stages: [...stages, stage], leaves: [] };
    stages.push({ ...stage, core: next.choice });
    core = next;
  }
  return { stages, leaves: proof.leaves.map((leaf) => read(core.graph, leaf)) };
}
