import { priceTracks, refuteTracks } from "../certificate/price-tracks.js";
import type { Graph } from "../instance/instance.js";
import { type Core, wholeOf } from "../proof/core.js";
import { type Proof, refuteStage, type Stage } from "../proof/proof.js";
import type { CutCore } from "./core.js";
import { type EliminationLimits, type Goal, goalOf, narrow, narrowBelow, reduceCore } from "./stages.js";

/** Limits of the elimination that cut the cores of proofs of the format rmap-proof-1. They stay when the solver gets others. */
const LIMITS_OF_FORMAT_1: EliminationLimits = {
  rounds: 20,
  crowdedShare: 0.95,
  smallEdges: 100_000,
  search: { mostTracks: 0, mostSteps: 0 },
};

/**
 * That solver rounded otherwise, and counted ties as cheaper. So the room is raised until the core has as many edges as the next part of the proof: by these shares of
 * what rounding leaves between a bound and the tracks' cost.
 */
const RAISES = [1 / 256, 1 / 64, 1 / 16, 1 / 4, 1, 4, 16, 64];

/**
 * Proofs of the format rmap-proof-1 store no cores: each core follows from the multipliers of its stage by elimination and chains. The check says whether the cores hold
 * all that they must. The proofs in `test/map/proof/rmap-proof-1` must stay readable.
 * @param read renumbers a part for its graph: those of a file have the numbers of files
 */
export function withRebuiltCores(
  graph: Graph,
  tracks: Int32Array,
  proof: Proof,
  read = (_core: Graph, part: Proof): Proof => part,
): Proof {
  if (refuteTracks(graph, tracks) !== null || priceTracks(graph, tracks).status === "forbidden") return proof;
  const goal = goalOf(graph, tracks);
  if (goal === null) return proof;
  const stages: Stage[] = [];
  let core = wholeOf(graph, tracks);
  let below = Number.POSITIVE_INFINITY;
  for (const [n, given] of proof.stages.entries()) {
    const [stage] = read(core.graph, { stages: [given], leaves: [] }).stages;
    // The check says the same of this stage, and looks at none after it.
    if (refuteStage(core.graph, stage) !== null) return { ...proof, stages: [...stages, stage] };
    below = Math.min(below, stage.below ?? below);
    const edges = (proof.stages[n + 1] ?? proof.leaves[0]?.stages[0])?.v.length;
    const next = rebuiltCore(core, stage, goal, below, edges);
    // Nothing is left, or nothing is proved: in both cases the check looked at nothing that follows.
    if (next === null) return { stages: [...stages, stage], leaves: [] };
    stages.push({ ...stage, core: next.choice });
    core = next;
  }
  return { stages, leaves: read(core.graph, { stages: [], leaves: proof.leaves }).leaves };
}

/** The core of that many edges, or the one that the present elimination leaves; null where nothing is left or proved. */
function rebuiltCore(core: Core, stage: Stage, goal: Goal, below: number, edges: number | undefined): CutCore | null {
  const reduced = reduceCore(core, stage);
  const withRoom = (raise: number): CutCore | null => {
    const more = raise * (goal.cost - goal.near);
    if (below < Number.POSITIVE_INFINITY) return narrowBelow(core, reduced, below + more, Number.POSITIVE_INFINITY);
    const raised = { ...goal, cost: goal.cost + more, saving: 0 };
    return narrow(core, reduced, raised, Number.POSITIVE_INFINITY, LIMITS_OF_FORMAT_1)?.core ?? null;
  };
  const first = withRoom(0);
  if (edges === undefined) return first;
  let next = first;
  for (let n = 0; next?.edgeOf.length !== edges && n < RAISES.length; n++) next = withRoom(RAISES[n]);
  return next?.edgeOf.length === edges ? next : first;
}
