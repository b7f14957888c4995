import { invariant } from "../../core/errors.js";
import type { Gate } from "../../costs/gate.js";
import type { COST_MODELS } from "../../costs/models/cost-models.js";
import { priceDetections } from "../../costs/price-detections.js";
import type { GpuSession } from "../../gpu/session.js";
import { certifyBound } from "../../map/certificate/certificate.js";
import { createCpuSteps } from "../../map/dual/cpu-steps.js";
import type { AscentSteps } from "../../map/dual/steps.js";
import { createGpuSteps } from "../../map/gpu/gpu-steps.js";
import { buildGraph } from "../../map/instance/build.js";
import type { Graph } from "../../map/instance/instance.js";
import { solve } from "../../map/solve.js";
import { simulate } from "../../simulation/trajectories.js";
import { DenseAscent } from "../naive/dense-ascent.js";
import type { BenchOptions, BenchSize } from "./bench.js";

/** The input of a certificate: v by edge and β by detection. */
export interface Duals {
  readonly v: Float64Array;
  readonly columnDual: Float64Array;
}

/** The parts of an iteration of [K23] Algorithm 1 (its Fig. 2). */
export type StepSeconds = Readonly<Record<"yLsap" | "xLap" | "distribution", number>>;

/** The steps of [K23] Algorithm 1 that every engine has, so that all are timed in the same way. */
export interface RmapEngine {
  /** Multipliers of 0, X-LAPs from a cold start, and nothing left to do. */
  reset(): Promise<void>;
  /** Y-LSAPs and X-LAPs at the present multipliers. */
  assign(): Promise<void>;
  /** Y-LSAPs alone. */
  price(): Promise<void>;
  /** v −= r, the reduced costs of the last X-LAPs. */
  distribute(): Promise<void>;
  /** Resolves when all that was asked for has run. */
  finished(): Promise<void>;
  /** On the host; valid until the next step. */
  read(): Promise<Duals>;
  /** Host waits so far; null where they are not counted. */
  waits(): number | null;
  /** Seconds by step so far; null where nobody waits for the end of a step. */
  stepSeconds(): StepSeconds | null;
  close(): Promise<void>;
}

/** The scenario of [K23] §IV-A with the defaults of rmap simulate, as scenarios/paper. */
export async function paperInstance({ n, t }: BenchSize, gate: Gate, { seed, threads }: BenchOptions): Promise<Graph> {
  const detections = simulate({ targets: n, frames: t }, seed);
  const parameters = { cost: "spline" satisfies keyof typeof COST_MODELS, gate, birthDeath: "none" } as const;
  return buildGraph(await priceDetections(detections, parameters, { threads })).graph;
}

/** With the kernels that the bench compares, whatever the density is. */
export async function enhancedEngine(session: GpuSession, graph: Graph, now: () => number): Promise<RmapEngine> {
  return engineOf(await createGpuSteps(session, graph, { now, xLaps: "block-hungarian" }));
}

export function cpuEngine(graph: Graph, threads: number, now: () => number): RmapEngine {
  return engineOf(createCpuSteps(graph, { threads, now }));
}

function engineOf(steps: AscentSteps): RmapEngine {
  return {
    async reset() {
      await steps.reset();
      await steps.finished();
    },
    assign: () => steps.assign(),
    price: () => steps.price(),
    distribute: () => steps.pushReducedCosts(1),
    finished: () => steps.finished(),
    read: () => steps.read(),
    waits: () => null,
    stepSeconds() {
      if (steps.precision === "f32") return null;
      const { yLsap, xLap, distribution } = steps.times;
      return { yLsap, xLap, distribution };
    },
    close: () => steps.close(),
  };
}

/** The host waits for the end of each step, so that its clock has their times. */
export async function naiveEngine(session: GpuSession, graph: Graph, now: () => number): Promise<RmapEngine> {
  const dense = await DenseAscent.create(session, graph);
  const seconds = { yLsap: 0, xLap: 0, distribution: 0 };
  const timed = async (step: keyof StepSeconds, work: () => Promise<void>) => {
    const begin = now();
    await work();
    seconds[step] += now() - begin;
  };
  return {
    reset: () => dense.reset(),
    async assign() {
      await timed("yLsap", () => dense.takeLeast());
      await timed("xLap", () => dense.assign());
    },
    price: () => dense.takeLeast(),
    distribute: () => timed("distribution", () => dense.distribute()),
    finished: () => session.finished(),
    read: () => dense.read(),
    waits: () => dense.waits,
    stepSeconds: () => ({ ...seconds }),
    close: async () => dense.destroy(),
  };
}

/** Iterations and seconds for the tracks that bounds are held against. */
const TRACKS_ITERATIONS = 10;
const TRACKS_SECONDS = 15;

/** Cost of some tracks: no certified bound may lie above it. */
export async function upperBoundOf(graph: Graph, { session, now }: BenchOptions): Promise<number> {
  const steps = await createGpuSteps(session, graph, { now, xLaps: "block-hungarian" });
  const limits = { iterations: TRACKS_ITERATIONS, gap: 1e-4, time: TRACKS_SECONDS };
  const { upperBound } = await solve(graph, steps, { ascent: "bundle", ...limits, now }).finally(() => steps.close());
  invariant(Number.isFinite(upperBound), () => "no allowed set of tracks was found, no time is reported");
  return upperBound;
}

/** The bound that multipliers and duals prove, in f64. */
export function certifiedBound({ v, columnDual }: Duals, graph: Graph, upperBound: number): number {
  const { lowerBound } = certifyBound(graph, v, columnDual);
  const isProof = Number.isFinite(lowerBound) && lowerBound <= upperBound;
  invariant(isProof, () => `bound ${lowerBound} against tracks of ${upperBound}: no time is reported`);
  return lowerBound;
}
