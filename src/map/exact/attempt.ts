import { UNASSIGNED } from "../../lap/lap.js";
import { type Core, hasTracks } from "../proof/core.js";
import type { Multipliers } from "../proof/proof.js";
import { type CutCore, lifted, restricted, tripletsOfTracks } from "./core.js";
import {
  certify,
  certifySolution,
  dropSlack,
  isCheaper,
  isIntegral,
  type OpenRelaxation,
  openRelaxation,
  type Proven,
  separate,
  solveRelaxation,
  tracksIn,
} from "./cut-loop.js";
import { type ExactRun, Proved } from "./exact-run.js";
import { iterationWork } from "./patience.js";
import { type Goal, meets, type Narrowed, narrow, narrowBelow, provedOfPart } from "./stages.js";
import { type Entered, TreeSearch } from "./tree.js";

/**
 * closed: the bounds meet, as far as they can. large: the core has too many triplets. time: the time was over or the run was interrupted. still: the tree
 * reached its limit of leaves. failed: a linear program was not solved.
 */
export type Ending = "closed" | "large" | "time" | "still" | "failed";

/** A smaller core is cut when at most this share of its triplets is left. */
const SMALLER = 0.75;
/** A part of the tree gets a core of its own when that has at most this share of the triplets. */
const SMALLER_PART = 0.75;
/** A round of cuts that gains less than this share of the room is slow; after SLOW_ROUNDS of them in a row the tree begins. */
const SLOW = 0.01;
const SLOW_ROUNDS = 3;
/** Iterations of an ascent over the core that take as long as the certificate, elimination and separation of a round. */
const ROUND_ITERATIONS = 20;

/** An attempt to close the gap next to some tracks: core after core, each with cuts, and the tree in the last one. */
export class Attempt {
  /** The present core, its edges as those of `whole`, and the multipliers that prove most of it. */
  #core: Core;
  #edgeOf: Uint32Array;
  #proven!: Proven;
  /** The present core has all that costs less than this. */
  readonly #aim: Goal;

  /**
   * @param whole the instance, or a core of it
   * @param limit `whole` has all that costs less than this; null where it is the instance
   * @param most triplets of a core at most
   * @param besides a bound of all that a tree has besides, where `whole` is a part of its core; null where there is no tree around it
   */
  constructor(
    private readonly exact: ExactRun,
    private readonly whole: Core,
    private readonly goal: Goal,
    private readonly limit: Goal | null,
    private readonly proved: Proved,
    private readonly most: number = exact.options.mostTriplets,
    private readonly besides: number | null = null,
  ) {
    this.#core = whole;
    this.#edgeOf = Uint32Array.from({ length: whole.graph.edges }, (_, e) => e);
    this.#aim = limit ?? goal;
  }

