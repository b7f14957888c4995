import { tripletList } from "../../lab/truth/highs.js";
import { createJvWorkspace } from "../../src/lap/jv/jv.js";
import { createPairKernels, largestFrame, type PairKernels } from "../../src/map/dual/kernels.js";
import { type AscentState, createAscentState } from "../../src/map/dual/state.js";
import { buildGraph } from "../../src/map/instance/build.js";
import type { Graph } from "../../src/map/instance/instance.js";
import type { PricedProblem } from "../../src/map/instance/priced.js";
import { randomMultipliers, randomProblem } from "./problems.js";

/** The ascent's state on a small instance, and its formulas written down slowly. Costs and multipliers lie on a grid. */
export interface Scene {
  readonly problem: PricedProblem;
  readonly graph: Graph;
  readonly state: AscentState;
  readonly kernels: PairKernels;
  readonly pairs: number;
}

/** A small instance at random multipliers; only those that exist are set. */
export function scene(recipe: Parameters<typeof randomProblem>[0], seed: number): Scene {
  const problem = randomProblem(recipe);
  const { graph } = buildGraph(problem);
  const state = createAscentState(graph);
  const widest = largestFrame(graph);
  const kernels = createPairKernels(graph, state, createJvWorkspace(widest, widest));
  setMultipliers({ graph, state }, seed);
  return { problem, graph, state, kernels, pairs: graph.frames - 1 };
}

export function setMultipliers({ graph, state }: Pick<Scene, "graph" | "state">, seed: number): void {
  const values = randomMultipliers(graph.edges, 1, seed);
  const moves = ({ tail, head, motherOf }: Graph, f: number): boolean =>
    !state.tiedByUse || (head[f] < 0 && !(motherOf !== null && motherOf[tail[f]] >= 0));
  for (const f of multiplied(graph)) if (moves(graph, f)) state.v[f] = 2 ** -10 * Math.round(values[f] * 2 ** 10);
}

/** Edges that have a multiplier: links and deaths that leave a detection of the second frame or a later one. */
export function multiplied({ edges, tail, frameStart }: Graph): number[] {
  return Array.from({ length: edges }, (_, e) => e).filter((e) => tail[e] >= frameStart[1]);
}

export function evaluate({ kernels, state, pairs }: Scene): number {
  let sum = 0;
  for (let p = 0; p < pairs; p++) {
    kernels.price(p);
    kernels.assign(p);
    sum += state.pairValue[p];
  }
  return sum;
}

/** Δ_e = min_f (D_ef − v_f), 0 where e has no triplets. */
export function slowDelta(graph: Graph, v: Float64Array): Float64Array {
  const delta = new Float64Array(graph.edges).fill(Number.POSITIVE_INFINITY);
  for (const { e, f, cost } of tripletList(graph)) delta[e] = Math.min(delta[e], cost - v[f]);
  return delta.map((value) => (value === Number.POSITIVE_INFINITY ? 0 : value));
}

export function pairOf({ frameStart, tail, head }: Graph, e: number): number {
  const frameOf = (d: number) => frameStart.findIndex((start, p) => start <= d && d < frameStart[p + 1]);
  return tail[e] >= 0 ? frameOf(tail[e]) : frameOf(head[e]) - 1;
}

export function slowReducedCost({ graph, state }: Scene, e: number): number {
  const { tail, head, cost } = graph;
  const delta = slowDelta(graph, state.v)[e];
  const duals = (tail[e] < 0 ? 0 : state.rowDual[tail[e]]) + (head[e] < 0 ? 0 : state.columnDual[head[e]]);
  return cost[e] + state.v[e] + delta - duals;
}

/** Edges of the last assignments: links, and deaths and births of what is not linked. */
export function chosen({ graph, state }: Scene): number[] {
  const { frames, frameStart, links, edges, deathOf, birthOf } = graph;
  const open = edges > links;
  const list: number[] = [];
  for (let d = 0; d < frameStart[frames - 1]; d++) {
    if (state.linkOfRow[d] >= 0) list.push(state.linkOfRow[d]);
    else if (open) list.push(deathOf[d]);
  }
  for (let d = frameStart[1]; open && d < frameStart[frames]; d++) {
    if (state.rowOfColumn[d] < 0) list.push(birthOf[d]);
  }
  return list;
}
