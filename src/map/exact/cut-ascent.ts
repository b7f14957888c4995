import { createJvWorkspace } from "../../lap/jv/jv.js";
import type { Cut } from "../certificate/cuts.js";
import { type Bundle, type BundleKernels, createBundle, createBundleKernels } from "../dual/bundle.js";
import { createPairKernels, largestFrame, type PairKernels } from "../dual/kernels.js";
import { FIRST_STEP, PASSES, ProximalStep, ROUNDS } from "../dual/proximal-step.js";
import { type AscentState, createAscentState } from "../dual/state.js";
import type { Graph } from "../instance/instance.js";
import type { Stage } from "../proof/proof.js";
import { CutPrices } from "./cut-prices.js";
import { weighAs, weighDivisions, weighedCuts } from "./instance-cuts.js";
import { iterationWork } from "./patience.js";
import { CutCoordinates } from "./plane-cuts.js";
import { keyOf, separateCliques } from "./separation.js";

export interface CutAscentOptions {
  /** Cost of the present tracks. */
  readonly upperBound: number;
  /** Looks for better tracks by multipliers, and returns the cost of the best [never]. */
  readonly search?: ((multipliers: Stage) => number) | undefined;
  /** Whether a bound is as high as was asked for. */
  readonly met: (bound: number) => boolean;
  /** Iterations, rounds in which every X-LAP is solved once, and seconds at most. */
  readonly iterations: number;
  readonly time: number;
  readonly now: () => number;
  readonly interrupted?: () => boolean;
  readonly pause?: () => Promise<void>;
  /** Called with the ascent's bound and the number of cuts. */
  readonly progress?: (bound: number, cuts: number) => void;
  /** Told of the work of an evaluation and what goes before it, in edges and triplets gone through. */
  readonly worked?: (work: number) => void;
}

/** Evaluations before the first separation, and between two; and between two searches for tracks. */
const SEPARATE_EVERY = 10;
const SEARCH_EVERY = 20;
/** How far the combinations must violate a cut; cuts that a pair gets at once; slack beyond which a cut without a multiplier is dropped. */
const LEAST = 0.05;
const CUTS_A_PAIR = 40;
const SLACK = 0.05;

/** Stalled when the gap has closed by less than this fraction in a window of evaluations. */
const STILL = 0.01;
const WINDOW = 60;

/** How much longer an iteration takes than one of the ascent, which goes through what has moved alone (patience.ts). */
const CUT_WORK = 1.5;

/**
 * The bundle with clique inequalities as further multipliers (docs/explanation/proofs.md §4), from the multipliers at which it stalled without them. The cuts are
 * those that the bundle's own convex combinations of each pair's solutions violate. In f64 on the calling thread; any instance, implicit triplets
 * keep their fast minimum.
 * @returns multipliers and cuts as the first stage of a proof; the certificate computes the bound that they prove
 */
export async function ascendWithCuts(graph: Graph, initial: Stage, options: CutAscentOptions): Promise<Stage> {
  const { now } = options;
  let { upperBound } = options;
  const end = now() + options.time;
  const ascent = new CutAscent(graph, initial);
  let best = ascent.evaluate();
  ascent.keep();
  const norm = ascent.beginBundle();
  const step = new ProximalStep(norm === 0 ? 1 : (FIRST_STEP * Math.max(upperBound - best, 0)) / norm);
  const history: number[] = [];

  for (let iteration = 0; iteration < options.iterations; iteration += PASSES + 1) {
    await options.pause?.();
    ascent.refine(step.tau);
    const model = ascent.model();
    const bound = ascent.evaluate();
    ascent.collectPlanes();
    options.worked?.(CUT_WORK * (PASSES + 1) * iterationWork(graph));

    const gain = bound - best;
    step.took(gain, model - best);
    if (gain > 0) {
      best = bound;
      ascent.keep();
    }
    history.push(best);
    options.progress?.(best, ascent.cuts);
    if (options.met(best) || now() >= end || options.interrupted?.() === true) break;
    const past = history.length - 1 - WINDOW;
    const still = past >= 0 && best - history[past] <= STILL * (upperBound - best);
    if (options.search && history.length % SEARCH_EVERY === 0) upperBound = options.search(ascent.best());
    if (still || history.length % SEPARATE_EVERY === 0) {
      if (ascent.separate() === 0 && still) break;
    }
  }
  return ascent.best();
}

/** The steps of the ascent, each over all frame pairs. */
class CutAscent {
  readonly #state: AscentState;
  readonly #bundle: Bundle;
  readonly #prices: CutPrices;
  readonly #coordinates: CutCoordinates;
  readonly #kernels: PairKernels & BundleKernels;
  readonly #pairs: readonly number[];
  /** The pairs of one parity, then the others. */
  readonly #halves: readonly (readonly number[])[];
  /** Keys of the present cuts. */
  readonly #known = new Set<string>();