  /**
   * @param path multipliers of `whole`, and then more of it that each narrow the core which those before leave
   * @returns better tracks by edges of `whole`, or how it ended
   */
  async run([initialMultipliers, ...path]: readonly Multipliers[]): Promise<Int32Array | Ending> {
    this.proved.leaves = [];
    this.#proven = certify(this.#core, initialMultipliers);
    for (;;) {
      const inner = this.#narrowFurther();
      if (typeof inner === "string") return inner;
      this.#enter(inner);
      const next = path.shift();
      if (next !== undefined) {
        const proven = certify(inner, restricted({ edgeOf: this.#edgeOf }, next));
        if (proven.bound > this.#proven.bound) this.#proven = proven;
        continue;
      }
      const opened = this.#open();
      try {
        const ended = await this.#raise(opened);
        if (ended !== "smaller") return ended;
      } finally {
        opened.program.close();
      }
    }
  }

  #isMet(bound: number): boolean {
    return meets(bound, this.goal, this.exact.options.gap) || (this.limit !== null && bound >= this.limit.cost);
  }

  /** Rounding lets linear programs come no closer. */
  #isNear(bound: number): boolean {
    return bound >= this.goal.near;
  }

  #narrowed(): Narrowed | null {
    const { reduced } = this.#proven;
    if (this.limit === null) return narrow(this.#core, reduced, this.goal, this.most);
    const core = narrowBelow(this.#core, reduced, this.limit.cost, this.most);
    return core && { core, bound: reduced.constant };
  }

  /** Cuts the core of cheaper tracks, which is the next stage of the proof. */
  #narrowFurther(): CutCore | Ending {
    const { proved, goal } = this;
    const { bound, multipliers, reduced } = this.#proven;
    proved.raise(bound, this.#aim);
    const next = this.#narrowed();
    const isMet = this.#isMet(bound) || (this.#isNear(bound) && this.exact.options.mostLeaves === 0);
    const choice = isMet ? undefined : next?.core?.choice;
    proved.stages.push(choice === undefined ? multipliers : { ...multipliers, core: choice });
    if (next?.core === null) {
      proved.raise(next.bound, this.#aim);
      proved.optimal = true;
      return "closed";
    }
    if (isMet) {
      const isWhole = this.#aim.cost >= goal.cost;
      proved.optimal = isWhole && provedOfPart(reduced, this.#core, goal).closed;
      return "closed";
    }
    if (next === null) return "large";
    proved.raise(next.bound, this.#aim);
    return next.core;
  }

  /** Goes on with a core of the present one. */
  #enter(inner: CutCore): void {
    const edgeOf = this.#edgeOf;
    this.#edgeOf = inner.edgeOf.map((e) => edgeOf[e]);
    this.#core = inner;
    this.#proven = certify(inner, restricted(inner, this.#proven.multipliers));
  }

  #open(): OpenRelaxation {
    const inner = this.#core;
    const inside = this.#proven.multipliers;
    // A linear program counts from multipliers without cuts, so that those of the cuts are free to fall.
    const base = certify(
      inner,
      { ...inside, cutMultipliers: new Float64Array(inside.cuts.length) },
      inner.removed,
      false,
    );
    return openRelaxation(inner, base.reduced, inside.cuts, this.exact.options.open);
  }

  /** Raises the bound of the present core by cuts, and leaves the rest of the gap to the tree. */
  async #raise(opened: OpenRelaxation): Promise<Int32Array | Ending | "smaller"> {
    const stopped = await this.#cutWhileItPays(opened);
    const { bound, multipliers } = this.#proven;
    this.exact.cuts = Math.max(this.exact.cuts, multipliers.cuts.length);
    this.proved.raise(bound, this.#aim);
    if (this.besides === null) {
      const ofInstance = this.#edgeOf.map((e) => this.whole.edgeOf[e]);
      this.exact.carried = lifted(this.exact.carried, ofInstance, multipliers);
      if (this.limit === null) this.exact.path.push(this.exact.carried);
    }
    if (typeof stopped !== "string") return this.#lifted(stopped);
    if (stopped === "time" || stopped === "failed") return this.#endHere(stopped);
    if (stopped === "smaller" || this.#isMet(bound)) return "smaller";
    if (this.exact.options.mostLeaves > 0) return this.#branch(opened);
    return this.#isNear(bound) ? "smaller" : this.#endHere("still");
  }

  /** @returns why it stopped, or a solution that is better tracks */
  async #cutWhileItPays(
    opened: OpenRelaxation,
  ): Promise<Int32Array | "failed" | "time" | "closed" | "smaller" | "slow"> {
    const { exact, goal } = this;
    const core = this.#core;
    const size = openTriplets(core);
    for (let slow = 0; ; ) {
      await exact.options.pause?.();
      const solution = solveRelaxation(opened, exact.end - exact.options.now());
      if (opened.program.failed() || (solution.status === "infeasible" && hasTracks(core))) return "failed";
      if (solution.status === "limit") return "time";
      exact.options.worked?.(ROUND_ITERATIONS * iterationWork(core.graph));
      const proven = certifySolution(opened, solution, core.removed, goal);
      const before = this.#proven.bound;
      const gained = proven === null ? 0 : proven.bound - before;
      if (proven !== null && gained > 0) this.#proven = proven;
      const { bound } = this.#proven;
      this.#report(opened, bound);
      if (this.#isMet(bound) || this.#isNear(bound)) return "closed";
      if (solution.status === "infeasible") return "slow";
      if (isIntegral(solution, core) && isCheaper(solution, core, goal)) return tracksIn(solution, core);
      if (exact.isOver()) return "time";
      const next = this.#narrowed();
      if (next !== null && (next.core === null || openTriplets(next.core) < SMALLER * size)) return "smaller";
      slow = gained < SLOW * (this.#aim.cost - before) ? slow + 1 : 0;
      // Only after a gain: cuts that are dropped then cannot come back at the same bound.
      if (gained > 0) dropSlack(opened, solution);
      if (slow >= SLOW_ROUNDS || separate(opened, solution, true) === 0) return "slow";
    }
  }

  async #branch(opened: OpenRelaxation): Promise<Int32Array | Ending> {
    const { exact, proved, goal } = this;
    if (this.besides === null) exact.leaves = 0;
    const search = new TreeSearch(opened, this.#proven, goal, {
      ...exact.options,
      end: exact.end,
      met: (bound) => this.#isMet(bound),
      enter: (...part) => this.#enterPart(opened, ...part),
      isFull: (waiting) => exact.leaves + waiting >= exact.options.mostLeaves,
      report: (bound, leaves) => {
        exact.leaves += leaves;
        this.#report(opened, Math.max(proved.lowerBound, bound));
      },
    });
    const tree = await search.run();
    if (tree.tracks !== null) return this.#lifted(tree.tracks);
    proved.leaves = tree.leaves;
    proved.optimal = tree.closed && this.#aim.cost >= goal.cost;
    proved.raise(tree.bound, this.#aim);
    if (proved.optimal || this.#isMet(tree.bound) || this.#isNear(tree.bound)) return "closed";
    return opened.program.failed() ? "failed" : exact.isOver() ? "time" : "still";
  }

  /** Proves a part of the present core by an attempt of its own, if that has a much smaller core. */
  async #enterPart(
    { core: { graph } }: OpenRelaxation,
    part: Core,
    from: Multipliers,
    besides: number,
  ): Promise<Entered | null> {
    // A core without open triplets could be its own, over and over.
    if (openTriplets(part) <= 0) return null;
    const proved = new Proved();
    const most = tripletsOfTracks(graph) + SMALLER_PART * openTriplets(part);
    const outside = Math.min(besides, this.besides ?? besides);
    const ended = await new Attempt(this.exact, part, this.goal, this.limit, proved, most, outside).run([from]);
    if (ended === "large") return null;
    const { stages, leaves, lowerBound: bound, optimal: closed } = proved;
    return { bound, closed, proof: { stages, leaves }, tracks: typeof ended === "string" ? null : ended };
  }

  #report({ core, cuts }: OpenRelaxation, bound: number): void {
    const lowerBound = Math.min(bound, this.besides ?? bound, this.#aim.least);
    this.exact.report(core, cuts.length, lowerBound, this.goal);
  }

  /** Ends with the present stage, and with elimination by it. */
  #endHere(ending: Ending): Ending {
    this.proved.stages.push(this.#proven.multipliers);
    const last = this.#narrowed();
    if (last !== null) this.proved.raise(last.bound, this.#aim);
    this.proved.optimal = last?.core === null;
    return this.proved.optimal ? "closed" : ending;
  }

  /** Tracks of the present core as those of `whole`. */
  #lifted(tracks: Int32Array): Int32Array {
    return tracks.map((e) => (e === UNASSIGNED ? e : this.#edgeOf[e]));
  }
}

/** Triplets of a core besides those of the present tracks. */
function openTriplets({ graph }: Core): number {
  return graph.triplets.count - tripletsOfTracks(graph);
}
