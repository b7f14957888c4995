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
import { repeated, type Spread } from "./timing.js";

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
