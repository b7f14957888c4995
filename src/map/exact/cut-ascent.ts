import { createJvWorkspace } from "../../lap/jv/jv.js";
import type { Cut } from "../certificate/cuts.js";
import { createBundle, createBundleKernels } from "../dual/bundle.js";
import { createPairKernels, largestFrame } from "../dual/kernels.js";
import { FIRST_STEP, PASSES, ProximalStep, ROUNDS } from "../dual/proximal-step.js";
import { createAscentState } from "../dual/state.js";
import type { Graph } from "../instance/instance.js";
import type { Stage } from "../proof/proof.js";
import { createCutCoordinates } from "./plane-cuts.js";
import { keyOf, separateCliques } from "./separation.js";

export interface CutAscentOptions {
  /** Cost of the present tracks. */
  readonly upperBound: number;
  /** Whether a bound is as high as was asked for. */
  readonly met: (bound: number) => boolean;
  /** Iterations, rounds in which every X-LAP is solved once, and seconds at most. */
  readonly iterations: number;
  readonly time: number;
  readonly now: () => number;
  readonly interrupted?: () => boolean;
  readonly pause?: () => Promise<void>;
  /** Called with the ascent's own bound and the number of cuts. */
  readonly progress?: (bound: number, cuts: number) => void;
}

/** Planes kept for each frame pair. */
const PLANES = 10;

/** Evaluations before the first separation, and between two. */
const SEPARATE_EVERY = 10;
/** How far the combinations must violate a cut, how many a pair gets at once, and slack from which one without a multiplier goes. */
const LEAST = 0.05;
const CUTS_A_PAIR = 40;
const SLACK = 0.05;

/** Stalled when the gap has closed by less than this fraction in so many evaluations. */
const STILL = 0.01;
const WINDOW = 60;

/**
 * The bundle with clique inequalities as further multipliers (docs/explanation/proofs.md §4), from the multipliers at which it stalled without them. The cuts are
 * those that the bundle's own convex combinations of each pair's solutions violate. In f64 on the calling thread; any instance, implicit triplets
 * keep their fast minimum.
 * @returns multipliers and cuts as the first stage of a proof; the certificate computes the bound that they prove
 */
export async function ascendWithCuts(graph: Graph, start: Stage, options: CutAscentOptions): Promise<Stage> {
  const { now, upperBound } = options;
  const end = now() + options.time;
  const pairs = graph.frames - 1;
  const widest = largestFrame(graph);
  const state = createAscentState(graph);
  state.v.set(start.v);
  const bundle = createBundle(graph, PLANES);
  const priced = graph.cost.slice();
  const coordinates = createCutCoordinates(graph, state, bundle, priced);
  const kernels = {
    ...createPairKernels({ ...graph, cost: priced }, state, createJvWorkspace(widest, widest)),
    ...createBundleKernels(graph, state, bundle, coordinates),
  };
  const all = Array.from({ length: pairs }, (_, p) => p);
  const halves = [all.filter((p) => p % 2 === 0), all.filter((p) => p % 2 === 1)];

  const assign = (p: number): void => {
    coordinates.charge(p);
    kernels.price(p);
    coordinates.mend(p);
    kernels.assign(p);
  };
  const evaluate = (): number => {
    for (const p of all) assign(p);
    return state.pairValue.reduce((sum, value) => sum + value, -coordinates.constant());
  };
  const known = new Set<string>();
  const separate = (): number => {
    const found: Cut[] = [];
    for (const p of all) {
      const violated = separateCliques(graph, coordinates.point(p), LEAST, CUTS_A_PAIR, p);
      for (const { cut } of violated) {
        const key = keyOf(cut);
        if (!known.has(key)) found.push(cut);
        known.add(key);
      }
    }
    for (const cut of coordinates.dropSlack(SLACK)) known.delete(keyOf(cut));
    coordinates.add(found);
    return found.length;
  };

  let best = evaluate();
  const keep = (): void => {
    for (const p of all) kernels.keep(p);
    coordinates.keep();
  };
  keep();
  for (const p of all) kernels.subgradient(p);
  const norm = state.pairNorm.reduce((sum, value) => sum + value, 0);
  for (const p of all) kernels.start(p);
  const step = new ProximalStep(norm === 0 ? 1 : (FIRST_STEP * Math.max(upperBound - best, 0)) / norm);
  const history: number[] = [];

  for (let iteration = 0; iteration < options.iterations; iteration += PASSES + 1) {
    await options.pause?.();
    const { tau } = step;
    for (const p of all) kernels.stand(p, tau);
    coordinates.stand(tau);
    const refineKept = (): void => {
      for (let round = 0; round < ROUNDS; round++)
        for (const half of halves) for (const p of half) kernels.refineKept(p, tau);
    };
    for (let pass = 0; pass < PASSES; pass++) {
      refineKept();
      for (const half of halves) {
        for (const p of half) {
          assign(p);
          kernels.refine(p, tau);
        }
      }
    }
    refineKept();
    for (const p of all) kernels.measure(p);
    const model = bundle.model.reduce((sum, value) => sum + value, coordinates.model());
    const bound = evaluate();
    for (const p of all) kernels.collect(p);

    const gain = bound - best;
    step.took(gain, model - best);
    if (gain > 0) {
      best = bound;
      keep();
    }
    history.push(best);
    options.progress?.(best, coordinates.cuts.length);
    if (options.met(best) || now() >= end || options.interrupted?.() === true) break;
    const past = history.length - 1 - WINDOW;
    const still = past >= 0 && best - history[past] <= STILL * (upperBound - best);
    if (still || history.length % SEPARATE_EVERY === 0) {
      if (separate() === 0 && still) break;
    }
  }
  for (const p of all) kernels.restore(p);
  coordinates.restore();
  evaluate();
  const at = coordinates.cuts.flatMap((_, k) => (coordinates.mu[k] > 0 ? [k] : []));
  return {
    v: state.v.slice(),
    columnDual: state.columnDual.slice(),
    cuts: at.map((k) => coordinates.cuts[k]),
    cutMultipliers: Float64Array.from(at, (k) => coordinates.mu[k]),
  };
}
