import type { JvWorkspace } from "../../lap/jv/jv.js";
import { solveJv } from "../../lap/jv/jv.js";
import { UNASSIGNED } from "../../lap/lap.js";
import type { Graph } from "../instance/instance.js";
import { createCliqueSteps } from "./cliques.js";
import { createExclusionSteps } from "./exclusions.js";
import { slackOf } from "./slack.js";
import { type AscentState, pairLap } from "./state.js";
import { createUsePrices } from "./uses.js";
import { createYLsap } from "./y-lsap.js";

/**
 * The steps of the dual ascent on one frame pair, f64 on the CPU. Each reads its own pair and a neighbour and writes its own
 * (pushRight and pull also the next or last one), so the pairs of a step, all or those of one parity, may run at once, on
 * any number of threads, with equal results.
 */
export interface PairKernels {
  /** Y-LSAP: Δ_e, the triplet that attains it, and Ĉ_e for the edges of the pair. */
  price(pair: number): void;
  /** The same where every v that has moved since was noted in `staleDelta`: other Δ stay as they are. */
  reprice(pair: number): void;
  /** X-LAP: matching, duals and value for Ĉ of the pair, warm-started from the last ones. */
  assign(pair: number): void;
  /** `reprice` and `assign` where triplets are free, but for Δ of links, which `reprice` makes where it is needed. */
  assignUses(pair: number): void;
  /** Takes the slack of the triplets that end in the pair: v_f += min_e (D_ef − v_f − Δ_e), with Δ of the pair before recomputed. */
  pull(pair: number): void;
  /** Gives `share` of the X-LAP's reduced cost r_e to the triplets before: v_e −= share · r_e. */
  pushLeft(pair: number, share: number): void;
  /** Gives `share` of it to the triplets after: v_f += min_e (D_ef − v_f − Δ_e + share · r_e), f in the next pair. */
  pushRight(pair: number, share: number): void;
  /** g_e = x_e − Σ y_·e and its squared norm, from the last assignments of the pair and the one before. */
  subgradient(pair: number): void;
  /** v_e += step · g_e. */
  follow(pair: number, step: number): void;
  /** kept_e = v_e. */
  keep(pair: number): void;
  /** v_e = kept_e. */
  restore(pair: number): void;
}

