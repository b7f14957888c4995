import { UNASSIGNED } from "../../lap/lap.js";
import { fileOrder } from "../instance/edges.js";
import type { Core } from "../proof/core.js";
import { decide } from "../proof/decisions.js";
import type { Decision, Leaf, Multipliers, Proof } from "../proof/proof.js";
import {
  certify,
  certifySolution,
  isCheaper,
  isFractional,
  isIntegral,
  type OpenRelaxation,
  type Proven,
  type RelaxationSolution,
  separate,
  solveRelaxation,
  tracksIn,
} from "./cut-loop.js";
import type { ExactOptions } from "./exact-run.js";
import type { LinearProgramSolution } from "./linear-program.js";
import { type Goal, meets, type Part, provedOfPart } from "./stages.js";

export interface TreeOptions extends Pick<ExactOptions, "now" | "interrupted" | "pause"> {
  readonly end: number;
  /** Whether a bound is as close to the tracks' cost as was asked for. */
  readonly met: (bound: number) => boolean;
  /** Proves a part in a core of its own; null where that is hardly smaller. `besides` is a bound of all else that the tree has to search. */
  readonly enter: (part: Core, from: Multipliers, besides: number) => Promise<Entered | null>;
  /** Whether so many nodes more are too many leaves. */
  readonly isFull: (waiting: number) => boolean;
  /** Called with a bound that holds for all leaves and all that is left to search, and how many leaves are new. */
  readonly report: (bound: number, leaves: number) => void;
}

/** What was proved of a part, or better tracks that were found in it, by edges of the core. */
export interface Entered {
  readonly bound: number;
  readonly closed: boolean;
  readonly proof: Proof;
  readonly tracks: Int32Array | null;
}

export interface Tree {
  readonly bound: number;
  /** Whether every leaf is proved to hold nothing cheaper than the tracks. */
  readonly closed: boolean;
  readonly leaves: Leaf[];
  /** Better tracks that were found on the way, by edges of the core; they end the search. */
  readonly tracks: Int32Array | null;
}

/** Candidates tried by a short solve of both sides, at the root and elsewhere, and the simplex iterations of a try. */
const TRIED_AT_ROOT = 12;
const TRIED = 6;
const TRY_ITERATIONS = 100;
/** Depth up to which nodes get cuts, and the rounds of these. */
const CUT_DEPTH = 2;
const CUT_ROUNDS = 4;
/** Relative difference up to which elimination may prove what the bound of a leaf does not. */
const CLOSE = 1e-6;

interface Node {
  readonly decisions: readonly Decision[];
  readonly proven: Proven;
  /** Of the linear program that was solved last on the way to it. */
  readonly basis: unknown;
}

/**
 * Branches on fractional edges depth first, first into the side that uses the edge. A node is a leaf when what its multipliers certify meets the goal, or where these narrow it to a
 * much smaller core, which is proved by itself; nodes left over when the time ends are leaves with the bounds that they have.
 */
export class TreeSearch {
  readonly #leaves: Leaf[] = [];
  readonly #waiting: Node[];
  #bound = Number.POSITIVE_INFINITY;
  #closed = true;
  /** The edges whose columns the program holds at 0. */
  #held: Uint8Array;
  #stopped = false;
  /** Other tracks cost as much, up to rounding: no proof can close the node that they are in. */
  #tied = false;

  constructor(
    private readonly opened: OpenRelaxation,
    private readonly root: Proven,
    private readonly goal: Goal,
    private readonly options: TreeOptions,
  ) {
    this.#held = opened.core.removed;
    this.#waiting = [{ decisions: [], proven: root, basis: opened.program.save() }];
  }

