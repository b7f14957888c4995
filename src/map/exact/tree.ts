import { UNASSIGNED } from "../../lap/lap.js";
import { fileOrder } from "../instance/edges.js";
import { decide } from "../proof/decisions.js";
import type { Decision, Leaf } from "../proof/proof.js";
import {
  certifyDuals,
  isFractional,
  isIntegral,
  type OpenRelaxation,
  type Proven,
  type RelaxationSolution,
  separate,
  solveRelaxation,
} from "./cut-loop.js";
import type { LinearProgramSolution } from "./linear-program.js";
import type { Goal, Part } from "./stages.js";

export interface TreeOptions {
  readonly end: number;
  readonly mostLeaves: number;
  readonly now: () => number;
  readonly interrupted?: () => boolean;
  readonly pause?: () => Promise<void>;
  /** Whether a bound is as close to the tracks' cost as was asked for. */
  readonly met: (bound: number) => boolean;
  /** What multipliers prove of the part without the removed edges. */
  readonly prove: (proven: Proven, removed: Uint8Array) => Part;
  /** Whether an integral solution is cheaper than the tracks, by its price: its objective is rounded. */
  readonly cheaper: (solution: LinearProgramSolution) => boolean;
  /** Called with a bound that holds for all leaves and all that is left to search. */
  readonly report: (bound: number, leaves: number) => void;
}

export interface Tree {
  readonly bound: number;
  /** Whether every leaf is proved to hold nothing cheaper than the tracks. */
  readonly closed: boolean;
  readonly leaves: Leaf[];
  /** Better tracks that were found on the way, which end the search. */
  readonly solution: LinearProgramSolution | null;
}

/** Candidates tried by a short solve of both sides, at the root and elsewhere, and the simplex iterations of a try. */
const TRIED_AT_ROOT = 12;
const TRIED = 6;
const TRY_ITERATIONS = 100;
/** Depth up to which nodes are given cuts of their own, and how many rounds. */
const CUT_DEPTH = 2;
const CUT_ROUNDS = 4;
/** Relative difference up to which elimination may prove what the bound of a leaf does not. */
const CLOSE = 1e-6;

/**
 * Branches on fractional edges depth first, the side with the lower bound first. A node is a leaf when what its multipliers certify meets the goal; nodes
 * left over when the time ends are leaves with the bounds that they have.
 */