export function createPairKernels(graph: Graph, state: AscentState, workspace: JvWorkspace): PairKernels {
  const { frames, frameStart, edgeStart, birthStart, deathOf, birthOf, cost } = graph;
  const { v, delta, bestSuccessor, reduced, linkOfRow, rowOfColumn, pairValue, warm } = state;
  const { gradient, pairNorm, kept, staleDelta, tiedByUse } = state;
  const laps = Array.from({ length: frames - 1 }, (_, p) => pairLap(graph, state, reduced, p));
  const yLsap = createYLsap(graph, state);
  const uses = tiedByUse ? createUsePrices(graph, state) : null;
  const [ofExclusions, ofCliques] = [createExclusionSteps(graph, state), createCliqueSteps(graph, state)];
  const inequalities = [ofExclusions, ofCliques].filter((each) => each !== null);

  const reducedCost = slackOf(graph, state);

  /** v_f = min_e (D_ef − Δ_e + share · r_e): the highest v that leaves no triplet of pair p with negative slack. */
  const raiseNext = (p: number, share: number): void => {
    yLsap.raise(p, share === 0 ? (e) => -delta[e] : (e) => share * reducedCost(e) - delta[e]);
    allMoved(p + 1);
  };

  const allMoved = (frame: number): void => {
    staleDelta.fill(1, frameStart[frame], frameStart[frame + 1]);
  };

  return {
    price(p) {
      allMoved(p + 1);
      this.reprice(p);
    },
    reprice(p) {
      for (const each of inequalities) each.ready?.(p);
      yLsap.price(p);
      staleDelta.fill(0, frameStart[p + 1], frameStart[p + 2]);
      for (let e = edgeStart[p]; e < edgeStart[p + 1]; e++) reduced[e] = cost[e] + v[e] + delta[e];
      for (const each of inequalities) each.charge(p);
    },
    assign(p) {
      const { problem, solution } = laps[p];
      const outcome = solveJv(problem, solution, workspace, { warm: warm[p] === 1 });
      warm[p] = outcome.status === "optimal" ? 1 : 0;
      pairValue[p] = outcome.status === "optimal" ? outcome.cost : Number.POSITIVE_INFINITY;
      for (const each of inequalities) pairValue[p] -= each.constant(p);
    },
    assignUses(p) {
      ofExclusions?.ready?.(p);
      uses?.price(p);
      ofCliques?.charge(p);
      this.assign(p);
      uses?.follow(p);
    },
    pull(p) {
      if (p === 0) return;
      this.price(p - 1);
      raiseNext(p - 1, 0);
    },
    pushLeft(p, share) {
      if (p === 0) return;
      if (tiedByUse) pushUses(graph, p, v, (e) => share * reducedCost(e));
      else for (let e = edgeStart[p]; e < birthStart[p]; e++) v[e] -= share * reducedCost(e);
      allMoved(p);
    },
    pushRight(p, share) {
      if (p + 2 < frames) raiseNext(p, share);
    },
    subgradient(p) {
      pairNorm[p] = 0;
      for (const each of inequalities) pairNorm[p] += each.subgradient(p);
      if (p === 0) return;
      gradient.fill(0, edgeStart[p], birthStart[p]);
      for (let i = frameStart[p]; i < frameStart[p + 1]; i++) {
        gradient[linkOfRow[i] === UNASSIGNED ? deathOf[i] : linkOfRow[i]] += 1;
        const row = rowOfColumn[i];
        const into = row === UNASSIGNED ? birthOf[i] : linkOfRow[frameStart[p - 1] + row];
        gradient[bestSuccessor[into]] -= 1;
      }
      if (tiedByUse) keepUses(graph, p, gradient);
      let norm = pairNorm[p];
      for (let e = edgeStart[p]; e < birthStart[p]; e++) norm += gradient[e] * gradient[e];
      pairNorm[p] = norm;
    },
    follow(p, step) {
      for (const each of inequalities) each.follow(p, step);
      if (p === 0) return;
      for (let e = edgeStart[p]; e < birthStart[p]; e++) v[e] += step * gradient[e];
      allMoved(p);
    },
    keep(p) {
      for (const each of inequalities) each.keep(p);
      for (let e = edgeStart[p]; e < birthStart[p]; e++) kept[e] = v[e];
    },
    restore(p) {
      for (const each of inequalities) each.restore(p);
      for (let e = edgeStart[p]; e < birthStart[p]; e++) v[e] = kept[e];
      allMoved(p);
    },
  };
}

/** `pushLeft` where only v of deaths moves: a death's share less that of the cheapest link beside it. */
function pushUses(
  { frameStart, linkStart, linkEnd, deathOf, motherOf }: Graph,
  p: number,
  v: Float64Array,
  pushed: (e: number) => number,
): void {
  for (let i = frameStart[p]; i < frameStart[p + 1]; i++) {
    if (motherOf !== null && motherOf[i] !== UNASSIGNED) continue;
    let least = Number.POSITIVE_INFINITY;
    for (let e = linkStart[i]; e < linkEnd[i]; e++) least = Math.min(least, pushed(e));
    if (least < Number.POSITIVE_INFINITY) v[deathOf[i]] -= pushed(deathOf[i]) - least;
  }
}

/** Leaves of a subgradient what is of edges whose v moves, where that is of deaths alone. */
function keepUses(
  { frameStart, edgeStart, deathStart, deathOf, motherOf }: Graph,
  p: number,
  gradient: Float64Array,
): void {
  gradient.fill(0, edgeStart[p], deathStart[p]);
  for (let i = frameStart[p]; motherOf !== null && i < frameStart[p + 1]; i++)
    if (motherOf[i] !== UNASSIGNED) gradient[deathOf[i]] = 0;
}

/** Rows and columns of the widest X-LAP of an instance. */
export function largestFrame(graph: Graph): number {
  let largest = 0;
  for (let p = 0; p < graph.frames; p++) {
    largest = Math.max(largest, graph.frameStart[p + 1] - graph.frameStart[p]);
  }
  return largest;
}