  async run(): Promise<Tree> {
    for (let node = this.#waiting.pop(); node !== undefined; node = this.#waiting.pop()) {
      if (this.#stopped || this.options.isFull(this.#waiting.length)) {
        this.#addLeaf(node, this.#partOf(node));
        continue;
      }
      const better = await this.#search(node);
      if (better !== null) return { bound: this.root.bound, closed: false, leaves: [], tracks: better };
    }
    return { bound: this.#bound, closed: this.#closed, leaves: this.#leaves, tracks: null };
  }

  /** Makes a leaf of a node, or two nodes below it; returns better tracks where it finds them. */
  async #search(node: Node): Promise<Int32Array | null> {
    const { opened, goal, options } = this;
    const { core, program } = opened;
    const { decisions } = node;
    const mask = this.#maskOf(node);
    this.#holdAt(mask);
    program.restore(node.basis);
    const { best, solution } = await this.#raise(node, mask);
    const bounded = { ...node, proven: best };
    const part = this.#partOf(bounded, mask);
    const isNear = best.bound >= goal.near;
    const isProved = options.met(best.bound) || part.closed || (isNear && this.#tied);
    if (!isProved)
      this.#stopped = options.now() >= options.end || options.interrupted?.() === true || solution.status === "limit";
    if (isProved || this.#stopped || solution.status === "infeasible") {
      this.#addLeaf(bounded, part);
      return null;
    }
    const integral = isIntegral(solution, core);
    if (integral && isCheaper(solution, core, goal)) return tracksIn(solution, core);
    if (integral && !(isNear && part.open !== UNASSIGNED)) {
      this.#tied ||= isNear;
      this.#addLeaf(bounded, part);
      return null;
    }
    const entered = integral
      ? null
      : await options.enter({ ...core, removed: mask }, best.multipliers, this.#boundOf(this.#waiting));
    if (entered?.tracks) return entered.tracks;
    if (entered !== null) {
      this.#add({ decisions, ...entered.proof }, { ...entered, bound: Math.max(entered.bound, best.bound) });
      return null;
    }
    const basis = program.save();
    // Where only rounding is left, the tracks are told from all others a link at a time: first those without it.
    const branch = integral
      ? part.open
      : this.#chooseBranch(solution, mask, basis, decisions.length === 0 ? TRIED_AT_ROOT : TRIED);
    for (const value of integral ? ([1, 0] as const) : ([0, 1] as const))
      this.#waiting.push({ decisions: [...decisions, [branch, value]], proven: best, basis });
    return null;
  }

  /** Solves the program of a node, with new cuts; returns the best bound and the last solution. */
  async #raise(
    { decisions, proven }: Node,
    mask: Uint8Array,
  ): Promise<{ readonly best: Proven; readonly solution: RelaxationSolution }> {
    const { opened, goal, options } = this;
    const rounds = decisions.length <= CUT_DEPTH ? CUT_ROUNDS : 1;
    let best = proven;
    for (let round = 1; ; round++) {
      await options.pause?.();
      const solution = solveRelaxation(opened, options.end - options.now());
      const next = certifySolution(opened, solution, mask, goal);
      if (next !== null && next.bound > best.bound) best = next;
      const isLast =
        options.met(best.bound) ||
        best.bound >= goal.near ||
        solution.status !== "optimal" ||
        isIntegral(solution, opened.core) ||
        round === rounds ||
        separate(opened, solution, true) === 0;
      if (isLast) return { best, solution };
    }
  }

  /** Elimination may prove of a leaf what its bound does not. */
  #partOf({ decisions, proven }: Node, mask = this.#maskOf({ decisions })): Part {
    const { goal, opened } = this;
    const { bound, multipliers } = proven;
    if (!meets(bound, goal, CLOSE)) return { bound, closed: false, open: UNASSIGNED };
    return provedOfPart(certify(opened.core, multipliers, mask).reduced, { ...opened.core, removed: mask }, goal);
  }

  #addLeaf({ decisions, proven }: Node, part: Part): void {
    this.#add({ decisions, stages: [proven.multipliers], leaves: [] }, part);
  }

  #add(leaf: Leaf, { bound, closed }: Pick<Part, "bound" | "closed">): void {
    this.#leaves.push(leaf);
    this.#closed &&= closed;
    this.#bound = Math.min(this.#bound, bound);
    this.options.report(this.#boundOf(this.#waiting), leaf.leaves.length === 0 ? 1 : 0);
  }

  /** A bound of all leaves, and of nodes with what is proved of them so far. */
  #boundOf(nodes: readonly Node[]): number {
    return nodes.reduce((least, node) => Math.min(least, node.proven.bound), this.#bound);
  }

  #maskOf({ decisions }: Pick<Node, "decisions">): Uint8Array {
    const { core } = this.opened;
    const mask = core.removed.slice();
    for (const decision of decisions) decide(core, decision, mask);
    return mask;
  }

  #holdAt(mask: Uint8Array): void {
    const { program, relaxation } = this.opened;
    const [down, up]: [number[], number[]] = [[], []];
    mask.forEach((one, e) => {
      if (one !== this.#held[e]) (one === 1 ? down : up).push(e);
    });
    // Edges that are decided have columns, as they are not alone at both ends; others at their ends may have none, or share them with edges that stay removed.
    const held = new Set(relaxation.columnsOf([...mask.keys()].filter((e) => mask[e] === 1)));
    program.hold([...new Set(relaxation.columnsOf(down))], true);
    program.hold(
      [...new Set(relaxation.columnsOf(up))].filter((column) => !held.has(column)),
      false,
    );
    this.#held = mask;
  }

  /** Strong branching: the edge whose weaker side gains most in a short solve, with some weight on the stronger one. */
  #chooseBranch({ value, objective }: LinearProgramSolution, mask: Uint8Array, basis: unknown, tries: number): number {
    const { opened, goal, options } = this;
    const { core, program } = opened;
    const fractional = Array.from(fileOrder(core.graph))
      .filter((e) => isFractional(value[e]))
      .sort((a, b) => Math.abs(value[a] - 0.5) - Math.abs(value[b] - 0.5))
      .slice(0, tries);
    let [chosen, best] = [fractional[0], -1];
    for (const e of fractional) {
      const gains = ([0, 1] as const).map((side) => {
        const tried = mask.slice();
        decide(core, [e, side], tried);
        this.#holdAt(tried);
        program.restore(basis);
        const seconds = Math.max(0.01, options.end - options.now());
        const result = program.solve({ seconds, iterations: TRY_ITERATIONS });
        if (result.status === "infeasible") return goal.cost - this.root.bound;
        return Math.max(0, result.objective - objective);
      });
      const score = Math.min(...gains) + 0.1 * Math.max(...gains);
      if (score > best) [chosen, best] = [e, score];
      if (options.now() >= options.end) break;
    }
    this.#holdAt(mask);
    program.restore(basis);
    return chosen;
  }
}
