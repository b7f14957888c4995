import type { Gate } from "../../costs/gate.js";
import { relativeGap } from "../../map/certificate/gap.js";
import type { BenchOptions, BenchSize, Comparison } from "./bench.js";
import {
  certifiedBound,
  cpuEngine,
  type Duals,
  enhancedEngine,
  naiveEngine,
  paperInstance,
  type RmapEngine,
  type StepSeconds,
  upperBoundOf,
} from "./engines.js";
import { repeated, type Spread, scaled } from "./timing.js";

interface Timed {
  readonly seconds: Spread;
  readonly lowerBound: number;
  readonly iterations: number;
  readonly waits: number | null;
  /** Of the last repetition, whose seconds are `lastSeconds`. */
  readonly stepSeconds: StepSeconds | null;
  readonly lastSeconds: number;
}

/** Times `iterations` iterations of [K23] Algorithm 1, from multipliers of 0 to multipliers and duals on the host. */
export async function benchSolve(
  size: BenchSize,
  gate: Gate,
  iterations: number,
  options: BenchOptions,
): Promise<Comparison> {
  const { session, now, threads, timeLimit } = options;
  const graph = await paperInstance(size, gate, options);
  const upperBound = await upperBoundOf(graph, options);
  const bench = async (engine: RmapEngine, limit: number): Promise<Timed> => {
    try {
      const { found, ...timed } = await timeIterations(engine, iterations, limit, options);
      // After the timings, so that the device does not idle between them.
      const bounds = found.map((duals) => certifiedBound(duals, graph, upperBound));
      return { ...timed, lowerBound: Math.min(...bounds) };
    } finally {
      await engine.close();
    }
  };
  const unlimited = Number.POSITIVE_INFINITY;
  const cpu = await bench(cpuEngine(graph, threads, now), unlimited);
  const enhanced = await bench(await enhancedEngine(session, graph, now), unlimited);
  const naive = await bench(await naiveEngine(session, graph, now), timeLimit);
  const results = { naive, enhanced, cpu };
  const each = (value: (timed: Timed) => number) =>
    Object.fromEntries(Object.entries(results).map(([name, timed]) => [name, value(timed)]));
  return {
    naiveSeconds: naive.seconds,
    enhancedSeconds: enhanced.seconds,
    cpuSeconds: cpu.seconds,
    ...(naive.iterations < iterations && { atLeast: true }),
    details: {
      iterations,
      naiveIterations: naive.iterations,
      waits: naive.waits,
      stepSeconds: { naive: stepsOf(naive), cpu: stepsOf(cpu) },
      edges: graph.edges,
      triplets: graph.triplets.count,
      upperBound,
      lowerBounds: each(({ lowerBound }) => lowerBound),
      gapPercent: each(({ lowerBound }) => 100 * relativeGap(lowerBound, upperBound)),
    },
  };
}

/** Seconds by step, and of the host beside them. */
function stepsOf({ stepSeconds, lastSeconds }: Timed): (StepSeconds & { readonly rest: number }) | null {
  if (stepSeconds === null) return null;
  const { yLsap, xLap, distribution } = stepSeconds;
  return { yLsap, xLap, distribution, rest: Math.max(0, lastSeconds - yLsap - xLap - distribution) };
}

function differenceOf(before: StepSeconds | null, after: StepSeconds | null): StepSeconds | null {
  if (before === null || after === null) return null;
  const of = (step: keyof StepSeconds) => after[step] - before[step];
  return { yLsap: of("yLsap"), xLap: of("xLap"), distribution: of("distribution") };
}

/** Past the limit an engine stops after the iteration it is in: its time is then too short, never too long. */
async function timeIterations(
  engine: RmapEngine,
  iterations: number,
  limit: number,
  { busy, now, repetitions }: BenchOptions,
) {
  const found: Duals[] = [];
  let done = 0;
  let waits: number | null = null;
  let stepSeconds: StepSeconds | null = null;
  let lastSeconds = 0;
  const seconds = await repeated(
    async () => {
      await engine.reset();
      await busy.run();
      const waited = engine.waits();
      const before = engine.stepSeconds();
      const begin = now();
      for (done = 1; ; done++) {
        await engine.assign();
        if (done === iterations || now() - begin > limit) break;
        await engine.distribute();
      }
      const { v, columnDual } = await engine.read();
      const taken = now() - begin;
      stepSeconds = differenceOf(before, engine.stepSeconds());
      lastSeconds = taken;
      waits = waited === null ? null : (engine.waits() as number) - waited;
      found.push({ v: v.slice(), columnDual: columnDual.slice() });
      return taken;
    },
    { repetitions, limit },
  );
  return { seconds, found, iterations: done, waits, stepSeconds, lastSeconds };
}

/** Steps between two readings of the clock: as many as the engine runs between two bounds. */
const STEPS = 10;

/** One step of [K23] Algorithm 1 without its X-LAPs: Y-LSAPs, and the reduced costs given to the triplets before. */
export async function benchDistribution(size: BenchSize, gate: Gate, options: BenchOptions): Promise<Comparison> {
  const { session, now, threads, timeLimit } = options;
  const graph = await paperInstance(size, gate, options);
  const upperBound = await upperBoundOf(graph, options);
  const lowerBounds: Record<string, number> = {};
  const bench = async (name: string, engine: RmapEngine, limit: number): Promise<Spread> => {
    try {
      await engine.reset();
      await engine.assign();
      const seconds = await timeSteps(engine, limit, options);
      lowerBounds[name] = certifiedBound(await engine.read(), graph, upperBound);
      return seconds;
    } finally {
      await engine.close();
    }
  };
  const unlimited = Number.POSITIVE_INFINITY;
  const cpuSeconds = await bench("cpu", cpuEngine(graph, threads, now), unlimited);
  const enhancedSeconds = await bench("enhanced", await enhancedEngine(session, graph, now), unlimited);
  const naiveSeconds = await bench("naive", await naiveEngine(session, graph, options.now), timeLimit);
  const { edges, triplets } = graph;
  return {
    naiveSeconds,
    enhancedSeconds,
    cpuSeconds,
    details: {
      edges,
      triplets: triplets.count,
      denseTriplets: size.n ** 3 * Math.max(0, size.t - 2),
      storage: triplets.kind,
      upperBound,
      lowerBounds,
    },
  };
}

/** Seconds a step. */
async function timeSteps(engine: RmapEngine, limit: number, options: BenchOptions): Promise<Spread> {
  const { busy, now, repetitions } = options;
  const seconds = await repeated(
    async () => {
      await busy.run();
      await engine.finished();
      const begin = now();
      for (let step = 0; step < STEPS; step++) {
        await engine.price();
        await engine.distribute();
      }
      await engine.finished();
      return now() - begin;
    },
    { repetitions, limit },
  );
  return scaled(seconds, 1 / STEPS);
}