export async function searchTree(
  opened: OpenRelaxation,
  root: Proven,
  goal: Goal,
  options: TreeOptions,
): Promise<Tree> {
  const { core, program } = opened;
  const { graph } = core;
  const leaves: Leaf[] = [];
  let bound = Number.POSITIVE_INFINITY;
  let closed = true;

  const maskOf = (decisions: readonly Decision[]): Uint8Array => {
    const mask = core.removed.slice();
    for (const decision of decisions) decide(core, decision, mask);
    return mask;
  };
  /** Of edges that are decided; all have a column, as they are not alone at both ends. */
  const columnsOf = (list: number[]): number[] => opened.relaxation.columnsOf(list).filter((column) => column >= 0);
  let held = core.removed;
  const holdAt = (mask: Uint8Array): void => {
    const [down, up]: [number[], number[]] = [[], []];
    mask.forEach((one, e) => {
      if (one !== held[e]) (one === 1 ? down : up).push(e);
    });
    program.hold(columnsOf(down), true);
    program.hold(columnsOf(up), false);
    held = mask;
  };
  const stack: { decisions: Decision[]; proven: Proven; basis: unknown }[] = [
    { decisions: [], proven: root, basis: program.save() },
  ];
  const leafOf = (decisions: readonly Decision[], proven: Proven, part = partOf(decisions, proven)): void => {
    leaves.push({ decisions, ...proven.multipliers });
    closed &&= part.closed;
    bound = Math.min(bound, part.bound);
    // Waiting nodes count with the bounds that are proved of them so far.
    const waiting = stack.reduce((least, node) => Math.min(least, node.proven.bound), bound);
    options.report(waiting, leaves.length);
  };

  let stopped = false;
  /** Other tracks that cost as much, up to rounding: no proof can close the node that they are in. */
  let tied = false;
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (stopped || leaves.length + stack.length >= options.mostLeaves) {
      leafOf(node.decisions, node.proven);
      continue;
    }
    const { decisions, basis } = node;
    const mask = maskOf(decisions);
    holdAt(mask);
    program.restore(basis);
    const rounds = decisions.length <= CUT_DEPTH ? CUT_ROUNDS : 1;
    let best = node.proven;
    let solution: RelaxationSolution | null = null;
    for (let round = 0; round < rounds; round++) {
      await options.pause?.();
      solution = solveRelaxation(opened, options.end - options.now());
      const proven = proveNode(solution, mask);
      if (proven !== null && proven.bound > best.bound) best = proven;
      if (options.met(best.bound) || best.bound >= goal.near || solution.status !== "optimal") break;
      if (isIntegral(solution, core) || round + 1 === rounds || separate(opened, solution, true) === 0) break;
    }
    const part = partOf(decisions, best);
    const near = best.bound >= goal.near;
    if (options.met(best.bound) || part.closed || (near && tied)) {
      leafOf(decisions, best, part);
      continue;
    }
    if (options.now() >= options.end || options.interrupted?.() === true || solution?.status === "limit") {
      stopped = true;
      leafOf(decisions, best, part);
      continue;
    }
    if (solution === null || solution.status === "infeasible") {
      leafOf(decisions, best, part);
      continue;
    }
    const integral = isIntegral(solution, core);
    if (integral && options.cheaper(solution)) return { bound: root.bound, closed: false, leaves: [], solution };
    if (integral && !(near && part.open !== UNASSIGNED)) {
      tied ||= near;
      leafOf(decisions, best, part);
      continue;
    }
    const solved = program.save();
    // Where only rounding is left, the tracks are told from all others a link at a time: first those without it.
    const branch = integral
      ? part.open
      : chooseBranch(solution, mask, solved, decisions.length === 0 ? TRIED_AT_ROOT : TRIED);
    const sides: Decision[] = [
      [branch, integral ? 1 : 0],
      [branch, integral ? 0 : 1],
    ];
    for (const side of sides) stack.push({ decisions: [...decisions, side], proven: best, basis: solved });
  }
  return { bound, closed, leaves, solution: null };

  /** Elimination may prove of a leaf what its bound does not. */
  function partOf(decisions: readonly Decision[], proven: Proven): Part {
    const near = goal.cost - proven.bound <= CLOSE * Math.abs(goal.cost);
    return near ? options.prove(proven, maskOf(decisions)) : { bound: proven.bound, closed: false, open: UNASSIGNED };
  }

  /** Certified by the duals, or by the ray where there is no solution. */
  function proveNode(solution: LinearProgramSolution, mask: Uint8Array): Proven | null {
    if (solution.status !== "infeasible") return certifyDuals(opened, solution, mask);
    const ray = program.ray();
    if (ray === null) return null;
    // What the ray gains a unit, cuts included, and what it must gain beyond the multipliers that the program counts from.
    const { relaxation, cuts } = opened;
    const right = [...relaxation.data.right, ...cuts.map((cut) => relaxation.rowOf(cut).right)];
    const worth = right.reduce((sum, b, n) => sum + b * ray[n], 0);
    const missing = Math.max(goal.cost - (opened.offset - relaxation.constant), 1e-12);
    let best: Proven | null = null;
    for (const sign of [1, -1]) {
      for (const scale of [2, 100]) {
        const step = (sign * scale * missing) / Math.max(Math.abs(worth), 1e-12);
        const proven = certifyDuals(opened, { rowDual: ray.map((value) => value * step) }, mask);
        if (best === null || proven.bound > best.bound) best = proven;
      }
    }
    return best;
  }

  /** Strong branching: the edge whose weaker side gains most in a short solve, with some weight on the stronger one. */
  function chooseBranch(
    { value, objective }: LinearProgramSolution,
    mask: Uint8Array,
    basis: unknown,
    tries: number,
  ): number {
    const fractional = Array.from(fileOrder(graph))
      .filter((e) => isFractional(value[e]))
      .sort((a, b) => Math.abs(value[a] - 0.5) - Math.abs(value[b] - 0.5))
      .slice(0, tries);
    let [chosen, score] = [fractional[0], -1];
    for (const e of fractional) {
      const gains = ([0, 1] as const).map((side) => {
        const tried = mask.slice();
        decide(core, [e, side], tried);
        holdAt(tried);
        program.restore(basis);
        const result = program.solve({
          seconds: Math.max(0.01, options.end - options.now()),
          iterations: TRY_ITERATIONS,
        });
        if (result.status === "infeasible") return goal.cost - root.bound;
        return Math.max(0, result.objective - objective);
      });
      const own = Math.min(...gains) + 0.1 * Math.max(...gains);
      if (own > score) [chosen, score] = [e, own];
      if (options.now() >= options.end) break;
    }
    holdAt(mask);
    program.restore(basis);
    return chosen;
  }
}
