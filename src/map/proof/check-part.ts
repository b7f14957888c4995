import { bitAt } from "../../core/bits.js";
import { type Chains, throughTriplet } from "./chains.js";
import { type Core, coreOf, eachTriplet, isOfTracks } from "./core.js";
import { decide, leafCover, refuteDecisions } from "./decisions.js";
import { boundPart, type Cost, type Dominated, dominate, isFiniteValue } from "./dominated.js";
import type { Left } from "./elimination.js";
import type { Numbers, Value } from "./numbers.js";
import { type CoreChoice, type Proof, refuteStage, type Stage } from "./proof.js";
import { type Reduced, reduce } from "./reduced.js";

/** Why a proof does not hold. */
export interface Refuted {
  readonly valid: false;
  readonly why: string;
}

/** What a proof proves of an instance, or of a part of one. */
export interface Proved {
  readonly valid: true;
  /** In the costs that are computed with. */
  readonly bound: Value;
  /** Nothing is cheaper than the tracks but by rounding. */
  readonly closed: boolean;
  /** Triplets that were left for the leaves; 0 where the stages alone prove the tracks optimal. */
  readonly triplets: number;
}

/** The stages, cuts and leaves that were looked at: of the leaves those that have none of their own, and of their stages those after the first. */
export interface LookedAt {
  stages: number;
  cuts: number;
  leaves: number;
}

/** The cost of the tracks as computed with. */
export interface CheckedCost extends Cost {
  /** Rounded up. */
  readonly inF64: number;
}

/** What a check of all parts has in common. */
interface Checking {
  readonly numbers: Numbers;
  readonly cost: CheckedCost;
  readonly looked: LookedAt;
  /** Called before each stage. */
  readonly step: () => void;
  /** What is known of one stage of the whole instance. */
  readonly known?:
    | { readonly stage: Stage; readonly reduced: Reduced; readonly chains: Chains; readonly left: Left | null }
    | undefined;
}

/**
 * Checks what a proof says of an instance, or of a part of a core: stage by stage its multipliers bound the present core, and all that is not in the next core must be
 * dominated; the leaves cover the last core, and each has a proof of its own.
 * @param below the part has all that costs less than this, and nothing above it is proved
 * @param leaf its place in the proof; none of the whole instance
 */
export function checkPart(
  checking: Checking,
  part: Core,
  { stages, leaves }: Proof,
  below: Value,
  leaf = "",
): Proved | Refuted {
  const { numbers, cost, looked, known } = checking;
  const refuted = (why: string): Refuted => ({ valid: false, why });
  let bound: Value = Number.NEGATIVE_INFINITY;
  let limit = below;
  const raise = (to: Value): void => {
    const most = leastOf(leastOf(to, limit), cost.least);
    if (most > bound) bound = most;
  };
  const proved = (closed: boolean, triplets = 0): Proved => ({ valid: true, bound, closed, triplets });

  let core = part;
  if (leaf !== "" && stages.length === 0) return refuted(`${leaf} has no multipliers`);
  for (const [n, stage] of stages.entries()) {
    const place = leaf === "" ? `stage ${n}` : n === 0 ? leaf : `${leaf}, stage ${n}`;
    const why = refuteStage(core.graph, stage);
    if (why !== null) return refuted(`${place} ${why}`);
    checking.step();
    const isLeaf = leaf !== "" && n === 0;
    if (!isLeaf) looked.stages++;
    else if (leaves.length === 0) looked.leaves++;
    looked.cuts += stage.cuts.length;
    const basis = core === part && leaf === "" && known?.stage === stage ? known : undefined;
    const reduced = basis?.reduced ?? reduce(numbers, core, stage, core.removed);
    const isLast = n + 1 === stages.length && leaves.length === 0;
    if (leaf !== "" && stage.core === undefined) {
      if (!isLast) return refuted(`${place} has no core for what follows`);
      const last = boundPart(numbers, core, reduced, cost);
      raise(last.bound);
      return proved(last.closed && limit >= cost.most);
    }
    if (!isFiniteValue(reduced.constant)) return refuted(`the multipliers of ${place} prove nothing`);
    raise(reduced.constant);
    if (stage.below !== undefined) {
      if (!(stage.below <= cost.inF64)) return refuted(`${place} looks below ${stage.below}`);
      limit = leastOf(limit, numbers.of(stage.below));
    }
    const next = dominate(numbers, core, reduced, limit, cost, undefined, basis);
    raise(next.bound);
    if (next.closed) return proved(true);
    if (stage.core === undefined) return isLast ? proved(false) : refuted(`${place} has no core for what follows`);
    const lacks = refuteCore(numbers, core, stage.core, reduced, next);
    if (lacks !== null) return refuted(`the core of ${place} ${lacks}`);
    core = coreOf(core, stage.core);
  }
  if (leaves.length === 0) return proved(false);
  const ofAll = checkLeaves(checking, core, leaves, limit, leaf);
  if (!ofAll.valid) return ofAll;
  raise(ofAll.bound);
  return proved(ofAll.closed && limit >= cost.most, core.graph.triplets.count);
}

/** Checks the leaves of a core: they cover it, and what all of them prove holds for it. */
function checkLeaves(
  checking: Checking,
  core: Core,
  leaves: Proof["leaves"],
  below: Value,
  above: string,
): Proved | Refuted {
  const uncovered = leafCover(leaves.map(({ decisions }) => decisions));
  if (uncovered !== null) return { valid: false, why: above === "" ? uncovered : `${above}: ${uncovered}` };
  let bound: Value = Number.POSITIVE_INFINITY;
  let closed = true;
  for (const [n, { decisions, ...proof }] of leaves.entries()) {
    const place = above === "" ? `leaf ${n}` : `${above}, leaf ${n}`;
    const why = refuteDecisions(core, decisions);
    if (why !== null) return { valid: false, why: `${place} ${why}` };
    const removed = core.removed.slice();
    for (const decision of decisions) decide(core, decision, removed);
    const part = checkPart(checking, { ...core, removed }, proof, below, place);
    if (!part.valid) return part;
    closed &&= part.closed;
    bound = leastOf(bound, part.bound);
  }
  return { valid: true, bound, closed, triplets: 0 };
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
    if (isOfTracks(whole, e, f, head[e]) || throughTriplet(numbers, chains, reduced, [e, f, t]) < limit)
      lacks = `lacks triplet ${e}, ${f}`;
  });
  const { length } = choice.triplets;
  return length === Math.ceil(count / 8) ? lacks : `has ${8 * length} marks for ${count} triplets`;
}

function leastOf(a: Value, b: Value): Value {
  return a < b ? a : b;
}
