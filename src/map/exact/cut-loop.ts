import { UNASSIGNED } from "../../lap/lap.js";
import type { Cut } from "../certificate/cuts.js";
import { refuteTracks } from "../certificate/price-tracks.js";
import { fileOrder } from "../instance/edges.js";
import { isLink } from "../instance/instance.js";
import type { Core } from "../proof/core.js";
import type { Multipliers } from "../proof/proof.js";
import { instanceCuts } from "./instance-cuts.js";
import {
  type LinearProgramSolution,
  type OpenLinearProgram,
  openTolerant,
  type TolerantProgram,
} from "./linear-program.js";
import { separateOddHoles } from "./odd-holes.js";
import { costOf } from "./paid.js";
import { Relaxation } from "./relaxation.js";
import { keyOf, separateCliques, type Violated } from "./separation.js";
import { type Goal, type ReducedCosts, reduceCore } from "./stages.js";

/** Multipliers with the cuts they weigh, and the bound that they certify over a core. */
export interface Proven {
  readonly bound: number;
  readonly multipliers: Multipliers;
  readonly reduced: ReducedCosts;
}

/** The relaxation of a core in a solver of linear programs, with the cuts added so far. */
export interface OpenRelaxation {
  readonly core: Core;
  readonly relaxation: Relaxation;
  readonly program: TolerantProgram;
  /** The bound that its objective counts from, with the cost of edges and triplets that have no column. */
  readonly offset: number;
  readonly cuts: Cut[];
  /** How many of them, the first ones, the instance states. */
  readonly stated: number;
  readonly known: Set<string>;
}

/** A solution of the linear program as a point over the core: x by edge, then y by triplet. */
export interface RelaxationSolution extends LinearProgramSolution {
  /** Values of the columns. */
  readonly columns: Float64Array;
}

export function solveRelaxation({ relaxation, program }: OpenRelaxation, seconds: number): RelaxationSolution {
  const solution = program.solve({ seconds: Math.max(0.01, seconds) });
  return { ...solution, value: relaxation.pointOf(solution.value), columns: solution.value };
}

export function openRelaxation(
  core: Core,
  reduced: ReducedCosts,
  cuts: readonly Cut[],
  open: OpenLinearProgram,
): OpenRelaxation {
  const relaxation = new Relaxation(core, reduced);
  const program = openTolerant(open, relaxation.data);
  const offset = reduced.constant + relaxation.constant;
  const stated = instanceCuts(core.graph);
  const opened: OpenRelaxation = {
    core,
    relaxation,
    program,
    offset,
    cuts: [],
    stated: stated.length,
    known: new Set(),
  };
  for (const cut of stated) addCut(opened, cut);
  for (const cut of cuts) addCut(opened, cut);
  return opened;
}

/** Adds a cut that is not there yet; returns whether it was added. */
function addCut({ relaxation, program, cuts, known }: OpenRelaxation, cut: Cut): boolean {
  const key = keyOf(cut);
  if (known.has(key)) return false;
  known.add(key);
  cuts.push(cut);
  const { index, value, right } = relaxation.rowOf(cut);
  program.addRow(index, value, right);
  return true;
}

/** A cut that is farther from being tight than this, and has no multiplier, is dropped; it may come back. */
const SLACK = 0.05;

/** Drops the cuts that a solution does not need, so that the linear program stays small; returns how many. */
export function dropSlack(
  { relaxation, program, cuts, stated, known }: OpenRelaxation,
  solution: RelaxationSolution,
): number {
  const rows = relaxation.data.right.length;
  const dropped = cuts.flatMap((cut, k) => {
    if (k < stated) return [];
    if (Math.abs(solution.rowDual[rows + k]) > 1e-9) return [];
    const { index, value, right } = relaxation.rowOf(cut);
    const sum = index.reduce((total, column, n) => total + value[n] * solution.columns[column], 0);
    return sum < right - SLACK ? [k] : [];
  });
  program.dropRows(dropped);
  for (const k of [...dropped].reverse()) known.delete(keyOf(cuts.splice(k, 1)[0]));
  return dropped.length;
}