  constructor(
    private readonly graph: Graph,
    initial: Stage,
  ) {
    const widest = largestFrame(graph);
    // Cuts may charge a triplet.
    this.#state = { ...createAscentState(graph), tiedByUse: false };
    this.#state.v.set(initial.v);
    weighAs(graph, this.#state, initial);
    this.#bundle = createBundle(graph);
    this.#prices = new CutPrices(graph, this.#state);
    this.#coordinates = new CutCoordinates(graph, this.#bundle);
    const priced = { ...graph, cost: this.#prices.cost };
    this.#kernels = {
      ...createPairKernels(priced, this.#state, createJvWorkspace(widest, widest)),
      ...createBundleKernels(graph, this.#state, this.#bundle, this.#coordinates),
    };
    this.#pairs = Array.from({ length: graph.frames - 1 }, (_, p) => p);
    for (const p of this.#pairs) this.#kernels.price(p);
    weighDivisions(graph, this.#state, initial.columnDual);
    this.#halves = [0, 1].map((parity) => this.#pairs.filter((p) => p % 2 === parity));
  }

  get cuts(): number {
    return (
      this.#coordinates.cuts.length +
      (this.#state.exclusions?.mu.length ?? 0) +
      (this.#state.cliques?.size.reduce((sum, rows) => sum + rows, 0) ?? 0)
    );
  }

  /** Solves all pairs at the present multipliers; returns the bound. */
  evaluate(): number {
    for (const p of this.#pairs) this.#assign(p);
    return this.#state.pairValue.reduce((sum, value) => sum + value, -this.#coordinates.constant());
  }

  #assign(p: number): void {
    this.#prices.charge(p, this.#coordinates.ofPair(p));
    this.#kernels.price(p);
    this.#prices.mend();
    this.#kernels.assign(p);
  }

  /** Makes the present multipliers the centre. */
  keep(): void {
    for (const p of this.#pairs) this.#kernels.keep(p);
    this.#coordinates.keep();
  }

  /** Sets the bundle to the last solutions; returns the squared norm of their subgradient. */
  beginBundle(): number {
    for (const p of this.#pairs) this.#kernels.subgradient(p);
    for (const p of this.#pairs) this.#kernels.begin(p);
    return this.#state.pairNorm.reduce((sum, value) => sum + value, 0);
  }

  /** Moves towards the optimum of the proximal model around the centre, by kept planes and new ones. */
  refine(tau: number): void {
    for (const p of this.#pairs) this.#kernels.stand(p, tau);
    for (let pass = 0; pass < PASSES; pass++) {
      this.#refineKept(tau);
      for (const p of this.#halves.flat()) {
        this.#assign(p);
        this.#kernels.refine(p, tau);
      }
    }
    this.#refineKept(tau);
  }

  #refineKept(tau: number): void {
    for (let round = 0; round < ROUNDS; round++)
      for (const half of this.#halves) for (const p of half) this.#kernels.refineKept(p, tau);
  }

  /** The bundle's model of the bound. */
  model(): number {
    for (const p of this.#pairs) this.#kernels.measure(p);
    return this.#bundle.model.reduce((sum, value) => sum + value, 0);
  }

  /** Adds the planes of the last solutions. */
  collectPlanes(): void {
    for (const p of this.#pairs) this.#kernels.collect(p);
  }

  /** Adds the cuts that the combinations violate, and drops those with slack; returns how many are new. */
  separate(): number {
    const found = this.#pairs.map((p): readonly Cut[] => {
      const violated = separateCliques(this.graph, this.#coordinates.point(p), LEAST, CUTS_A_PAIR, p);
      return violated.flatMap(({ cut }) => {
        const key = keyOf(cut);
        const isKnown = this.#known.has(key);
        this.#known.add(key);
        return isKnown ? [] : [cut];
      });
    });
    for (const cut of this.#coordinates.dropSlack(SLACK)) this.#known.delete(keyOf(cut));
    for (const [p, cuts] of found.entries()) this.#coordinates.add(p, cuts);
    return found.flat().length;
  }

  /** Multipliers and cuts at the centre. */
  best(): Stage {
    for (const p of this.#pairs) this.#kernels.restore(p);
    this.#coordinates.restore();
    this.evaluate();
    const cliques = this.#coordinates.cuts.filter(({ mu }) => mu > 0);
    const ofInstance = weighedCuts(this.graph, this.#state);
    return {
      v: this.#state.v.slice(),
      columnDual: this.#state.columnDual.slice(),
      cuts: [...ofInstance.cuts, ...cliques.map(({ cut }) => cut)],
      cutMultipliers: Float64Array.from([...ofInstance.cutMultipliers, ...cliques.map(({ mu }) => mu)]),
    };
  }
}