/** What a solve certifies over the core with some more edges removed: by its duals, or by the ray where there is no solution. */
export function certifySolution(
  opened: OpenRelaxation,
  solution: LinearProgramSolution,
  removed: Uint8Array,
  { cost }: Goal,
): Proven | null {
  if (solution.status !== "infeasible") return certifyDuals(opened, solution, removed);
  const ray = opened.program.ray();
  if (ray === null) return null;
  // Gain of the ray per unit, cuts included, and the gain that is missing at the multipliers from which the program counts.
  const { relaxation, cuts, offset } = opened;
  const right = [...relaxation.data.right, ...cuts.map((cut) => relaxation.rowOf(cut).right)];
  const worth = right.reduce((sum, b, n) => sum + b * ray[n], 0);
  const missing = Math.max(cost - (offset - relaxation.constant), 1e-12);
  let best: Proven | null = null;
  for (const sign of [1, -1]) {
    for (const scale of [2, 100]) {
      const step = (sign * scale * missing) / Math.max(Math.abs(worth), 1e-12);
      const proven = certifyDuals(opened, { rowDual: ray.map((value) => value * step) }, removed);
      if (best === null || proven.bound > best.bound) best = proven;
    }
  }
  return best;
}

/** The bound that the duals of a solution certify over the core with some more edges removed. */
export function certifyDuals(
  { core, relaxation, cuts }: OpenRelaxation,
  { rowDual }: Pick<LinearProgramSolution, "rowDual">,
  removed: Uint8Array,
): Proven {
  const { v, columnDual, cutMultipliers: mu } = relaxation.multipliersOf(rowDual, cuts);
  // Cuts of multiplier 0 contribute nothing.
  const at = cuts.flatMap((_, k) => (mu[k] > 0 ? [k] : []));
  const cutMultipliers = Float64Array.from(at, (k) => mu[k]);
  return certify(core, { v, columnDual, cuts: at.map((k) => cuts[k]), cutMultipliers }, removed);
}

/** The bound that multipliers certify over a core without the edges that are removed; `joins` as in `reduce`. */
export function certify(
  core: Core,
  { v, columnDual, cuts, cutMultipliers }: Multipliers,
  removed = core.removed,
  joins = true,
): Proven {
  const multipliers = { v, columnDual, cuts, cutMultipliers };
  const reduced = reduceCore(core, multipliers, removed, joins);
  return { bound: reduced.constant, multipliers, reduced };
}

/** Whether an x of a solution is neither 0 nor 1. */
export function isFractional(x: number): boolean {
  return Math.abs(x - Math.round(x)) > 1e-6;
}

/** Whether a solution over a core is a set of tracks. */
export function isIntegral({ value }: LinearProgramSolution, { graph }: Core): boolean {
  return !value.subarray(0, graph.edges).some(isFractional);
}

/** Whether an integral solution over a core is cheaper than the tracks, both priced alike: its objective is rounded. */
export function isCheaper(solution: LinearProgramSolution, core: Core, { cost }: Goal): boolean {
  const tracks = tracksIn(solution, core);
  // A program that is wrong may answer with links that are no tracks.
  return refuteTracks(core.graph, tracks) === null && costOf(core.graph, tracks) < cost;
}

export function tracksIn({ value }: LinearProgramSolution, { graph }: Core): Int32Array {
  const { frames, frameStart, edges, tail } = graph;
  const tracks = new Int32Array(frameStart[frames]).fill(UNASSIGNED);
  for (let e = 0; e < edges; e++) if (isLink(graph, e) && value[e] > 0.5) tracks[tail[e]] = e;
  return tracks;
}

/** How far a point must violate a cut, and how many are added in a round. */
const CLIQUE_LEAST = 0.02;
const HOLE_LEAST = 0.03;
const CLIQUES_A_ROUND = 3000;
const HOLES_A_ROUND = 100;

/** Cuts that the solution violates: cliques, and odd holes where there are hardly any. */
export function separate(opened: OpenRelaxation, { value }: LinearProgramSolution, oddHoles: boolean): number {
  const { graph } = opened.core;
  const x = value.subarray(0, graph.edges);
  const y = value.subarray(graph.edges);
  const add = (found: readonly Violated[]): number =>
    found.reduce((count, { cut }) => count + (addCut(opened, cut) ? 1 : 0), 0);
  const cliques = add(separateCliques(graph, { x, y: valuesOf(opened, y) }, CLIQUE_LEAST, CLIQUES_A_ROUND));
  if (cliques >= 3 || !oddHoles) return cliques;
  return cliques + add(separateOddHoles(graph, x, y, HOLE_LEAST, HOLES_A_ROUND));
}

/** The triplets of a solution that are not 0. */
function valuesOf({ core: { graph } }: OpenRelaxation, y: Float64Array): [number, number, number][] {
  const { triplets } = graph;
  if (triplets.kind !== "csr") throw new Error("a core has stored triplets");
  const values: [number, number, number][] = [];
  for (const e of fileOrder(graph)) {
    for (let t = triplets.rowStart[e]; t < triplets.rowStart[e + 1]; t++)
      if (y[t] > 0) values.push([e, triplets.successor[t], y[t]]);
  }
  return values;
}
